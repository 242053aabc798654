/* The three orders differ in half_forward and nowhere else; half_backward undoes it. f is attention
   in the first half of a block and the MLP in the second; what it is made of, and the gradients of
   the single layers, come from common/. */
#include "depth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/activation.h"
#include "common/base.h"
#include "common/loss.h"
#include "common/matmul.h"
#include "common/norm.h"
#include "common/reversal.h"
#include "common/rng.h"

enum { SIZE = ROWS * MAX_WIDTH };

/* What half a block keeps for its backward pass. */
static struct Half {
    float normed[SIZE], sum[SIZE], out[SIZE], mean[ROWS], rstd[ROWS];
    float wide[4 * SIZE]; /* inside f: qkv (R,3D), or the MLP's hidden numbers (R,4D) */
    float late[4 * SIZE]; /* what the heads give (R,D), or GELU of the hidden numbers (R,4D) */
    float *weights;       /* of the attention */
} halves[2 * MAX_DEPTH];

/* What half a block has learned. */
static struct HalfTensors {
    bool attends;
    int hidden, late; /* the widths inside f */
    const float *gamma, *beta;
    const struct Linear *first, *second;
} learned[2 * MAX_DEPTH];

static int d;
static struct ModelConfig config;
static struct ParamList params;
static struct ModelTensors tensors;
static struct BlockTensors blocks[MAX_DEPTH];
static float *weights, *packed, *scratch;
static const int32_t starts[SEQUENCES + 1] = {0, LENGTH, 2 * LENGTH, 3 * LENGTH, 4 * LENGTH};
static const struct Sequences sequences = {.start = starts, .count = SEQUENCES};
static int32_t targets[ROWS];
static float first_input[SIZE], normed[SIZE], mean[ROWS], rstd[ROWS];
static float logits[ROWS * VOCAB], probabilities[ROWS * VOCAB], d_logits[ROWS * VOCAB];
static float d_x[SIZE], d_sum[SIZE], d_normed[SIZE], d_late[4 * SIZE], d_wide[4 * SIZE];
static float d_gamma[MAX_WIDTH], d_beta[MAX_WIDTH]; /* not looked at */

static void add(float *y, const float *x)
{
    for (int i = 0; i < ROWS * d; i++) {
        y[i] += x[i];
    }
}

/* y = f(x) */
static void f_forward(float *y, struct Half *h, const float *x, const struct HalfTensors *w)
{
    linear_forward(h->wide, x, w->first->packed_y, w->first->bias, ROWS, d, w->hidden);
    if (w->attends) {
        attention_forward(h->late, h->weights, scratch, h->wide, NULL, sequences, d,
                          &config.attention);
    } else {
        gelu_forward(h->late, h->wide, (size_t)(ROWS * w->hidden));
    }
    linear_forward(y, h->late, w->second->packed_y, w->second->bias, ROWS, w->late, d);
}

/* The same lines from the last to the first. */
static void f_backward(float *d_in, const float *d_out, const struct Half *h,
                       const struct HalfTensors *w)
{
    linear_backward_input(d_late, d_out, w->second->packed_dx, ROWS, w->late, d);
    if (w->attends) {
        attention_backward(d_wide, NULL, scratch, d_late, h->wide, h->weights, sequences, d,
                           &config.attention);
    } else {
        gelu_backward(d_wide, d_late, h->wide, (size_t)(ROWS * w->hidden));
    }
    linear_backward_input(d_in, d_wide, w->first->packed_dx, ROWS, d, w->hidden);
}

static void half_forward(struct Half *h, const float *x, enum Order order,
                         const struct HalfTensors *w)
{
    if (order == POST_NORM) {
        f_forward(h->sum, h, x, w);
        add(h->sum, x);
        layernorm_forward(h->out, h->mean, h->rstd, h->sum, w->gamma, w->beta, ROWS, d);
        return;
    }
    layernorm_forward(h->normed, h->mean, h->rstd, x, w->gamma, w->beta, ROWS, d);
    f_forward(h->out, h, h->normed, w);
    if (order == PRE_NORM) {
        add(h->out, x);
    }
}

/* d_x goes from the gradient of what came out of this half to that of what went in. Two paths meet
   there, past f and through f, and what comes back on both adds up. */
static void half_backward(const struct Half *h, const float *x, enum Order order, bool past_f,
                          const struct HalfTensors *w)
{
    size_t bytes = (size_t)(ROWS * d) * sizeof *d_x;
    if (order == POST_NORM) {
        memset(d_sum, 0, bytes);
        layernorm_backward(d_sum, d_gamma, d_beta, d_x, h->sum, h->mean, h->rstd, w->gamma, ROWS,
                           d);
        memset(d_x, 0, bytes);
        if (!past_f) {
            f_backward(d_x, d_sum, h, w);
        }
        add(d_x, d_sum);
        return;
    }
    f_backward(d_normed, d_x, h, w);
    if (order == NO_RESIDUAL) {
        memset(d_x, 0, bytes); /* in pre-norm d_x already is what comes back past f */
    }
    if (!past_f) {
        layernorm_backward(d_x, d_gamma, d_beta, d_normed, x, h->mean, h->rstd, w->gamma, ROWS, d);
    }
}

/* What goes into half a block is what the one before it gave. */
static float *half_input(int half)
{
    return half == 0 ? first_input : halves[half - 1].out;
}

float *stack_input(int block)
{
    return half_input(2 * block);
}

double stack_forward(enum Order order, int n)
{
    for (int i = 0; i < 2 * n; i++) {
        half_forward(&halves[i], half_input(i), order, &learned[i]);
    }
    layernorm_forward(normed, mean, rstd, stack_input(n), tensors.ln_weight, tensors.ln_bias, ROWS,
                      d);
    linear_forward(logits, normed, tensors.head.packed_y, tensors.head.bias, ROWS, d, VOCAB);
    return cross_entropy_forward(probabilities, logits, targets, ROWS, VOCAB) / ROWS;
}

static double dot(const float *x, const float *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (double)x[i] * (double)y[i];
    }
    return sum;
}

const float *stack_backward(double *norms, enum Order order, bool past_f, int n)
{
    cross_entropy_backward(d_logits, probabilities, targets, ROWS, VOCAB, ROWS);
    linear_backward_input(d_normed, d_logits, tensors.head.packed_dx, ROWS, d, VOCAB);
    memset(d_x, 0, sizeof d_x);
    layernorm_backward(d_x, d_gamma, d_beta, d_normed, stack_input(n), mean, rstd,
                       tensors.ln_weight, ROWS, d);
    norms[n] = sqrt(dot(d_x, d_x, ROWS * d));
    for (int i = 2 * n - 1; i >= 0; i--) {
        half_backward(&halves[i], half_input(i), order, past_f, &learned[i]);
        norms[i / 2] = sqrt(dot(d_x, d_x, ROWS * d)); /* the first half's stays */
    }
    return d_x;
}

double stack_similarity(int block)
{
    const float *x = stack_input(block);
    double sum = 0.0;
    int pairs = 0;
    for (int a = 0; a < ROWS; a++) {
        for (int b = a / LENGTH * LENGTH; b < a; b++, pairs++) {
            const float *u = x + a * d, *v = x + b * d;
            sum += dot(u, v, d) / sqrt(dot(u, u, d) * dot(v, v, d));
        }
    }
    return sum / pairs;
}

static void pack(void)
{
    for (int i = 0; i < params.count; i++) {
        param_pack(&params.items[i], packed, weights);
    }
}

void stack_scale(float factor)
{
    for (const struct Param *p = params.items; p < params.items + params.count; p++) {
        bool inside = strncmp(p->name, "blocks.", 7) == 0 && p->init == INIT_UNIFORM;
        for (size_t i = 0; inside && i < p->size; i++) {
            weights[p->offset + i] *= factor;
        }
    }
    pack();
}

void stack_init(struct ModelConfig model, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "init"); /* the stream of a model's training */
    config = model, d = model.d_model;
    tensors.blocks = blocks;
    model_params(&tensors, &(struct ParamWalk){.list = &params}, &config);
    weights = array_new(params.size), packed = array_new(params.packed_size);
    model_params(&tensors, &(struct ParamWalk){.base = weights, .packed = packed}, &config);
    params_init(&params, weights, &rng);
    pack();

    scratch = array_new(attention_scratch_size(LENGTH, d / HEADS));
    for (int i = 0; i < config.n_layers; i++) {
        const struct BlockTensors *w = &blocks[i];
        learned[2 * i] =
            (struct HalfTensors){true, 3 * d, d, w->ln1_weight, w->ln1_bias, &w->qkv, &w->out};
        learned[2 * i + 1] =
            (struct HalfTensors){false, 4 * d, 4 * d, w->ln2_weight, w->ln2_bias, &w->up, &w->down};
        halves[2 * i].weights = array_new(attention_weights_size(sequences, HEADS));
    }

    rng = rng_stream(seed, "tokens");
    for (int r = 0; r < ROWS; r++) {
        int token = rng_below(&rng, VOCAB);
        targets[r] = rng_below(&rng, VOCAB);
        for (int i = 0; i < d; i++) {
            first_input[r * d + i] =
                tensors.token[token * d + i] + tensors.position[r % LENGTH * d + i];
        }
    }
}
