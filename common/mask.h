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
    const int32_t *document; /* (rows): where the documents' numbers change a new one begins; NULL:
                                all is one document */
};

bool mask_allows(const struct Mask *mask, int query, int key);

/* The keys that a query sees: first <= key < end; first == end if it sees none. */
struct Keys {
    int first, end;
};

/* keys: how many there are; 0 <= query < keys. */
struct Keys mask_keys(const struct Mask *mask, int query, int keys);

/* The first query that may see this key, or one before it; never falls as the key rises. */
int mask_first_query(const struct Mask *mask, int key);

#endif
