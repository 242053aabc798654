/* Lesson 07: the same bytes whatever stands around it, and what its tests share. */
#include "tests/lessons/test_07.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checkpoint.h"
#include "common/loss.h"
#include "common/reversal.h"
#include "tests/lessons/suites.h"

START_TEST(threads_and_place_change_no_byte)
{
    char *one = page_of("./lesson-07 --steps 30 --threads 1 --out one --save w");
    char *three = page_of("./lesson-07 --steps 30 --threads 3 --out three/deep/ --quiet --save v");
    assert_page(one);
    assert_same_page(three, one);
    assert_same("one", "three/deep");
    assert_same("w", "v");
    assert_same("w", "one/model.safetensors");
    assert_without(one, "chapter: "); /* its figures stand beside its own run only */
}
END_TEST

START_TEST(another_seed_is_another_run)
{
    static const char *const files[] = {"loss.tsv", "attention.tsv", "model.safetensors"};
    char *one = page_of("./lesson-07" SMALL "--steps 5 --out one --seed 1");
    char *same = page_of("./lesson-07" SMALL "--steps 5 --out same --seed 1");
    char *two = page_of("./lesson-07" SMALL "--steps 5 --out two --seed 2");
    assert_same_page(same, one);
    for (int i = 0; i < COUNT(files); i++) {
        ck_assert_int_ne(sh("cmp one/%s two/%s", files[i], files[i]).status, 0);
    }
    const char longer[] = "  length    9: "; /* other strings to test: how many there are of each */
    ck_assert_str_ne(after(one, longer), after(two, longer));
}
END_TEST

/* What the tests share. */

void enter_07(void)
{
    enter_lesson("lesson-07");
}

struct Model *small_model(void)
{
    return model_new(model_config(VOCAB, CONTEXT, SMALL_WIDTH, SMALL_HEADS, SMALL_LAYERS), 1);
}

double *losses_of(const char *directory, int steps)
{
    char path[100];
    double *losses = calloc((size_t)steps + 1, sizeof *losses), loss;
    snprintf(path, sizeof path, "%s/loss.tsv", directory);
    FILE *table = open_table(path, "step\tloss\n");
    int count = 0;
    for (int step; fscanf(table, "%d\t%lf\n", &step, &loss) == 2; count++) {
        ck_assert(step == count + 1 && count < steps && isfinite(loss) && loss > 0.0);
        losses[count] = loss;
    }
    ck_assert(feof(table) && count == steps);
    return losses;
}

/* Each query's weights are those of the model beside them, for fgcabe|ebacgf, and add up to 1. */
static void check_attention(int width, int heads, int layers)
{
    enum { LENGTH = 13 };
    int32_t tokens[CONTEXT], targets[CONTEXT];
    struct String string;
    struct Batch batch;
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, width, heads, layers), 1);
    checkpoint_load(model, "out/model.safetensors");
    string_parse(&string, "fgcabe");
    reversal_example(tokens, targets, &string, false);
    batch_new(&batch, 1, CONTEXT);
    batch_add(&batch, tokens, NULL, LENGTH);
    model_forward(model, &batch);
    FILE *table = open_table("out/attention.tsv", "block\thead\tquery\tkey\tweight\n");
    for (int map = 0; map < layers * heads; map++) {
        for (int query = 0; query < LENGTH; query++) {
            double sum = 0.0, weight;
            for (int key = 0, b, h, q, k; key <= query; key++, sum += weight) {
                int n = fscanf(table, "%d\t%d\t%d\t%d\t%lf\n", &b, &h, &q, &k, &weight);
                float wanted = model_attention(model, map / heads, map % heads, 0, query, key);
                if (n != 5 || b != map / heads + 1 || h != map % heads + 1 || q != query ||
                    k != key || !(fabs(weight - (double)wanted) <= 1e-6)) {
                    ck_abort_msg("block %d, head %d, query %d, key %d: %g, the model has %g", b, h,
                                 q, k, weight, (double)wanted);
                }
            }
            ck_assert_double_eq_tol(sum, 1.0, 1e-5);
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
}

/* Of each head and row from the separator on: the key with the largest weight in attention.tsv, and
   whether its letter is the one to be written next. */
static void check_strongest(int heads, int layers)
{
    float(*weights)[13][13] = calloc((size_t)(layers * heads), sizeof *weights);
    FILE *attention = open_table("out/attention.tsv", "block\thead\tquery\tkey\tweight\n");
    int block, head, query, key, wanted;
    char query_token, key_token;
    float weight;
    while (fscanf(attention, "%d %d %d %d %f", &block, &head, &query, &key, &weight) == 5) {
        weights[(block - 1) * heads + head - 1][query][key] = weight;
    }
    FILE *table = open_table("out/strongest.tsv",
                             "block\thead\tquery\tquery_token\tkey\tkey_token\tweight\twanted\n");
    for (int i = 0; i < layers * heads * 6; i++) {
        ck_assert_int_eq(fscanf(table, "%d %d %d %c %d %c %f %d", &block, &head, &query,
                                &query_token, &key, &key_token, &weight, &wanted),
                         8);
        const float *row = weights[(block - 1) * heads + head - 1][query];
        ck_assert(block == i / 6 / heads + 1 && head == i / 6 % heads + 1 && query == 6 + i % 6);
        ck_assert(query_token == "fgcabe|ebacgf"[query] && key_token == "fgcabe|ebacgf"[key]);
        ck_assert(weight == row[key] && wanted == (key == 11 - query));
        for (int other = 0; other <= query; other++) {
            ck_assert(row[other] <= weight);
        }
    }
}

/* The whole model first; each part that is taken away leaves what is right of 200. */
static void check_ablation(int heads, int layers)
{
    FILE *table = open_table("out/ablation.tsv", "part\tright\ttotal\n");
    char part[40];
    int right, total, count = 0;
    while (fscanf(table, "%39[^\t]\t%d\t%d\n", part, &right, &total) == 3) {
        ck_assert(total == 200 && right >= 0 && right <= 200);
        ck_assert(count > 0 || strcmp(part, "nothing") == 0);
        count++;
    }
    ck_assert_int_eq(count, 1 + (layers * heads <= 16 ? layers * (heads + 3) : 0));
}

/* "1,600" as 1600. */
static size_t number(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++) {
        n = *text == ',' || *text == ' ' ? n : 10 * n + (size_t)(*text - '0');
    }
    return n;
}

/* "NAME SHAPE COUNT" lines of the page add up to its "all", and that is what the file holds. */
static void check_parameters(const char *page)
{
    struct TensorFile file = read_tensors("out/model.safetensors");
    size_t total = 0;
    for (int i = 0; i < file.count; i++) {
        const struct Tensor *t = &file.tensors[i];
        char begin[100];
        snprintf(begin, sizeof begin, "\n  %s ", t->name);
        ck_assert_uint_eq(number(strrchr(after(page, begin), ' ')), t->count);
        ck_assert_msg(tensor_all_finite(t), "%s is not finite", t->name);
        total += t->count;
    }
    ck_assert_uint_eq(number(after(page, "\n  all ")), total);
}

void check_run(const char *page, int steps, int width, int heads, int layers)
{
    assert_page(page);
    ck_assert_str_eq(names_in("out"), ALL_FILES);
    losses_of("out", steps);
    check_attention(width, heads, layers);
    check_strongest(heads, layers);
    check_ablation(heads, layers);
    check_parameters(page);
}

Suite *lesson_07_suite(void)
{
    Suite *suite = suite_create("lesson 07");
    TCase *cases = new_case(suite, "same bytes", enter_07);
    tcase_add_test(cases, threads_and_place_change_no_byte);
    tcase_add_test(cases, another_seed_is_another_run);
    add_07_refusals(suite);
    add_07_training(suite);
    add_07_files(suite);
    add_07_ends(suite);
    return suite;
}
