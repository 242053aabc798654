/* What training makes: PyTorch's losses from PyTorch's batches, the core's weights to the last bit
   from ours, and a model that passes through files unchanged. */
#include <stdlib.h>
#include <string.h>

#include "common/checkpoint.h"
#include "common/reversal.h"
#include "tests/lessons/suites.h"
#include "tests/lessons/test_07.h"

START_TEST(losses_are_as_in_pytorch)
{
    static const char *const cases[][2] = {
        {"golden/model-reference.safetensors", ""},
        {"golden/model-long.safetensors", "--width 48 --heads 3 --layers 3"},
        {"golden/model-every-position.safetensors", "--width 32 --heads 2 --layers 1"}};
    const char *path = cases[_i][0];
    page_of("./lesson-07 %s --init %s --batches %s --out out", cases[_i][1], path, path);
    struct TensorFile file = read_tensors(path);
    const struct Tensor *losses = safetensors_find(&file, "losses");
    double *got = losses_of("out", (int)losses->count); /* --steps: all there are */
    for (size_t i = 0; i < losses->count; i++) {
        double wanted = (double)((const float *)losses->data)[i];
        ck_assert_double_eq_tol(got[i], wanted, 1e-5 * wanted);
    }
}
END_TEST

/* The program must do with the file what the core does with its arrays, to the last bit. */
START_TEST(a_batch_of_one_trains_at_every_length)
{
    static const char command[] = "./lesson-07" SMALL "--init inputs/init --batches inputs/ones";
    char *page = page_of("%s --out all --save end", command), printed[32];
    double *losses = losses_of("all", LONGEST);
    struct Model *model = small_model();
    struct AdamW adamw;
    struct Batch batch;
    checkpoint_load(model, "inputs/init");
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    batch_new(&batch, 1, CONTEXT);
    for (int step = 0; step < LONGEST; step++) {
        int32_t tokens[CONTEXT], targets[CONTEXT];
        batch_of_one(tokens, targets, step);
        batch_from_padded(&batch, tokens, targets, 1, CONTEXT, true);
        snprintf(printed, sizeof printed, "%.9g", model_gradient(model, &batch));
        ck_assert_double_eq(losses[step], strtod(printed, NULL));
        model_update(model, &adamw);
    }
    checkpoint_save(model, "by-hand");
    assert_same("end", "by-hand");
    assert_page(page);
    ck_assert_str_eq(after(page, "zero at every step:"), " 24"); /* 12 letters end at 23 */
    ck_assert_str_eq(after(page, "among the 12 seen: "), "12");

    page_of("%s --steps 5 --out five", command); /* the first five of them */
    ck_assert_mem_eq(losses_of("five", 5), losses, 5 * sizeof *losses);
}
END_TEST

/* How "fgcabe" comes out of the core. */
static char *reversed(const char *weights)
{
    struct Model *model = small_model();
    struct Batch batch;
    struct String string, output;
    char letters[LONGEST + 1] = "", *said;
    batch_new(&batch, 1, CONTEXT);
    checkpoint_load(model, weights);
    string_parse(&string, "fgcabe");
    reversal_decode(model, &batch, &output, &string, 1);
    for (int i = 0; i < output.length; i++) {
        letters[i] = token_letter(output.letters[i]);
    }
    bool right = reversal_right(&string, &output);
    ck_assert(asprintf(&said, "%s: %s", letters, right ? "right" : "wrong") > 0);
    return said;
}

START_TEST(a_saved_model_is_the_model)
{
    static const char *const lines[] = {"fgcabe becomes ", "abcdefghij becomes ", "length    1: ",
                                        "length    9: ", "fresh strings of 1 to 3 letters: "};
    char *trained =
        page_of("./lesson-07" SMALL "--steps 40 --lengths 1-3 --reverse fgcabe --save a "
                "--out trained");
    char *loaded = page_of("./lesson-07" SMALL "--steps 0 --lengths 1-3 --reverse fgcabe --init a "
                           "--save b --out loaded");
    assert_page(loaded);
    assert_same("a", "b");
    assert_same("a", "trained/model.safetensors");
    assert_same("trained/attention.tsv", "loaded/attention.tsv");
    for (int i = 0; i < COUNT(lines); i++) {
        ck_assert_str_eq(after(trained, lines[i]), after(loaded, lines[i]));
    }
    ck_assert_str_eq(after(trained, "fgcabe becomes "), reversed("a"));
    ck_assert_str_ne(after(trained, "fresh strings of 1 to 3 letters: "), "0 right");
}
END_TEST

START_TEST(at_a_learning_rate_of_nothing_the_weights_stand)
{
    char *page = page_of("./lesson-07" SMALL "--init inputs/init --lr 0 --steps 3 --out out");
    assert_same("out/model.safetensors", "inputs/init");
    assert_like(after(page, "  3 steps of 64 strings, AdamW with lr "), "0 ...");
}
END_TEST

/* With ten strings to see, training sees all of them, and learns them. */
START_TEST(a_short_training_learns_single_letters)
{
    char *page = page_of("./lesson-07" SMALL "--lengths 1 --steps 300 --out out");
    double *losses = losses_of("out", 300);
    ck_assert_str_eq(after(page, "distinct strings among the 19,200 seen: "), "10");
    ck_assert_str_eq(after(page, "fresh strings of 1 to 1 letters: "), "500 right");
    ck_assert_str_eq(after(page, "of them training never saw: "), "0 right");
    assert_like(content("out/accuracy.tsv", NULL),
                "set\tlength\tright\ttotal\nfresh\t1\t500\t500\nlonger\t9...");
    ck_assert(losses[0] > 2.0 && losses[299] < 0.1);
}
END_TEST

/* Of 200 strings and of each letter, whatever was learned. */
START_TEST(the_study_counts_all_longer_strings)
{
    char *page = page_of("./lesson-07 --study longer --steps 3 --out out");
    ck_assert_str_eq(names_in("out"), "longer.tsv");
    FILE *table = open_table("out/longer.tsv", "trained\tlength\tright\ttotal\n");
    char trained[40];
    int length, right, total, count = 0, strings = 0;
    while (fscanf(table, "%39[^\t]\t%d\t%d\t%d\n", trained, &length, &right, &total) == 4) {
        ck_assert(length == 9 + count % 4 && right >= 0 && right <= total);
        strings += total;
        count++;
    }
    ck_assert(count == 12 && strings == 3 * 200);
    assert_like(page, "Lesson 07...3 to 8 letters ... 3 ...3 to 12 letters ... 6 ...");
}
END_TEST

void add_07_training(Suite *suite)
{
    TCase *cases = new_case(suite, "training", enter_with_inputs);
    tcase_add_loop_test(cases, losses_are_as_in_pytorch, 0, 3);
    tcase_add_test(cases, a_batch_of_one_trains_at_every_length);
    tcase_add_test(cases, a_saved_model_is_the_model);
    tcase_add_test(cases, at_a_learning_rate_of_nothing_the_weights_stand);
    tcase_add_test(cases, a_short_training_learns_single_letters);
    tcase_add_test(cases, the_study_counts_all_longer_strings);
}
