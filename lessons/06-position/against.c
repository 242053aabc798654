/* The lesson's own attention and embedding against those of common/, on lopsided shapes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/attention.h"
#include "common/page.h"
#include "position.h"

enum { LONG = 17, WIDE = 33 }; /* the largest shape */

/* The largest difference to attention_forward, with and without a causal mask, as the rows stand and
   with rows and mask shuffled. */
static float against_attention(struct Rng *rng, int length, int d_model, int n_heads)
{
    enum { SIZE = LONG * WIDE, STRIDE = (LONG + 15) / 16 * 16 };
    static float part[3][SIZE], moved_part[3][SIZE], ours[SIZE], theirs[SIZE], qkv[3 * SIZE];
    static float weights[WIDE * LONG * STRIDE], scratch[(2 * WIDE + LONG) * STRIDE];
    static bool sees[LONG * LONG];
    const int32_t start[] = {0, length};
    int moved_order[LONG];
    float most = 0.0f;
    for (int i = 0; i < length; i++) { /* any order, evenly (Fisher & Yates) */
        int j = rng_below(rng, i + 1);
        moved_order[i] = i;
        moved_order[i] = moved_order[j];
        moved_order[j] = i;
    }
    for (int i = 0; i < 3; i++) {
        rng_normal(rng, part[i], length * d_model);
        shuffle_rows(moved_part[i], part[i], moved_order, length, d_model);
        for (int t = 0; t < length; t++) {
            memcpy(qkv + (3 * t + i) * d_model, part[i] + t * d_model,
                   (size_t)d_model * sizeof *qkv);
        }
    }
    for (int i = 0; i < 4; i++) {
        bool causal = i % 2 == 1, moved = i / 2 == 1;
        float(*in)[SIZE] = moved ? moved_part : part;
        const int *ordered = moved ? moved_order : NULL;
        struct AttentionConfig config = model_config(1, length, d_model, n_heads, 1).attention;
        config.mask.causal = causal;
        attention_forward(theirs, weights, scratch, qkv, NULL,
                          (struct Sequences){.start = start, .count = 1}, d_model, &config);
        set_mask(sees, causal, ordered, length);
        attention(ours, weights, in[0], in[1], in[2], sees, length, d_model, n_heads);
        float difference = apart(ours, theirs, ordered, 0, length, d_model);
        most = difference > most ? difference : most;
    }
    return most;
}

/* Does the model add as embed does? Its logits must stay, to the last bit, when our sums take the
   place of its token rows and zeros that of its position rows. */
static bool against_model(uint64_t seed, int length, int d_model, int n_heads)
{
    int32_t tokens[LONG];
    float sums[LONG * WIDE], logits[LONG * (LONG + 2)];
    int vocab = LONG + 2; /* with a token for each place */
    struct Model *model = model_new(model_config(vocab, length, d_model, n_heads, 1), 1);
    struct Batch batch;
    model_init(model, seed);
    batch_new(&batch, 1, length);
    for (int t = 0; t < length; t++) {
        tokens[t] = (5 * t + 2) % vocab; /* each token at most once */
    }
    batch_add(&batch, tokens, NULL, length);
    model_forward(model, &batch);
    memcpy(logits, model_logits(model, 0), (size_t)(length * vocab) * sizeof *logits);
    embed(sums, tokens, model->w.token, model->w.position, length, d_model);
    memset(model->w.position, 0, (size_t)(length * d_model) * sizeof(float));
    for (int t = 0; t < length; t++) {
        memcpy(model->w.token + tokens[t] * d_model, sums + t * d_model,
               (size_t)d_model * sizeof *sums);
    }
    model_forward(model, &batch);
    bool same =
        memcmp(logits, model_logits(model, 0), (size_t)(length * vocab) * sizeof *logits) == 0;
    batch_free(&batch);
    model_free(model);
    return same;
}

void report_against(uint64_t seed)
{
    static const int shapes[][3] = {{1, 3, 1},  {1, 12, 3}, {1, 33, 3},  {5, 3, 3},   {5, 12, 1},
                                    {5, 33, 3}, {17, 3, 1}, {17, 12, 3}, {17, 33, 1}, {17, 33, 3}};
    const int n = sizeof shapes / sizeof *shapes;
    struct Rng rng = rng_stream(seed, "against");
    float most = 0.0f;
    int same = 0;
    for (int i = 0; i < n; i++) {
        const int *s = shapes[i];
        float difference = against_attention(&rng, s[0], s[1], s[2]);
        most = difference > most ? difference : most;
        same += against_model(seed, s[0], s[1], s[2]);
    }
    page_heading("Held against common/");
    printf("  %d shapes of 1, 5 and 17 tokens, width 3, 12 and 33, 1 and 3 heads\n", n);
    printf("  attention  with and without causal mask, tokens and mask as they stand and\n"
           "             shuffled: largest difference %.1e\n",
           (double)most);
    printf("  embed      our sums as token rows, zeros as position rows: the logits of the\n"
           "             model keep every bit in %d of %d shapes\n",
           same, n);
    page_claim(most < ROUNDING, "our attention is attention_forward, under any order and mask");
    page_claim(same == n, "the model adds the two rows as embed does");
}
