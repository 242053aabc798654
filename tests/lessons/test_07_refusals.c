/* What cannot be done: exit 2, one line that says why, nothing on stdout, nothing made. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/checkpoint.h"
#include "common/loss.h"
#include "common/reversal.h"
#include "tests/lessons/suites.h"
#include "tests/lessons/test_07.h"

#define REFERENCE "golden/model-reference.safetensors"

/* Behind "./lesson-07 --steps 0 --out out", of which the last of two counts; the line behind
   "lesson-07: ". How options are spelled is for the core's tests. */
static const char *const refused[][2] = {
    {"--steps -1", "--steps takes a whole number from 0 to 10000000, not \"-1\""},
    {"--steps 10000001", "--steps takes a whole number from 0 to 10000000, not \"10000001\""},
    {"--batch 0", "--batch takes a whole number from 1 to 4096, not \"0\""},
    {"--batch 4097", "--batch takes a whole number from 1 to 4096, not \"4097\""},
    {"--width 0", "--width takes a whole number from 1 to 1024, not \"0\""},
    {"--width 1025", "--width takes a whole number from 1 to 1024, not \"1025\""},
    {"--heads 0", "--heads takes a whole number from 1 to 1024, not \"0\""},
    {"--heads 1025", "--heads takes a whole number from 1 to 1024, not \"1025\""},
    {"--layers 0", "--layers takes a whole number from 1 to 64, not \"0\""},
    {"--layers 65", "--layers takes a whole number from 1 to 64, not \"65\""},
    {"--lr -0.001", "--lr takes a number from 0 to 1000, not \"-0.001\""},
    {"--lr 1000.1", "--lr takes a number from 0 to 1000, not \"1000.1\""},
    {"--lengths 0-3", "--lengths takes A-B or A, whole numbers from 1 to 12, not \"0-3\""},
    {"--lengths 3-13", "--lengths takes A-B or A, whole numbers from 1 to 12, not \"3-13\""},
    {"--heads 3", "a width of 64 cannot be split among 3 heads: it must be divisible by ..."},
    {"--width 1", "a width of 1 cannot be split among 2 heads: it must be divisible by ..."},
    {"--reverse abk", "--reverse takes 1 to 12 letters from a to j, not \"abk\""},
    {"--reverse abcdefghijabc", "--reverse takes 1 to 12 letters from a to j, not ..."},
    {"--reverse \"$(printf '\\033c')\"", "--reverse takes ..., not \"\\x1bc\""},
    {"--study shorter", "--study takes longer, not \"shorter\""},
    {"--study longer --width 32", "--study longer takes no --width: it has settings of its own"},
    {"--live", "--live needs a graphical display, and neither DISPLAY nor WAYLAND_DISPLAY is set"},

    {"--init missing", "missing: cannot be opened: No such file or directory"},
    {"--init golden", "golden: is a directory, not a safetensors file"},
    {"--init inputs/text", "inputs/text: its header should have ... not a safetensors file)"},
    {"--init inputs/truncated", "inputs/truncated: ..., but the file has ... bytes of data"},
    {"--width 32 --init " REFERENCE, "...: tok.weight has the shape (12,64), and ...(12,32): ..."},
    {"--layers 3 --init " REFERENCE, "...: the tensor init.blocks.2... is missing"},
    {"--layers 1 --init " REFERENCE,
     "...: this model has no tensor init.blocks.1...: its number of layers..."},
    {"--heads 4 --init " REFERENCE,
     "...: its metadata says 2 heads, and this model has 4 (--heads)"},
    {"--init golden/adamw.safetensors", "...: the tensor tok.weight is missing"},
    {SMALL "--init inputs/nan", "inputs/nan: head.bias holds a NaN or an infinity; ..."},

    {"--batches missing", "missing: cannot be opened: No such file or directory"},
    {"--batches golden/adamw.safetensors", "...: there is no tensor called tokens"},
    {"--batches inputs/no-targets", "inputs/no-targets: there is no tensor called targets"},
    {"--batches inputs/floats", "inputs/floats: tokens is F32; it must be I32"},
    {"--batches inputs/long", "inputs/long: targets is I64; it must be I32"},
    {"--batches inputs/flat", "inputs/flat: tokens must have the shape (steps,batch,25), ..."},
    {"--batches inputs/narrow", "inputs/narrow: tokens must have the shape (steps,batch,25), ..."},
    {"--batches inputs/no-steps", "inputs/no-steps: tokens must ... with at least one step and..."},
    {"--batches inputs/other-shape", "...: tokens and targets have different shapes"},
    {"--batches inputs/high-token", "...: tokens holds 12 in batch 3; tokens go from 0 to 11"},
    {"--batches inputs/low-token", "...: tokens holds -1 in batch 1; tokens go from 0 to 11"},
    {"--batches inputs/high-target", "...: targets holds 12 in batch 12; targets go from 0 to 11, "
                                     "or are -100 for none"},
    {"--batches inputs/low-target", "...: targets holds -1 in batch 2; ..."},
    {"--batches inputs/aimless",
     "...: batch 4 has no target; its loss would be the mean of nothing"},
    {"--batch 8 --batches " REFERENCE, "--batch has no meaning beside --batches: ..."},
    {"--width 32 --heads 1 --layers 1 --init golden/model-no-mask.safetensors",
     "golden/model-no-mask.safetensors: its metadata says 0 for causal (the mask), ..."},
    {"--width 32 --heads 4 --layers 1 --init golden/model-unscaled.safetensors",
     "golden/model-unscaled.safetensors: its metadata says 0 for scaled (the scores), ..."},
    {"--width 32 --heads 2 --layers 2 --init golden/model-query-axis.safetensors",
     "golden/model-query-axis.safetensors: its metadata says query for the softmax axis, ..."},
    {"--steps 21 --batches " REFERENCE,
     "--steps 21: " REFERENCE " holds 20 batches, so it takes 0 to 20"},

    {"--save out/loss.tsv", "--save out/loss.tsv: tables go there; weights need another name, ..."},
    {"--save missing/w", "cannot write missing/w: there is no such directory"},
    {"--save inputs", "cannot write inputs: it is a directory"},
    {"--save golden", "cannot write golden: it is a link or a device, not a plain file"},
    {"--save inputs/text/w", "cannot write inputs/text/w: Not a directory"},
};

START_TEST(what_cannot_be_done_is_refused)
{
    const char *inputs = names_in("inputs");
    for (int i = 0; i < COUNT(refused); i++) {
        char line[300];
        snprintf(line, sizeof line, "lesson-07: %s", refused[i][1]);
        assert_died(sh("./lesson-07 --steps 0 --out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), "golden inputs lesson-07");
    }
    ck_assert_str_eq(names_in("inputs"), inputs);
}
END_TEST

/* Help. */

START_TEST(help_names_every_option_and_its_default)
{
    char *page = page_of("./lesson-07 --lr 7 --nonsense --out out --help");
    assert_like(page, "usage: lesson-07 [options]\n"
                      "...\n  --steps N ...1500)\n  --batch N ...64)\n  --lengths A-B ...3-8)\n"
                      "  --width N ...64)\n  --heads N ...2)\n  --layers N ...2)\n"
                      "  --lr X ...0.003)\n  --init FILE ...fresh ones)\n"
                      "  --batches FILE ...drawn at random)\n  --save FILE ...\n"
                      "  --reverse STRING ...\n  --study longer ...\n  --live ...\n  --seed N ...\n"
                      "  --threads N ...processors)\n  --out DIR ...out/07-train)\n"
                      "  --quiet ...\n  --help ...\n");
    ck_assert_str_eq(names_in("."), "golden lesson-07");
}
END_TEST

/* The files. */

void batch_of_one(int32_t *tokens, int32_t *targets, int step)
{
    struct Rng rng = rng_stream(7, "ones");
    struct String s;
    for (int n = 1; n <= step + 1; n++) {
        s = string_draw(&rng, n, n);
    }
    reversal_example(tokens, targets, &s, false);
}

static int32_t tokens[LONGEST][CONTEXT], targets[LONGEST][CONTEXT];

static const struct Tensor token_tensor = {"tokens",         DTYPE_I32, 3, {LONGEST, 1, CONTEXT},
                                           LONGEST *CONTEXT, tokens,    0};
static const struct Tensor target_tensor = {"targets",        DTYPE_I32, 3, {LONGEST, 1, CONTEXT},
                                            LONGEST *CONTEXT, targets,   0};

static void put_pair(const char *path, struct Tensor first, struct Tensor second)
{
    safetensors_write(path, (struct Tensor[]){first, second}, 2, NULL, 0);
}

static void put_shaped(const char *path, int n_dims, size_t steps, size_t batch, size_t context)
{
    struct Tensor first = token_tensor, second = target_tensor;
    first.n_dims = second.n_dims = n_dims;
    first.shape[0] = second.shape[0] = steps;
    first.shape[1] = second.shape[1] = batch;
    first.shape[2] = second.shape[2] = context;
    first.count = second.count = steps * batch * context;
    put_pair(path, first, second);
}

/* With one number changed for the while. */
static void put_with(const char *path, int32_t *number, int32_t value)
{
    int32_t kept = *number;
    *number = value;
    put_pair(path, token_tensor, target_tensor);
    *number = kept;
}

static void put_batches(void)
{
    static const int64_t zeros[LONGEST * CONTEXT];
    struct Tensor floats = token_tensor, longs = target_tensor, halved = target_tensor;
    for (int step = 0; step < LONGEST; step++) {
        batch_of_one(tokens[step], targets[step], step);
    }
    put_pair("inputs/ones", token_tensor, target_tensor);
    safetensors_write("inputs/no-targets", &token_tensor, 1, NULL, 0);
    floats.dtype = DTYPE_F32;
    put_pair("inputs/floats", floats, target_tensor);
    longs.dtype = DTYPE_I64, longs.data = zeros;
    put_pair("inputs/long", token_tensor, longs);
    halved.shape[0] = LONGEST / 2, halved.shape[1] = 2;
    put_pair("inputs/other-shape", token_tensor, halved);
    put_shaped("inputs/flat", 2, LONGEST, CONTEXT, 1);
    put_shaped("inputs/narrow", 3, CONTEXT, 1, LONGEST);
    put_shaped("inputs/no-steps", 3, 0, 1, CONTEXT);
    put_with("inputs/high-token", &tokens[2][5], VOCAB);
    put_with("inputs/low-token", &tokens[0][0], -1);
    put_with("inputs/high-target", &targets[11][24], VOCAB);
    put_with("inputs/low-target", &targets[1][0], -1);
    for (int t = 0; t < CONTEXT; t++) { /* last of all, as it stays */
        targets[3][t] = IGNORE;
    }
    put_pair("inputs/aimless", token_tensor, target_tensor);
}

void enter_with_inputs(void)
{
    size_t size;
    enter_07();
    ck_assert_int_eq(mkdir("inputs", 0777), 0);
    struct Model *model = small_model();
    model_init(model, 5);
    checkpoint_save(model, "inputs/init");
    model->weights[model->params.size - 1] = NAN;
    checkpoint_save(model, "inputs/nan");
    char *bytes = content(REFERENCE, &size);
    put("inputs/truncated", bytes, size - 1);
    put("inputs/text", "This is a text, and a text is not weights.\n", 43);
    put_batches();
}

void add_07_refusals(Suite *suite)
{
    tcase_add_test(new_case(suite, "refusals", enter_with_inputs), what_cannot_be_done_is_refused);
    tcase_add_test(new_case(suite, "help", enter_07), help_names_every_option_and_its_default);
}
