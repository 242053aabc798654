/* One check for each question. A wrong number is looked for on the pages: where it stands there,
   the learner is told what it is. */
#include "experiment.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"
#include "common/base.h"
#include "common/file.h"

/* What the answers are held against, and what to say of a wrong one. */
struct Marking {
    const struct Experiment *e;
    const char *yours; /* the page of the learner's own change, or NULL */
    struct Answer answers[MAX_CHECKS];
    struct Figure truths[MAX_CHECKS]; /* of the questions that ask for a number */
};

struct Verdict {
    const char *mistake; /* NULL: none that has a name */
    char text[LINE];     /* empty: it is right */
};

static const struct Verdict right;

static struct Verdict wrong(const char *mistake, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static struct Verdict wrong(const char *mistake, const char *format, ...)
{
    struct Verdict verdict = {.mistake = mistake};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict.text, sizeof verdict.text, format, arguments);
    va_end(arguments);
    return verdict;
}

static char *page_of(const struct Marking *m, const struct Place *place)
{
    if (strcmp(place->page, "yours") != 0) {
        return page_read(place->page);
    }
    char *page = m->yours != NULL ? strdup(m->yours) : NULL;
    if (page == NULL) {
        die("%s has no page of a run to grade by", m->e->name);
    }
    return page;
}

static struct Figure figure_of(const struct Marking *m, const struct Place *place)
{
    char *page = page_of(m, place);
    struct Figure figure = page_figure(page, place);
    free(page);
    return figure;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* A count for a share, or a share for a count; right if it is neither. */
static struct Verdict wrong_unit(const struct Marking *m, const struct Question *q, double value,
                                 const struct Figure *truth)
{
    if (q->all.page == NULL) {
        return right;
    }
    const struct Figure all = figure_of(m, &q->all);
    double strings = figure_value(&all);
    double share = figure_value(truth) / (truth->percent ? 100.0 : strings);
    if (truth->percent && near(value, share * strings)) {
        return wrong("count",
                     "That is how many of the %s strings are right; the page says it in "
                     "percent.",
                     all.text);
    }
    if (truth->percent && near(value, share)) {
        return wrong("fraction", "That is a fraction of 1; the page says it in percent.");
    }
    if (!truth->percent && (near(value, share) || near(value, 100.0 * share))) {
        return wrong("share", "That is a share of the %s strings; the question is how many.",
                     all.text);
    }
    return right;
}

/* Another number that the learner had before the eyes; right if it is none. */
static struct Verdict mistaken(const struct Marking *m, int i, const struct Figure *given)
{
    const struct Question *q = &m->e->questions[i];
    for (const struct Other *o = q->others; o < q->others + MAX_OTHERS && o->id != NULL; o++) {
        struct Figure other = figure_of(m, &o->place);
        if (figure_same(given, &other)) {
            return wrong(o->id, "%s", o->sentence);
        }
    }
    for (int j = 0; j < m->e->n_questions; j++) {
        const struct Question *other = &m->e->questions[j];
        if (other->run != NULL && figure_same(given, &m->truths[j])) {
            return wrong("exchanged", "That is the answer to %s, of run %s.", other->name,
                         other->run);
        }
    }
    struct Figure row[MAX_FIGURES];
    char *page = page_of(m, &q->place);
    int n = page_figures(row, page, &q->place);
    free(page);
    for (int j = 0; j < n; j++) {
        if (figure_same(given, &row[j])) {
            return wrong("column",
                         "That is number %d of the line; the question is about number %d.", j + 1,
                         q->place.number);
        }
    }
    return right;
}

/* Is it the right number with fewer digits, rounded or cut off? */
static bool rounded(const struct Figure *given, const struct Figure *truth)
{
    const char *point = strchr(given->text, '.');
    double unit = pow(10.0, point != NULL ? -(double)strlen(point + 1) : 0.0);
    double above = figure_value(given) - figure_value(truth);
    return strchr(truth->text, '.') != NULL && above > -unit && above <= 0.5 * unit;
}

static struct Verdict explain(const struct Marking *m, int i, const struct Figure *given)
{
    const struct Question *q = &m->e->questions[i];
    const struct Figure *truth = &m->truths[i];
    struct Verdict verdict = wrong_unit(m, q, figure_value(given), truth);
    if (verdict.text[0] == '\0') {
        verdict = mistaken(m, i, given);
    }
    if (verdict.text[0] != '\0') {
        return verdict;
    }
    if (rounded(given, truth)) {
        return wrong("rounded", "Write all digits that the page prints.");
    }
    if (strcmp(truth->text, "never") == 0) {
        return wrong("not-never", "The page of run %s has no number there, but a word.", q->run);
    }
    return wrong(NULL, "The page of run %s has another number behind \"%s\", under \"%s\".", q->run,
                 q->place.row, q->place.section);
}

static struct Verdict judge_number(const struct Marking *m, int i)
{
    const char *value = m->answers[i].value;
    struct Figure given;
    if (!figure_parse(&given, value)) {
        bool comma = strchr(value, ',') != NULL && strspn(value, "0123456789,% ") == strlen(value);
        return wrong("form", comma ? "Write a point before the fraction, and no comma."
                                   : "Write the number alone, as the page prints it.");
    }
    bool same = figure_same(&given, &m->truths[i]);
    if (same && given.percent && !m->truths[i].percent) {
        return wrong("form", "Leave out the %% sign, as the page does.");
    }
    return same ? right : explain(m, i, &given);
}

static struct Verdict judge_choice(const struct Question *q, const char *value)
{
    int letter = tolower((unsigned char)value[0]) - 'a';
    if (value[1] != '\0' || letter < 0 || letter >= CHOICES) {
        return wrong("form", "Write one letter, a to d.");
    }
    const struct Choice *choice = &q->choices[letter];
    return choice->sentence != NULL ? wrong(choice->id, "%s", choice->sentence) : right;
}

static void note_right(struct Result *result, int check)
{
    result->checks[check].state = PASS;
    result->passed++;
}

/* The first that is wrong is what the learner is told. mistake may be NULL. */
static void note_wrong(struct Result *result, int check, const char *mistake, const char *text)
{
    result->checks[check].state = WRONG;
    write_line(result->checks[check].text, "%s", text);
    if (result->lines[0][0] == '\0') {
        result_add(result, text);
        snprintf(result->mistake, sizeof result->mistake, "%s", mistake != NULL ? mistake : "");
    }
}

static void judge(const struct Marking *m, int i, struct Result *result, int check)
{
    const struct Question *q = &m->e->questions[i];
    const struct Answer *a = &m->answers[i];
    struct Verdict verdict = q->run != NULL ? judge_number(m, i) : judge_choice(q, a->value);
    if (verdict.text[0] == '\0') {
        note_right(result, check);
        return;
    }
    char text[LINE];
    write_line(text, "%s = %s (line %d): %s", q->name, printable(a->value).text, a->line,
               verdict.text);
    note_wrong(result, check, verdict.mistake, text);
}

static int count_empty(const struct Marking *m)
{
    int empty = 0;
    for (int i = 0; i < m->e->n_questions; i++) {
        empty += m->answers[i].value[0] == '\0';
    }
    return empty;
}

static void say_empty(const struct Marking *m, struct Result *result)
{
    char line[LINE] = "";
    for (int i = 0; i < m->e->n_questions; i++) {
        if (m->answers[i].value[0] == '\0') {
            size_t n = strlen(line);
            snprintf(line + n, LINE - n, "%s%s",
                     n > 0 ? ", " : "Still empty: ", m->answers[i].name);
        }
    }
    result_add(result, line);
}

/* The answers are the checks from `first` on. */
static void judge_answers(struct Marking *m, struct Result *result, int first)
{
    for (int i = 0; i < m->e->n_questions; i++) {
        if (m->e->questions[i].run != NULL) {
            m->truths[i] = figure_of(m, &m->e->questions[i].place);
        }
    }
    for (int i = 0; i < m->e->n_questions; i++) {
        if (m->answers[i].value[0] != '\0') {
            judge(m, i, result, first + i);
        }
    }
    say_empty(m, result);
}

/* The function in the answer.c beside the answers is check 0. Returns whether its run can be asked
   about. */
static bool judge_change(struct Marking *m, const char *path, const char *build,
                         struct Result *result, struct Change *change)
{
    char answer_c[4096];
    const char *slash = strrchr(path, '/');
    int length = slash != NULL ? (int)(slash - path + 1) : 0;
    snprintf(answer_c, sizeof answer_c, "%.*sanswer.c", length, path);
    *change = m->e->change(answer_c, build);
    m->yours = change->page;
    if (change->how == FAIR) {
        note_right(result, 0);
        return true;
    }
    /* It is this file that needs the learner's hand. */
    snprintf(result->file, sizeof result->file, "exercises/%s/answer.c", m->e->name);
    if (change->how == REFUSED) {
        note_wrong(result, 0, change->mistake, change->text);
        result->state = change->state;
        result->checks[0].state = change->state == COMPILE ? TODO : change->state;
    } else if (count_empty(m) < m->e->n_questions) {
        note_wrong(result, 0, "unchanged",
                   "answer.c is as it was: change it, then say what came of it.");
        result->state = WRONG;
    }
    return false;
}

struct Result experiment_not_started(const struct Experiment *e)
{
    int first = e->change != NULL;
    struct Result result = {.state = TODO, .n_checks = first + e->n_questions};
    snprintf(result.exercise, sizeof result.exercise, "%s", e->name);
    snprintf(result.lesson, sizeof result.lesson, "%s", e->lesson);
    snprintf(result.file, sizeof result.file, "exercises/%s/answer.txt", e->name);
    snprintf(result.checks[0].name, sizeof result.checks[0].name, "the change");
    for (int i = 0; i < e->n_questions; i++) {
        snprintf(result.checks[first + i].name, sizeof result.checks->name, "%s",
                 e->questions[i].name);
    }
    return result;
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct Result experiment_grade(const struct Experiment *e, const char *path, const char *build)
{
    double start = seconds_now();
    struct Result result = experiment_not_started(e);
    struct Marking m = {.e = e};
    struct Change change = {0};
    char complaint[LINE];
    for (int i = 0; i < e->n_questions; i++) {
        m.answers[i].name = e->questions[i].name;
    }
    if (!answers_read(m.answers, e->n_questions, path, complaint)) {
        result.state = COMPILE;
        result_add(&result, complaint);
        write_line(complaint, "make reset-%.2s begins anew, and keeps what is there.", e->name);
        result_add(&result, complaint);
    } else if (e->change != NULL ? judge_change(&m, path, build, &result, &change)
                                 : count_empty(&m) < e->n_questions) {
        judge_answers(&m, &result, e->change != NULL);
        result.state = result.passed == result.n_checks ? PASS : WRONG;
    }
    free(change.page);
    result.seconds = seconds_now() - start;
    return result;
}
