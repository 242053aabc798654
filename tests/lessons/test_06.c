/* Lesson 06: its numbers against the same computed another way, in double and with libm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reversal.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

static void enter_06(void)
{
    enter_lesson("lesson-06");
}

START_TEST(options_have_bounds)
{
    static const char *const refused[][2] = {
        {"--steps -1", "--steps takes a whole number from 0 to 10000, not \"-1\""},
        {"--steps 10001", "--steps takes a whole number from 0 to 10000, not \"10001\""},
        {"--lengths 0-3", "--lengths takes A-B or A, whole numbers from 1 to 12, not \"0-3\""},
        {"--lengths 3-13", "--lengths takes A-B or A, whole numbers from 1 to 12, not \"3-13\""},
    };
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-06: %s", refused[i][1]);
        assert_died(sh("./lesson-06 --out out %s", refused[i][0]), line);
    }
    ck_assert_str_eq(names_in("."), "golden lesson-06");
    assert_like(page_of("./lesson-06 --help"),
                "usage: lesson-06 [options]\n...\n  --steps N ...400)\n  --lengths A-B ...3-8)\n"
                "  --seed N ...\n");
}
END_TEST

/* Sections 1 to 3: a layer of attention over six letters, with three heads of four numbers. */
enum { T = 6, D = 12, D_HEAD = 4 };
static struct {
    float token[VOCAB * D], position[CONTEXT * D], w[3][D * D];
} toy;

static void draw_toy(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "toy");
    rng_normal(&rng, toy.token, VOCAB * D);
    rng_normal(&rng, toy.position, CONTEXT * D);
    for (int i = 0; i < 3; i++) {
        rng_uniform(&rng, toy.w[i], D * D, sqrtf(3.0f / D));
    }
}

/* Number i of query, key or value (which) of the token at place t. */
static double projected(int which, const char *word, int t, int i, bool with_table)
{
    double sum = 0.0;
    for (int j = 0; j < D; j++) {
        double x = (double)toy.token[(word[t] - 'a') * D + j];
        x += with_table ? (double)toy.position[t * D + j] : 0.0;
        sum += x * (double)toy.w[which][i * D + j];
    }
    return sum;
}

/* out[D] overwritten with the output at place `query`; weights[T] with those of its first head. */
static void attend(double *out, double *weights, const char *word, int query, int seen,
                   bool with_table)
{
    for (int i = D - 1; i >= 0; i--) { /* the first head last */
        double sum = 0.0;
        out[i] = 0.0;
        for (int key = 0; key < seen; key++) {
            double score = 0.0;
            for (int j = i / D_HEAD * D_HEAD; j < (i / D_HEAD + 1) * D_HEAD; j++) {
                score += projected(0, word, query, j, with_table) *
                         projected(1, word, key, j, with_table);
            }
            weights[key] = exp(score / sqrt(D_HEAD));
            sum += weights[key];
        }
        for (int key = 0; key < seen; key++) {
            weights[key] /= sum;
            out[i] += weights[key] * projected(2, word, key, i, with_table);
        }
    }
}

/* The largest difference between the outputs of two letters. */
static double apart(const char *a, int place_a, int seen_a, const char *b, int place_b, int seen_b,
                    bool with_table)
{
    double out[2][D], weights[T], most = 0.0;
    attend(out[0], weights, a, place_a, seen_a, with_table);
    attend(out[1], weights, b, place_b, seen_b, with_table);
    for (int i = 0; i < D; i++) {
        most = fmax(most, fabs(out[0][i] - out[1][i]));
    }
    return most;
}

static void assert_number(const char *page, const char *line, int column, double wanted,
                          double tolerance)
{
    char *rest = after(page, line);
    double got = NAN;
    for (int i = 0; i <= column; i++) {
        got = strtod(rest, &rest);
    }
    ck_assert_msg(fabs(got - wanted) <= tolerance, "%s: %g, not %g", line, got, wanted);
}

START_TEST(the_toy_is_attention)
{
    static const char word[] = "fgcabe", moved[] = "afbcge";
    double out[D], weights[T], farthest = 0.0;
    for (uint64_t seed = 5; seed < 7; seed++) {
        char *page = page_of("./lesson-06 --steps 0 --seed %d --out out", (int)seed);
        draw_toy(seed);
        attend(out, weights, word, 0, T, false);
        char straight[100] = "", shuffled[100] = "";
        for (int i = 0; i < T; i++) {
            char *to = straight + strlen(straight), *also = shuffled + strlen(shuffled);
            sprintf(to, "  %c %.3f", word[i], weights[i]);
            sprintf(also, "  %c %.3f", moved[i], weights[strchr(word, moved[i]) - word]);
        }
        assert_like(after(page, "  as the word stands    "), straight);
        assert_like(after(page, "  shuffled              "), shuffled);
        farthest = 0.0;
        for (int i = 0; i < T; i++) { /* under the causal mask the letter at place i sees i + 1 */
            int from = (int)(strchr(word, moved[i]) - word);
            farthest = fmax(farthest, apart(word, from, from + 1, moved, i, i + 1, false));
        }
        assert_number(page, "  causal mask, left as it is ", 0, farthest, 0.0501);
        double last = apart(word, T - 1, T, moved, T - 1, T, true);
        assert_number(page, "the others shuffled", 1, last, last < 1.0 ? 0.00501 : 0.0501);
        double equals = apart("abccba", 0, T, "abccba", T - 1, T, true);
        assert_number(page, "the last a of abccba", 1, equals, equals < 1.0 ? 0.00501 : 0.0501);
        assert_number(page, "the last a of abccba", 0, 0.0, 0.0);
    }
}
END_TEST

/* Sections 4 to 6. */

enum { STEPS = 20, STRINGS = 64, WIDTH = 64, TABLE = CONTEXT * WIDTH };

struct Row {
    int strings;
    double gradient;
};

/* The first steps of lesson 07; rows overwritten. Returns the model. */
static struct Model *trained(double *losses, struct Row *rows, int shortest, int longest,
                             bool with_table)
{
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, WIDTH, 2, 2), STRINGS);
    struct Rng rng = rng_stream(5, "train");
    struct AdamW adamw;
    struct Batch batch;
    model_init(model, 5);
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    batch_new(&batch, STRINGS, CONTEXT);
    memset(rows, 0, CONTEXT * sizeof *rows);
    for (int step = 0; step < STEPS; step++) {
        batch_clear(&batch);
        for (int i = 0; i < STRINGS; i++) {
            int32_t tokens[CONTEXT], targets[CONTEXT];
            struct String s = string_draw(&rng, shortest, longest);
            reversal_example(tokens, targets, &s, false);
            batch_add(&batch, tokens, targets, 2 * s.length);
            for (int t = 0; t < 2 * s.length; t++) {
                rows[t].strings++;
            }
        }
        for (int i = 0; i < TABLE && !with_table; i++) {
            model->w.position[i] = 0.0f;
        }
        losses[step] = model_gradient(model, &batch);
        model_update(model, &adamw);
        const float *g = model->gradient + (model->w.position - model->weights);
        for (int t = 0; t < CONTEXT; t++) {
            double square = 0.0;
            for (int i = 0; i < WIDTH; i++) {
                square += pow((double)g[t * WIDTH + i], 2.0);
            }
            rows[t].gradient += sqrt(square) / STEPS;
        }
    }
    return model;
}

static double dot(const float *a, const float *b)
{
    double sum = 0.0;
    for (int i = WIDTH - 1; i >= 0; i--) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

static void check_rows(const struct Row *rows, const float *from, const float *to, int idle)
{
    FILE *table = open_table("out/rows.tsv", "position\tstrings\tgradient\tmoved\tlength\n");
    double left = pow(1.0 - 0.003 * 0.01, STEPS), gradient, moved, length;
    for (int t = 0, position, strings; t < CONTEXT; t++, from += WIDTH, to += WIDTH) {
        ck_assert_int_eq(fscanf(table, "%d\t%d\t%lf\t%lf\t%lf\n", &position, &strings, &gradient,
                                &moved, &length),
                         5);
        ck_assert(position == t && strings == rows[t].strings);
        ck_assert((strings > 0) == (t < idle) && (gradient > 0.0) == (t < idle));
        ck_assert_double_eq_tol(gradient, rows[t].gradient, 1e-12 + 1e-8 * rows[t].gradient);
        double was = dot(from, from), is = dot(to, to);
        ck_assert_double_eq_tol(length, sqrt(is / was), 1e-8);
        ck_assert_double_eq_tol(moved, sqrt((was + is - 2.0 * dot(from, to)) / was), 1e-6);
        if (t >= idle) {
            ck_assert_double_eq_tol(length, left, 1e-6);
            ck_assert_double_eq_tol(moved, 1.0 - left, 1e-6);
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
}

static double cosine(const float *table, int a, int b)
{
    const float *x = table + a * WIDTH, *y = table + b * WIDTH;
    return dot(x, y) / sqrt(dot(x, x) * dot(y, y));
}

static void check_cosines(const float *from, const float *to)
{
    FILE *table = open_table("out/similarity.tsv", "row\tcolumn\tbefore\tafter\n");
    double before, after;
    for (int i = 0, a, b; i < CONTEXT * CONTEXT; i++) {
        if (fscanf(table, "%d\t%d\t%lf\t%lf\n", &a, &b, &before, &after) != 4 || a != i / CONTEXT ||
            b != i % CONTEXT || !(fabs(before - cosine(from, a, b)) < 1e-6) ||
            !(fabs(after - cosine(to, a, b)) < 1e-6)) {
            ck_abort_msg("rows %d and %d: %g, %g", a, b, before, after);
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
}

/* Lines of section 6: the mean change by distance. */
static void check_distances(const char *page, const char *line, const float *from, const float *to,
                            int idle)
{
    for (int d = 1; d <= 8 && d < idle; d++) {
        double change = 0.0;
        for (int a = 0; a < idle - d; a++) {
            change += (cosine(to, a, a + d) - cosine(from, a, a + d)) / (idle - d);
        }
        assert_number(page, line, d - 1, change, 5.1e-4);
    }
}

/* And the sizes by kind of pair. */
static void check_similarity(const char *page, const float *from, const float *to, int idle)
{
    static const char *const names[] = {"\n  neither ", "\n  one of them ", "\n  both "};
    double before[3] = {0}, after[3] = {0}, change[3] = {0};
    int count[3] = {0};
    for (int a = 0; a < CONTEXT; a++) {
        for (int b = a + 1; b < CONTEXT; b++) {
            int kind = (a < idle) + (b < idle);
            double was = cosine(from, a, b), is = cosine(to, a, b);
            before[kind] += was * was;
            after[kind] += is * is;
            change[kind] += (is - was) * (is - was);
            count[kind]++;
        }
    }
    for (int kind = 0; kind < 3; kind++) {
        assert_number(page, names[kind], 0, count[kind], 0.0);
        assert_number(page, names[kind], 1, sqrt(before[kind] / count[kind]), 5.1e-4);
        assert_number(page, names[kind], 2, sqrt(after[kind] / count[kind]), 5.1e-4);
        assert_number(page, names[kind], 3, sqrt(change[kind] / count[kind]), 5.1e-4);
    }
}

START_TEST(the_training_is_that_of_the_core)
{
    static const int lengths[][2] = {{3, 8}, {2, 5}};
    const int first = lengths[_i][0], last = lengths[_i][1];
    double with[STEPS], without[STEPS];
    struct Row rows[CONTEXT];
    struct Model *start = model_new(model_config(VOCAB, CONTEXT, WIDTH, 2, 2), 1);
    model_init(start, 5);
    char *page = page_of("./lesson-06 --steps %d --lengths %d-%d --out out", STEPS, first, last);
    trained(without, rows, first, last, false);
    struct Model *model = trained(with, rows, first, last, true);
    FILE *table = open_table("out/loss.tsv", "step\twith\twithout\n");
    double a, b, mean = 0.0;
    for (int i = 0, step; i < STEPS; i++) {
        ck_assert_int_eq(fscanf(table, "%d\t%lf\t%lf\n", &step, &a, &b), 3);
        ck_assert_int_eq(step, i + 1);
        ck_assert_double_eq_tol(a, with[i], 1e-8 * a);
        ck_assert_double_eq_tol(b, without[i], 1e-8 * b);
    }
    ck_assert_int_eq(fgetc(table), EOF);
    assert_number(page, "  loss in step 1 ", 1, without[0], 5.1e-5);
    for (int i = 0; i < STEPS; i++) {
        mean += with[i] / STEPS;
    }
    assert_number(page, "  mean of the last 20 ", 0, mean, 5.1e-5);
    check_rows(rows, start->w.position, model->w.position, 2 * last);
    check_cosines(start->w.position, model->w.position);
    check_similarity(page, start->w.position, model->w.position, 2 * last);
    char line[32];
    snprintf(line, sizeof line, "\n  %d to %d ", first, last);
    check_distances(page, line, start->w.position, model->w.position, 2 * last);
    model = trained(with, rows, last, last, true);
    snprintf(line, sizeof line, "\n  %-8d ", last);
    check_distances(page, line, start->w.position, model->w.position, 2 * last);
}
END_TEST

START_TEST(decay_is_counted)
{
    char *page = page_of("./lesson-06 --steps 30 --lengths 12 --out out"), line[100];
    assert_page(page);
    double left = pow(1.0 - 0.003 * 0.01, 30.0), left_07 = pow(1.0 - 0.003 * 0.01, 1500.0);
    snprintf(line, sizeof line, "%.2f%% less", 100.0 * (1.0 - left));
    assert_like(after(page, "multiplies by 1 - 0.003*0.01 at each step: "), line);
    snprintf(line, sizeof line, "%.2f%% less after the 1,500 of lesson 07.",
             100.0 * (1.0 - left_07));
    assert_like(after(page, "\n  after 30 steps, and "), line);
    assert_like(after(page, "\n   0 to 23 "), " ... 1,920 ...");
    assert_like(after(page, "\n  24 to 24 "), " ... 0 ... 0.000000 ...");
}
END_TEST

START_TEST(no_steps_are_no_training)
{
    char *page = page_of("./lesson-06 --steps 0 --out out");
    assert_page(page);
    assert_like(after(page, "\n   0 to 24 "), " ... 0 ... 0.000000 ... 0.00%   100.00%");
    after(page, "  No steps, no losses.");
    ck_assert_str_eq(content("out/loss.tsv", NULL), "step\twith\twithout\n");
}
END_TEST

/* Section 7: the same ridge regression from its dual, one unknown for each of the 300 sums:
   marks = G·(G + 1e-3)^-1·Y with G the products of all sums, each with a 1 behind it. */
START_TEST(the_probe_is_least_squares)
{
    enum { N = VOCAB * CONTEXT, MARKS = VOCAB + CONTEXT, MOST = 16 };
    static double gram[N][N], l[N][N], y[N][MARKS], marks[N][MARKS];
    static float tables[MARKS * MOST];
    char *page = page_of("./lesson-06 --steps 0 --out out"), line[20];
    for (int d = 4; d <= MOST; d *= 2) {
        struct Rng rng = rng_stream(5, "probe");
        rng_normal(&rng, tables, MARKS * d);
        memset(y, 0, sizeof y);
        memset(marks, 0, sizeof marks);
        for (int p = 0; p < N; p++) {
            y[p][p / CONTEXT] = y[p][VOCAB + p % CONTEXT] = 1.0;
            for (int q = 0; q < N; q++) {
                gram[p][q] = 1.0;
                for (int i = 0; i < d; i++) {
                    float a = tables[p / CONTEXT * d + i] + tables[(VOCAB + p % CONTEXT) * d + i];
                    float b = tables[q / CONTEXT * d + i] + tables[(VOCAB + q % CONTEXT) * d + i];
                    gram[p][q] += (double)a * (double)b;
                }
                l[p][q] = gram[p][q] + (p == q ? 1e-3 : 0.0);
            }
        }
        for (int i = 0; i < N; i++) { /* L of Cholesky, and y := L^-1 y on the way */
            for (int j = 0; j <= i; j++) {
                for (int k = 0; k < j; k++) {
                    l[i][j] -= l[i][k] * l[j][k];
                }
                l[i][j] = i == j ? sqrt(l[i][i]) : l[i][j] / l[j][j];
            }
            for (int m = 0; m < MARKS; m++) {
                for (int k = 0; k < i; k++) {
                    y[i][m] -= l[i][k] * y[k][m];
                }
                y[i][m] /= l[i][i];
            }
        }
        for (int i = N - 1; i >= 0; i--) {
            for (int m = 0; m < MARKS; m++) {
                for (int k = i + 1; k < N; k++) {
                    y[i][m] -= l[k][i] * y[k][m];
                }
                y[i][m] /= l[i][i];
            }
        }
        int right[2] = {0};
        for (int p = 0; p < N; p++) {
            int best[2] = {0, VOCAB};
            for (int m = 0; m < MARKS; m++) {
                for (int q = 0; q < N; q++) {
                    marks[p][m] += gram[p][q] * y[q][m];
                }
                best[m >= VOCAB] = marks[p][m] > marks[p][best[m >= VOCAB]] ? m : best[m >= VOCAB];
            }
            right[0] += best[0] == p / CONTEXT;
            right[1] += best[1] == VOCAB + p % CONTEXT;
        }
        snprintf(line, sizeof line, "\n  %-12d", d);
        assert_number(page, line, 0, right[0], 0.0);
        assert_number(page, line, 1, right[1], 0.0);
    }
    assert_number(page, "\n  64, trained", 1, N, 0.0);
}
END_TEST

Suite *lesson_06_suite(void)
{
    Suite *suite = suite_create("lesson 06");
    TCase *cases = new_case(suite, "lesson 06", enter_06);
    tcase_add_test(cases, options_have_bounds);
    tcase_add_test(cases, the_toy_is_attention);
    tcase_add_loop_test(cases, the_training_is_that_of_the_core, 0, 2);
    tcase_add_test(cases, decay_is_counted);
    tcase_add_test(cases, no_steps_are_no_training);
    tcase_add_test(cases, the_probe_is_least_squares);
    return suite;
}
