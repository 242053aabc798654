/* Lesson 04: where numbers lie, from indices alone; and what heads compute, in double and without
   any split. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

/* The shape of sections 4 to 7. */
enum { T = 5, C = 12, H = 3, D = C / H };

static void enter_04(void)
{
    enter_lesson("lesson-04");
}

/* Sections 1 to 3, for many shapes. */

static const int shapes[][3] = {{5, 3, 4}, {1, 1, 2}, {1, 4, 3}, {8, 1, 4},
                                {8, 4, 4}, {2, 2, 2}, {7, 4, 3}, {3, 2, 4}}; /* T, H, d */

/* Token and slice of what lies at this place in pictures 1 to 3 of the figure. */
static void source_of(int *token, int *slice, int picture, int place, const int *s)
{
    int row = place / s[2];
    *token = picture == 2 ? row % s[0] : row / s[1];
    *slice = picture == 2 ? row / s[0] : row % s[1];
}

START_TEST(every_number_lies_where_indices_say)
{
    const int *s = shapes[_i];
    int picture, place, token, slice, t, h, rows = 0, same = 0;
    char words[60], tokens[60] = "";
    char *page =
        page_of("./lesson-04 --out out --tokens %d --heads %d --d-head %d", s[0], s[1], s[2]);
    assert_page(page);
    FILE *table = open_table("out/layout.tsv", "picture\tplace\ttoken\tslice\n");
    while (fscanf(table, "%d\t%d\t%d\t%d\n", &picture, &place, &token, &slice) == 4) {
        ck_assert_int_eq(picture, rows / (s[0] * s[1] * s[2]) + 1);
        ck_assert_int_eq(place, rows % (s[0] * s[1] * s[2]));
        source_of(&t, &h, picture, place, s);
        ck_assert_int_eq(token, t);
        ck_assert_int_eq(slice, h);
        rows++;
    }
    ck_assert(feof(table) && rows == 3 * s[0] * s[1] * s[2]);
    for (int row = 0; row < s[0] * s[1]; row++) {
        same += row % s[0] == row / s[1] && row / s[0] == row % s[1] ? s[2] : 0;
    }
    snprintf(words, sizeof words, "%d of %d", same, rows / 3);
    ck_assert_str_eq(after(page, "\n  numbers where the split puts them: "), words);
    for (int row = (s[1] - 1) * s[0]; row < s[1] * s[0]; row++) { /* the last head */
        snprintf(tokens + strlen(tokens), 4, " %d", row / s[1]);
    }
    snprintf(words, sizeof words, "\n  the rows of h%d come from tokens ", s[1] - 1);
    ck_assert_str_eq(after(page, words), tokens);
}
END_TEST

/* What the page says of shape and strides. */
START_TEST(strides_are_those_of_the_shape)
{
    char *page = page_of("./lesson-04 --out out --tokens 7 --heads 2 --d-head 3");
    assert_like(after(page, "\n  x (T,D) "), "...(7,6)   (6,1) ...");
    assert_like(after(page, "\n  view as (T,H,d) "), "...(7,2,3) (6,3,1) ...");
    assert_like(after(page, "\n  exchange T and H "), "...(2,7,3) (3,6,1) ...");
    assert_like(after(page, "\n  copy "),
                "...(2,7,3) (21,3,1) ...   0   1   2   6   7   8  12  13");
    ck_assert_str_eq(after(page, "\n  row   6:"), "  36  37  38 |  39  40  41");
}
END_TEST

/* Sections 4 to 7: x and the weights as the lesson draws them. */

static float x[T * C], w[3 * C * C];

/* qkv (3,T,C) */
static void draw_04(double qkv[3][T][C], uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "heads");
    rng_normal(&rng, x, T * C);
    rng_normal(&rng, w, 3 * C * C);
    for (int i = 0; i < 3 * T * C; i++) {
        double sum = 0.0;
        for (int j = 0; j < C; j++) {
            sum += (double)x[i / C % T * C + j] * (double)w[(i / (T * C) * C + i % C) * C + j];
        }
        qkv[i / (T * C)][i / C % T][i % C] = sum / sqrt(C);
    }
}

static double score(double a[T][C], double b[T][C], int head, int query, int key)
{
    double sum = 0.0;
    for (int i = head * D; i < (head + 1) * D; i++) {
        sum += a[query][i] * b[key][i];
    }
    return sum / sqrt(D);
}

START_TEST(weights_are_those_of_double)
{
    static const int seeds[] = {5, 0, 123};
    double qkv[3][T][C], weight;
    draw_04(qkv, (uint64_t)seeds[_i]);
    page_of("./lesson-04 --out out --seed %d", seeds[_i]);
    FILE *table = open_table("out/attention.tsv", "block\thead\tquery\tkey\tweight\n");
    for (int row = 0; row < H * T; row++) {
        double sum = 0.0;
        for (int key = 0; key <= row % T; key++) {
            sum += exp(score(qkv[0], qkv[1], row / T, row % T, key));
        }
        for (int key = 0, b, h, q, k; key <= row % T; key++) {
            int n = fscanf(table, "%d\t%d\t%d\t%d\t%lf\n", &b, &h, &q, &k, &weight);
            ck_assert(n == 5 && b == 1 && h == row / T + 1 && q == row % T && k == key);
            double wanted = exp(score(qkv[0], qkv[1], row / T, row % T, key)) / sum;
            ck_assert_double_eq_tol(weight, wanted, 2e-6);
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
}
END_TEST

START_TEST(scores_on_the_page_are_those_of_double)
{
    double qkv[3][T][C], largest = 0.0;
    draw_04(qkv, 5);
    char *page = page_of("./lesson-04 --out out"), *end;
    const char *at = strstr(page, "W_K = W_Q\n ");
    ck_assert_ptr_nonnull(at);
    at += strlen("W_K = W_Q\n");
    for (int i = 0; i < T * 2 * T; i++, at = end) {
        int query = i / (2 * T), key = i % T, own = i % (2 * T) < T;
        double wanted = score(qkv[0], own ? qkv[1] : qkv[0], 0, query, key);
        double apart = wanted - score(qkv[0], qkv[1], 0, key, query);
        largest = own && fabs(apart) > largest ? fabs(apart) : largest;
        ck_assert_double_eq_tol(strtod(at, &end), wanted, 0.00501);
    }
    const char *words = after(page, "\n  largest difference across the diagonal: ");
    ck_assert_double_eq_tol(atof(words), largest, 0.00501);
    ck_assert_ptr_nonnull(strstr(words, " its own, 0 with W_Q"));
}
END_TEST

/* A fault takes memory as it lies: row r of (H,T,d) is then slice r%H of token r/H. */
static bool reaches(int fault, int row, int token)
{
    bool in_split = fault == 2 || fault == 4, in_merge = fault == 3 || fault == 4;
    for (int slice = 0; slice < H; slice++) {
        int last = in_merge ? row * H + slice : slice * T + row; /* the query's row of (H,T,d) */
        for (int r = last / T * T; r <= last; r++) {
            if ((in_split ? r / H : r % T) == token) {
                return true;
            }
        }
    }
    return false;
}

START_TEST(what_reaches_a_row_follows_from_indices)
{
    int leaks[4] = {0}, misses[4] = {0}, fault, row, token, reached, n = 0;
    char *page = page_of("./lesson-04 --out out"), words[2][100];
    FILE *table = open_table("out/reach.tsv", "fault\trow\ttoken\treached\n");
    for (; fscanf(table, "%d\t%d\t%d\t%d\n", &fault, &row, &token, &reached) == 4; n++) {
        ck_assert(fault == n / (T * T) + 1 && row == n / T % T && token == n % T);
        ck_assert_msg(reached == reaches(fault, row, token), "fault %d, row %d, token %d: %d",
                      fault, row, token, reached);
        leaks[fault - 1] += reached && token > row;
        misses[fault - 1] += !reached && token <= row;
    }
    ck_assert(feof(table) && n == 4 * T * T);
    for (int i = 0; i < 2; i++) {
        const int *counts = i == 0 ? leaks : misses;
        snprintf(words[i], sizeof words[i], "...%d   ...%d   ...%d   ...%d", counts[0], counts[1],
                 counts[2], counts[3]);
        assert_like(after(page, i == 0 ? "\n  leaks   " : "\n  misses  "), words[i]);
    }
}
END_TEST

/* Section 8, with the slope of the loss by differences in double. */

enum { TWO = 2, HALF = C / TWO, QKV = 3 * C * C, ALL = QKV + C * C };
static float tokens[T * C], wanted[T * C], drawn[ALL];

/* Half the mean square times C: the slope of what is descended. params: W_Q, W_K, W_V, W_O. */
static double two_heads_loss(const double *params)
{
    double qkv[3][T][C], loss = 0.0;
    for (int i = 0; i < 3 * T * C; i++) {
        double sum = 0.0;
        for (int j = 0; j < C; j++) {
            sum += (double)tokens[i / C % T * C + j] * params[(i / (T * C) * C + i % C) * C + j];
        }
        qkv[i / (T * C)][i / C % T][i % C] = sum;
    }
    for (int t = 0; t < T; t++) {
        double mixed[C] = {0.0};
        for (int i = 0; i < C; i++) {
            double total = 0.0;
            for (int key = 0; key <= t; key++) {
                double s = 0.0;
                for (int j = i / HALF * HALF; j < (i / HALF + 1) * HALF; j++) {
                    s += qkv[0][t][j] * qkv[1][key][j];
                }
                total += exp(s / sqrt(HALF));
                mixed[i] += exp(s / sqrt(HALF)) * qkv[2][key][i];
            }
            mixed[i] /= total;
        }
        for (int i = 0; i < C; i++) {
            double y = 0.0;
            for (int j = 0; j < C; j++) {
                y += mixed[j] * params[QKV + i * C + j];
            }
            loss += (y - (double)wanted[t * C + i]) * (y - (double)wanted[t * C + i]) / (2 * T);
        }
    }
    return loss;
}

static double heads_apart(const double *params)
{
    double largest = 0.0;
    for (int i = 0; i < QKV; i++) {
        double other = i / C % C < HALF ? params[i + HALF * C] : params[i - HALF * C];
        largest = fmax(largest, fabs(params[i] - other));
    }
    return largest;
}

START_TEST(two_heads_take_the_step_of_double)
{
    static const char *const names[] = {"\n  nothing ", "\n  W_Q, W_K, W_V   ",
                                        "\n  these and W_O's columns "};
    static double params[ALL], next[ALL];
    struct Rng rng = rng_stream(5, "two heads");
    double apart[4];
    rng_normal(&rng, tokens, T * C);
    rng_normal(&rng, wanted, T * C);
    rng_uniform(&rng, drawn, QKV, 1.0f / sqrtf(C));
    rng_uniform(&rng, drawn + QKV, C * C, 1.0f / sqrtf(C));
    for (int i = 0; i < ALL; i++) {
        bool copied = i < QKV ? _i >= 1 && i / C % C >= HALF : _i == 2 && i % C >= HALF;
        params[i] = (double)drawn[!copied ? i : i < QKV ? i - HALF * C : i - HALF];
    }
    for (int i = 0; i < ALL; i++) {
        double keep = params[i], h = 1e-5;
        params[i] = keep + h;
        double up = two_heads_loss(params);
        params[i] = keep - h;
        next[i] = keep - 0.1 * (up - two_heads_loss(params)) / (2 * h);
        params[i] = keep;
    }
    char *line = after(page_of("./lesson-04 --out out"), names[_i]);
    ck_assert_int_eq(sscanf(line, "%lf %lf %lf %lf", &apart[0], &apart[1], &apart[2], &apart[3]),
                     4);
    ck_assert_double_eq_tol(apart[0], heads_apart(params), 0.0000501);
    ck_assert_double_eq_tol(apart[1], heads_apart(next), 0.0000511);
    ck_assert_msg((apart[3] == 0.0) == (_i == 2), "%s", line);
}
END_TEST

/* The page. */

START_TEST(the_count_is_four_squares)
{
    static const int cuts[][2] = {{64, 1},  {64, 2},  {64, 4},  {384, 1},
                                  {384, 2}, {384, 6}, {384, 12}};
    char *page = page_of("./lesson-04 --out out"), words[40];
    for (int i = 0; i < COUNT(cuts); i++) {
        int width = cuts[i][0];
        snprintf(words, sizeof words, "\n  %5d   %2d of %-3d ", width, cuts[i][1],
                 width / cuts[i][1]);
        const char *count = after(page, words);
        count += strspn(count, " ");
        int thousands = atoi(count);
        ck_assert_int_eq(thousands * 1000 + atoi(strchr(count, ',') + 1), 4 * width * width);
    }
}
END_TEST

/* A seed is for what is random: sections 1 to 3 and 6 stay as they are; no claim fails. */
START_TEST(claims_hold_for_any_seed)
{
    char *page = page_of("./lesson-04 --out out");
    size_t same = (size_t)(strstr(page, "\n4. ") - page);
    for (int seed = 100; seed < 130; seed++) {
        char *other = page_of("./lesson-04 --out out --seed %d", seed);
        ck_assert(strncmp(page, other, same) == 0 && strcmp(page, other) != 0);
        ck_assert_str_eq(after(page, "\n  misses  "), after(other, "\n  misses  "));
    }
}
END_TEST

static const char *const refused[][2] = {
    {"--tokens 0", "--tokens takes a whole number from 1 to 8, not \"0\""},
    {"--tokens 9", "--tokens takes a whole number from 1 to 8, not \"9\""},
    {"--tokens 2.5", "--tokens takes a whole number from 1 to 8, not \"2.5\""},
    {"--heads 0", "--heads takes a whole number from 1 to 4, not \"0\""},
    {"--heads 5", "--heads takes a whole number from 1 to 4, not \"5\""},
    {"--d-head 1", "--d-head takes a whole number from 2 to 4, not \"1\""},
    {"--d-head 5", "--d-head takes a whole number from 2 to 4, not \"5\""},
    {"--d-head", "--d-head needs a value: a whole number from 2 to 4"},
};

START_TEST(what_does_not_fit_is_refused)
{
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-04: %s", refused[i][1]);
        assert_died(sh("./lesson-04 --out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), "golden lesson-04");
    }
}
END_TEST

/* The largest example is as wide as the page may be. */
START_TEST(no_line_is_too_long)
{
    char *page = page_of("./lesson-04 --out out --tokens 8 --heads 4 --d-head 4");
    for (const char *line = page; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_uint_le(strcspn(line, "\n"), 80);
    }
}
END_TEST

Suite *lesson_04_suite(void)
{
    Suite *suite = suite_create("lesson 04");
    TCase *cases = new_case(suite, "lesson 04", enter_04);
    tcase_add_loop_test(cases, every_number_lies_where_indices_say, 0, COUNT(shapes));
    tcase_add_test(cases, strides_are_those_of_the_shape);
    tcase_add_loop_test(cases, weights_are_those_of_double, 0, 3);
    tcase_add_test(cases, scores_on_the_page_are_those_of_double);
    tcase_add_test(cases, what_reaches_a_row_follows_from_indices);
    tcase_add_loop_test(cases, two_heads_take_the_step_of_double, 0, 3);
    tcase_add_test(cases, the_count_is_four_squares);
    tcase_add_test(cases, claims_hold_for_any_seed);
    tcase_add_test(cases, what_does_not_fit_is_refused);
    tcase_add_test(cases, no_line_is_too_long);
    return suite;
}
