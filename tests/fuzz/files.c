/* Files: weights, batches, a Moodle worksheet. What was accepted is read to its last byte, so that
   the sanitizers see a byte too many. */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base.h"
#include "common/checkpoint.h"
#include "common/file.h"
#include "common/loss.h"
#include "common/reversal.h"
#include "common/safetensors.h"
#include "lessons/07-train/source.h"
#include "targets.h"
#include "tests/graders/experiment.h"
#include "tests/graders/gradebook.h"
#include "tests/graders/worksheet.h"

enum { WIDTH = 2, HEADS = 1, LAYERS = 1, MOST_ROWS = 1000 };

static int descriptor;
static char path[PATH_MAX];
static char copies[PATH_MAX];
static struct Model *model;
static struct Batch batch;
static FILE *say; /* nowhere */

void prepare_files(const char *directory)
{
    snprintf(path, sizeof path, "%s/input", directory);
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        die("cannot write %s", printable(path).text);
    }
    snprintf(copies, sizeof copies, "%s/copies", directory);
    directory_make(copies);
    say = fopen("/dev/null", "w");
    model = model_new(model_config(VOCAB, CONTEXT, WIDTH, HEADS, LAYERS), 1);
    batch_new(&batch, 1, CONTEXT);
}

const char *as_file(const uint8_t *bytes, size_t size)
{
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, bytes, size, 0) != (ssize_t)size) {
        die("cannot write %s", printable(path).text);
    }
    return path;
}

static unsigned sum_of(const void *bytes, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + ((const unsigned char *)bytes)[i];
    }
    return sum;
}

/* Every tensor lies in memory of its own, and has as many numbers as its shape says. */
static void check_tensor(const struct TensorFile *file, const struct Tensor *t)
{
    volatile unsigned sum = sum_of(t->data, tensor_bytes(t));
    size_t count = 1;
    (void)sum;
    for (int i = 0; i < t->n_dims; i++) {
        count *= t->shape[i];
    }
    must(count == t->count, "a tensor's count is the product of its shape");
    must((uintptr_t)t->data % 64 == 0, "data are aligned");
    must(safetensors_find(file, t->name) == t, "a tensor is found by its name");
}

void try_safetensors(const uint8_t *bytes, size_t size)
{
    struct TensorFile file;
    char error[TENSOR_ERROR_SIZE] = "";
    if (!safetensors_read(as_file(bytes, size), &file, error)) {
        must(file.count == 0 && file.tensors == NULL && file.data == NULL,
             "a refusal keeps nothing");
        die("%s", error);
    }
    for (int i = 0; i < file.count; i++) {
        check_tensor(&file, &file.tensors[i]);
        must(i == 0 || file.tensors[i].begin >= file.tensors[i - 1].begin, "in order of the data");
    }
    safetensors_metadata(&file, "heads");
    safetensors_free(&file);
}

void try_checkpoint(const uint8_t *bytes, size_t size)
{
    checkpoint_load(model, as_file(bytes, size));
    for (size_t i = 0; i < model->params.size; i++) {
        must(isfinite(model->weights[i]), "weights that were loaded are finite");
    }
}

void try_batches(const uint8_t *bytes, size_t size)
{
    struct TensorFile file;
    struct Source source = source_file(as_file(bytes, size), &file);
    for (int step = 0; step < source.steps && source.batch <= MOST_ROWS; step++) {
        int32_t tokens[MOST_ROWS * CONTEXT], targets_of[MOST_ROWS * CONTEXT];
        source_next(&source, tokens, targets_of);
        for (int i = 0; i < source.batch * CONTEXT; i++) {
            must(tokens[i] >= 0 && tokens[i] < VOCAB, "tokens are in range");
        }
        batch_from_padded(&batch, tokens, targets_of, 1, CONTEXT, true);
        must(batch.rows >= 0 && batch.rows <= CONTEXT, "a batch has no more rows than it had pads");
    }
    safetensors_free(&file);
}

/* Two submissions: one under Moodle's own name, one under a name that may stand in the file. */
void try_worksheet(const uint8_t *bytes, size_t size)
{
    static struct Result result = {
        .exercise = "01-softmax", .state = PASS, .passed = 1, .n_checks = 1};
    static struct Student students[] = {{"Ada Lovelace_1234567_assignsubmission_file_", &result},
                                        {"emmy", &result}};
    static const struct Gradebook book = {"t", students, 2, 1};
    worksheet_fill(worksheet_read(as_file(bytes, size), copies), &book, say);
}

/* No experiment takes the answers of another one; so whose they are makes no difference here. */
void try_answers(const uint8_t *bytes, size_t size)
{
    extern const struct Experiment experiment_scaling, experiment_no_mask;
    const struct Experiment *const both[] = {&experiment_scaling, &experiment_no_mask};
    for (int i = 0; i < 2; i++) {
        struct Result r = experiment_grade(both[i], as_file(bytes, size), copies);
        must(r.passed >= 0 && r.passed <= r.n_checks, "no more checks pass than there are");
        must((r.state == PASS) == (r.passed == r.n_checks), "passed is all of them right");
        for (int j = 0; j < MAX_LINES; j++) {
            char line[LINE + 3];
            snprintf(line, sizeof line, "x%s\n", r.lines[j]);
            must(refused_well(2, line), "what the learner is told is one line");
        }
    }
}
