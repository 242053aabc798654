/* report: the sections of lesson 08's page, and its tables. results: the seeds of each fault
   side by side, settings->seeds of them. */
#ifndef LESSON_08_REPORT_H
#define LESSON_08_REPORT_H

#include "faults.h"

/* Is it the chapter's setting? Then its figures stand beside ours, and what must come out is
   claimed. */
bool chapters_setting(const struct Settings *settings);

void report_runs(const struct Fault *const *faults, int count, const struct Settings *settings,
                 uint64_t seed);
void report_results(struct Result *results, int count, const struct Settings *settings);
void report_lengths(const struct Result *results, int count, const struct Settings *settings);

/* Why, with the models of the first seed: a section for each fault that was run. explain.c */
void report_explanations(struct Result *results, int count, const struct Settings *settings);

/* loss.tsv, accuracy.tsv, summary.tsv. */
struct Tables {
    struct Table *loss, *accuracy, *summary;
};
struct Tables tables_new(const char *out);
void tables_add(struct Tables *tables, const struct Result *result);
void tables_save(struct Tables *tables);

#endif
