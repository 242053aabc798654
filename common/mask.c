/* The rule is mask_allows; mask_keys says the same of a whole row at once, and a test compares. */
#include "mask.h"

#include <stddef.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

bool mask_allows(const struct Mask *m, int query, int key)
{
    int distance = query > key ? query - key : key - query;
    return (!m->causal || key <= query || key < m->prefix) &&
           (m->window == 0 || distance < m->window) && key >= m->first_key &&
           (m->end_key == 0 || key < m->end_key) &&
           (m->document == NULL || m->document[key] == m->document[query]);
}

struct Keys mask_narrow(const struct Mask *m, int query, int keys, struct Keys seen)
{
    int first = most(seen.first, m->first_key), end = seen.end;
    if (m->end_key > 0) {
        end = least(end, m->end_key);
    }
    if (m->window > 0) {
        first = most(first, query - m->window + 1);
        end = m->window < end - query ? query + m->window : end; /* a sum might be no int */
    }
    if (m->document != NULL) {
        int begin = query, behind = query + 1;
        while (begin > 0 && m->document[begin - 1] == m->document[query]) {
            begin--;
        }
        while (behind < keys && m->document[behind] == m->document[query]) {
            behind++;
        }
        first = most(first, begin);
        end = least(end, behind);
    }
    return first < end ? (struct Keys){first, end} : (struct Keys){0, 0};
}
