/* The state steps by an odd constant; the output is the state, stirred. A stream starts where the
   hash of its name and its seed say. */
#include "rng.h"

#include "vmath.h"

static uint64_t stir(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct Rng rng_stream(uint64_t seed, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    }
    return (struct Rng){stir(hash ^ stir(seed))};
}

uint64_t rng_next(struct Rng *rng)
{
    rng->state += 0x9e3779b97f4a7c15u;
    return stir(rng->state);
}

int rng_below(struct Rng *rng, int n)
{
    uint32_t range = (uint32_t)n;
    uint32_t unfair =
        -range % range; /* 2^32 mod n: so many low products would be drawn once too often */
    uint64_t product;
    do {
        product = (rng_next(rng) >> 32) * range;
    } while ((uint32_t)product < unfair);
    return (int)(product >> 32);
}

void rng_uniform(struct Rng *rng, float *x, int count, float bound)
{
    for (int i = 0; i < count; i++) {
        int32_t step = (int32_t)(rng_next(rng) >> 40) - (1 << 23); /* 24 bits: exact as a float */
        x[i] = (float)step * (bound / (1 << 23));
    }
}

void rng_normal(struct Rng *rng, float *x, int count)
{
    for (int i = 0; i < count; i += 2) {
        uint64_t bits = rng_next(rng);
        float u = ((float)(bits >> 40) + 0.5f) * 0x1p-24f; /* never 0, so that the log is finite */
        float angle = (float)(bits & 0xffffff) * (6.28318531f * 0x1p-24f);
        float radius = sqrtf(-2.0f * log_f32(u)), sine, cosine;
        sincos_f32(angle, &sine, &cosine);
        x[i] = radius * cosine;
        if (i + 1 < count) {
            x[i + 1] = radius * sine;
        }
    }
}
