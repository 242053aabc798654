/* test_07: what the tests of lesson 07 share. */
#ifndef TESTS_LESSONS_TEST_07_H
#define TESTS_LESSONS_TEST_07_H

#include "common/model.h"
#include "tests/lessons/lesson.h"

/* A model that trains a step in less than a millisecond: as options, and here. */
#define SMALL " --width 16 --layers 1 "
enum { SMALL_WIDTH = 16, SMALL_HEADS = 2, SMALL_LAYERS = 1 };
struct Model *small_model(void);

#define ALL_FILES "ablation.tsv accuracy.tsv attention.tsv loss.tsv model.safetensors strongest.tsv"

/* A setup: a fresh directory with lesson-07. */
void enter_07(void);

/* A setup: also a directory with files to start from and files to refuse. */
void enter_with_inputs(void);

/* inputs/ones is 12 batches of one string each, of 1, 2, ..., 12 letters. Here is one of them. */
void batch_of_one(int32_t *tokens, int32_t *targets, int step);

/* directory/loss.tsv holds a finite loss for each of the steps; here they are. */
double *losses_of(const char *directory, int steps);

/* The page, and in the directory out the files with what such a run must leave: losses, the
   attention of the model beside them, the parameters that the page counts. */
void check_run(const char *page, int steps, int width, int heads, int layers);

#endif
