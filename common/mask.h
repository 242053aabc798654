/* mask: which keys a query may see. Rows are counted from the first of their sequence. Five masks,
   and any of them together: a key is seen if every one of them allows it.
     causal           no later key                              Vaswani et al. (2017)
     causal, prefix   and the first keys, even if later         Raffel et al. (2020), "prefix LM"
     sliding window   only the nearest keys                     Beltagy et al. (2020), Longformer
     padding          no key before first_key or from end_key   (one sequence of a padded batch)
     block-diagonal   only keys of the query's own document     (documents packed in one sequence)
   Whatever is combined, what one query sees is one run of keys without gaps. */
#ifndef COMMON_MASK_H
#define COMMON_MASK_H

#include <stdbool.h>
#include <stdint.h>

struct Mask {
    bool causal;
    int prefix;    /* causal: the first keys, which all queries see; 0 if there is no prefix */
    int window;    /* keys at a distance of less than this, its own at 0; 0: at any distance */
    int first_key; /* keys before this one are padding */
    int end_key;   /* and from this one on; 0: none is */
    const int32_t *document; /* (rows): the number of each row's document, whose rows stand
                                together; NULL: all is one document */
};

bool mask_allows(const struct Mask *mask, int query, int key);

/* Keys that a query sees: first <= key < end; first == end == 0 if it sees none. */
struct Keys {
    int first, end;
};

/* The first query that may see this key, or one before it; never falls as the key rises. */
static inline int mask_first_query(const struct Mask *mask, int key)
{
    return mask->causal && key >= mask->prefix ? key : 0;
}

/* seen without what a window, padding or documents hide. */
struct Keys mask_narrow(const struct Mask *mask, int query, int keys, struct Keys seen);

/* The keys that a query sees, out of so many; 0 <= query < keys. Inline, as attention asks it for
   each query of each head. */
static inline struct Keys mask_keys(const struct Mask *mask, int query, int keys)
{
    int end = query + 1 > mask->prefix ? query + 1 : mask->prefix;
    struct Keys seen = {0, mask->causal && end < keys ? end : keys};
    bool more = mask->window > 0 || mask->first_key > 0 || mask->end_key > 0 || mask->document;
    return more ? mask_narrow(mask, query, keys, seen) : seen;
}

#endif
