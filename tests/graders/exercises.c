/* The exercises, in the order in which they are to be done. */
#include <string.h>

#include "exercise.h"

extern const struct Exercise exercise_softmax;
extern const struct Exercise exercise_scaled_dot;
extern const struct Exercise exercise_causal_mask;
extern const struct Exercise exercise_heads;
extern const struct Exercise exercise_layernorm;
extern const struct Exercise exercise_layernorm_backward;
extern const struct Exercise exercise_gelu_mlp;
extern const struct Exercise exercise_block;
extern const struct Exercise exercise_cross_entropy;
extern const struct Exercise exercise_attention_backward;
extern const struct Exercise exercise_example;
extern const struct Exercise exercise_adamw;
extern const struct Exercise exercise_decode;
extern const struct Exercise exercise_padding_mask;
extern const struct Exercise exercise_cache_step;
extern const struct Exercise exercise_online_softmax;
extern const struct Exercise exercise_rope;
extern const struct Exercise exercise_gqa_heads;
extern const struct Exercise exercise_clip;

/* clang-format off */
const struct Exercise *const exercises[] = {
    &exercise_softmax,
    &exercise_scaled_dot,
    &exercise_causal_mask,
    &exercise_heads,
    &exercise_layernorm,
    &exercise_layernorm_backward,
    &exercise_gelu_mlp,
    &exercise_block,
    &exercise_cross_entropy,
    &exercise_attention_backward,
    &exercise_example,
    &exercise_adamw,
    &exercise_decode,
    &exercise_padding_mask,
    &exercise_cache_step,
    &exercise_online_softmax,
    &exercise_rope,
    &exercise_gqa_heads,
    &exercise_clip,
};
/* clang-format on */
const int n_exercises = sizeof exercises / sizeof *exercises;

const struct Exercise *exercise_find(const char *number)
{
    for (int i = 0; i < n_exercises; i++) {
        if (strlen(number) == 2 && strncmp(exercises[i]->name, number, 2) == 0) {
            return exercises[i];
        }
    }
    return NULL;
}

void draw(struct Rng *rng, float *x, int n)
{
    rng_normal(rng, x, n);
}
