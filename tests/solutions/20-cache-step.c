/* Exercise 20: one step from the cache. The task, and where to read: README.md beside this file.

   A model has read some tokens and kept their keys and values, in each of its layers. Now one layer
   gets the query, key and value of one new token:

     append   its key and value go behind those that are there
     attend   its query looks at all of them, its own among them; for each query head
                scores[j] = q · key j / sqrt(d_head)        weights = softmax(scores)
                out       = sum over j of weights[j] * value j
     advance  there is one row more now

   q       (H,d_head), to be read: the query of head h begins at q + h*d_head
   k, v    (Hkv,d_head), to be read: the new key and value of each of Hkv heads
   out     (H,d_head), to be written
   keys    (layers,Hkv,capacity,d_head): row j of head g in this layer begins at
             keys + ((layer*Hkv + g)*capacity + j)*d_head
   values  the same for values
   length  (layers): in this layer the rows 0 .. length[layer]-1 hold what was read. Later rows hold
           what is left of other texts. Other layers are somebody else's.

   Hkv divides H, and query heads share keys and values in order: the first H/Hkv of them read head
   0, the next H/Hkv head 1, and so on. There is room for one more: length[layer] < capacity.
   softmax(weights, scores, rows, n) is given; it may work in place. float scores[capacity] may be a
   local array.

   `make check-20` grades it. */
#include "exercises/20-cache-step/answer.h"

#include <math.h>
#include <string.h>

void cache_step(float *out, float *keys, float *values, int32_t *length, const float *q,
                const float *k, const float *v, int layer, int H, int Hkv, int capacity, int d_head)
{
    /* answer: */
    int at = length[layer], n = at + 1, from = layer;
    for (int g = 0; g < Hkv; g++) {
        int head = (layer * Hkv + g) * capacity;
        memcpy(keys + (head + at) * d_head, k + g * d_head, d_head * sizeof *k);
        memcpy(values + (head + at) * d_head, v + g * d_head, d_head * sizeof *v);
    }
    for (int h = 0; h < H; h++) {
        int g = h / (H / Hkv);
        int head = (from * Hkv + g) * capacity;
        float scores[capacity];
        for (int j = 0; j < n; j++) {
            float score = 0.0f;
            for (int c = 0; c < d_head; c++) {
                score += q[h * d_head + c] * keys[(head + j) * d_head + c];
            }
            scores[j] = score / sqrtf(d_head);
        }
        softmax(scores, scores, 1, n);
        for (int c = 0; c < d_head; c++) {
            out[h * d_head + c] = 0.0f;
            for (int j = 0; j < n; j++) {
                out[h * d_head + c] += scores[j] * values[(head + j) * d_head + c];
            }
        }
    }
    length[layer]++;
    /* :answer */
}
