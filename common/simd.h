/* simd: one register of floats, whatever the machine calls it. A value of type vf holds LANES
   floats; + - * / and comparisons work lane by lane (GNU vector extensions), and each lane
   rounds exactly as the scalar operation would. So the width of a register never shows in a
   result, as long as no sum runs across lanes. Sums that do run across lanes have one fixed
   shape, sixteen lanes, folded in one fixed order: sum16 and dot16. */
#ifndef COMMON_SIMD_H
#define COMMON_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* Unroll the next loop completely: its bounds are constants, and its arrays are meant to live in
   registers. Or not at all: it fills the registers as it is. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#define NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#define NO_UNROLL _Pragma("GCC unroll 1")
#endif

#if defined(__AVX512F__)
#define LANES 16
#define REGISTERS 32
#elif defined(__AVX2__) && defined(__FMA__)
#define LANES 8
#define REGISTERS 16
#elif defined(__ARM_NEON)
#define LANES 4
#define REGISTERS 32
#else
#define LANES 4
#define REGISTERS 16
#endif

typedef float vf __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t vi __attribute__((vector_size(LANES * sizeof(int32_t))));

/* Every lane x. */
INLINE vf vset(float x)
{
#if LANES == 16
    return (vf)_mm512_set1_ps(x);
#elif LANES == 8
    return (vf)_mm256_set1_ps(x);
#else
    return (vf){x, x, x, x};
#endif
}

INLINE vf vload(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void vstore(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

/* All ones in the first n lanes, zeros in the others. */
INLINE vi vfirst(int n)
{
    static const int32_t lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    vi index;
    memcpy(&index, lane, sizeof index);
    return index < n;
}

/* The first n lanes from p, zeros in the others. Reads nothing past p[n-1]. */
INLINE vf vload_n(const float *p, int n)
{
    if (n >= LANES) {
        return vload(p);
    }
#if defined(__AVX512F__)
    return (vf)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
#elif defined(__AVX__) && LANES == 8
    return (vf)_mm256_maskload_ps(p, (__m256i)vfirst(n));
#else
    vf v = {0};
    for (int i = 0; i < n; i++) {
        v[i] = p[i];
    }
    return v;
#endif
}

/* The first n lanes to p. Writes nothing past p[n-1]. */
INLINE void vstore_n(float *p, vf v, int n)
{
    if (n >= LANES) {
        vstore(p, v);
        return;
    }
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
#elif defined(__AVX__) && LANES == 8
    _mm256_maskstore_ps(p, (__m256i)vfirst(n), (__m256)v);
#else
    for (int i = 0; i < n; i++) {
        p[i] = v[i];
    }
#endif
}

/* The lanes of the lower halves of a and b in turn, a first; and of the upper halves. */
#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vi){__VA_ARGS__})
#endif
INLINE vf vinterleave_low(vf a, vf b)
{
#if LANES == 16
    return SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#elif LANES == 8
    return SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#else
    return SHUFFLE(a, b, 0, 4, 1, 5);
#endif
}

INLINE vf vinterleave_high(vf a, vf b)
{
#if LANES == 16
    return SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif LANES == 8
    return SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    return SHUFFLE(a, b, 2, 6, 3, 7);
#endif
}

/* Row r, lane c becomes row c, lane r. Each round moves the first bit of r behind c and the first
   bit of c behind r; after as many rounds as they have bits they have changed places. */
INLINE void vtranspose(vf row[LANES])
{
    UNROLL
    for (int round = 1; round < LANES; round *= 2) {
        vf next[LANES];
        UNROLL
        for (int i = 0; i < LANES / 2; i++) {
            next[2 * i] = vinterleave_low(row[i], row[i + LANES / 2]);
            next[2 * i + 1] = vinterleave_high(row[i], row[i + LANES / 2]);
        }
        UNROLL
        for (int i = 0; i < LANES; i++) {
            row[i] = next[i];
        }
    }
}

/* a*b + c with one rounding. */
INLINE vf vfma(vf a, vf b, vf c)
{
#if defined(__AVX512F__)
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    for (int i = 0; i < LANES; i++) {
        c[i] = fmaf(a[i], b[i], c[i]); /* slow without the instruction, but the same bits */
    }
    return c;
#endif
}

/* Lane by lane: a where the mask is all ones, b where it is zero. A comparison of two vf makes
   such a mask. */
INLINE vf vselect(vi mask, vf a, vf b)
{
    return (vf)(((vi)a & mask) | ((vi)b & ~mask));
}

/* The larger of the two; b where either is NaN. */
INLINE vf vmax(vf a, vf b)
{
#if defined(__AVX512F__)
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#else
    return vselect(a > b, a, b);
#endif
}

/* The smaller of the two; b where either is NaN. */
INLINE vf vmin(vf a, vf b)
{
#if defined(__AVX512F__)
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#else
    return vselect(a < b, a, b);
#endif
}

/* The largest lane. */
INLINE float vmax_lane(vf a)
{
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps((__m512)a);
#else
    float max = a[0];
    for (int i = 1; i < LANES; i++) {
        max = a[i] > max ? a[i] : max;
    }
    return max;
#endif
}

INLINE vf vabs(vf a)
{
    return (vf)((vi)a & 0x7fffffff);
}

/* The correctly rounded square root. */
INLINE vf vsqrt(vf a)
{
#if defined(__AVX512F__)
    return (vf)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX2__) && defined(__FMA__)
    return (vf)_mm256_sqrt_ps((__m256)a);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vf)vsqrtq_f32((float32x4_t)a);
#else
    for (int i = 0; i < LANES; i++) {
        a[i] = sqrtf(a[i]);
    }
    return a;
#endif
}

/* Sixteen partial sums in as many registers as they take. */
struct Lanes16 {
    vf part[16 / LANES];
};

/* Halves added to halves: eight lanes, four, two, one. The same additions on every machine; where
   there are instructions for it, without a detour through memory. */
INLINE float fold16(struct Lanes16 sum)
{
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#if defined(__AVX512F__)
    __m512 all = (__m512)sum.part[0];
    __m256 low = _mm512_castps512_ps256(all);
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(all), 1));
#else
    __m256 low = (__m256)sum.part[0], high = (__m256)sum.part[1];
#endif
    __m256 eight = _mm256_add_ps(low, high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    float lane[16];
    UNROLL
    for (int p = 0; p < 16 / LANES; p++) {
        vstore(lane + p * LANES, sum.part[p]);
    }
    UNROLL
    for (int half = 8; half > 0; half /= 2) {
        UNROLL
        for (int i = 0; i < half; i++) {
            lane[i] += lane[i + half];
        }
    }
    return lane[0];
#endif
}

/* Sum of x[i] for i < n: lane l takes x[l], x[l+16], ... in order; then the fold. */
INLINE float sum16(const float *x, int n)
{
    struct Lanes16 sum = {0};
    for (int i = 0; i < n; i += 16) {
        UNROLL
        for (int p = 0; p < 16 / LANES; p++) {
            int at = i + p * LANES;
            if (at < n) {
                sum.part[p] += vload_n(x + at, n - at);
            }
        }
    }
    return fold16(sum);
}

/* Sum of x[i]*y[i] for i < n, one fused multiply-add a term, in the shape of sum16. */
INLINE float dot16(const float *x, const float *y, int n)
{
    struct Lanes16 sum = {0};
    for (int i = 0; i < n; i += 16) {
        UNROLL
        for (int p = 0; p < 16 / LANES; p++) {
            int at = i + p * LANES;
            if (at < n) {
                sum.part[p] = vfma(vload_n(x + at, n - at), vload_n(y + at, n - at), sum.part[p]);
            }
        }
    }
    return fold16(sum);
}

#endif
