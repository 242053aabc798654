#include "learner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "common/base.h"
#include "common/file.h"
#include "course.h"
#include "report.h"
#include "stub.h"
#include "text.h"

const char *build_directory = "build";

/* exercises/NN-name/file */
static const char *path_of(int i, const char *file)
{
    static char paths[2][LINE];
    static int turn;
    turn = !turn;
    write_line(paths[turn], "exercises/%s/%s", course_name(i), file);
    return paths[turn];
}

static struct Result grade(int i, const struct Settings *s)
{
    char directory[LINE];
    write_line(directory, "exercises/%s", course_name(i));
    return course_grade(i, directory, "answers", &s->grading);
}

static int chosen(const struct Settings *s)
{
    if (s->only == NULL) {
        die("say which exercise: --only 02");
    }
    return course_find(s->only);
}

/* What comes after an exercise that passes. */
static void print_onward(FILE *stream, const struct Result *r)
{
    int number = atoi(r->exercise);
    if (r->state == PASS) {
        fprintf(stream, "make solution-%02d shows ours; make next goes on.\n", number);
    }
}

int learner_check(const struct Settings *s)
{
    int first = s->only != NULL ? chosen(s) : 0;
    int n = s->only != NULL ? 1 : course_size(), status = 0;
    FILE *rows = s->report != NULL && s->file == NULL ? stderr : stdout;
    struct Result *results = zeros_new((size_t)n, sizeof *results);
    if (s->report != NULL) {
        report_check(s->report, s->file);
    }
    for (int i = 0; i < n; i++) {
        results[i] = grade(first + i, s);
        (s->only != NULL ? report_details : report_row)(rows, &results[i]);
        fflush(rows);
        status |= state_fails(results[i].state, s->strict);
    }
    report_summary(rows, results, n);
    build_notes(rows);
    if (s->only != NULL) {
        print_onward(rows, &results[0]);
    }
    if (s->report != NULL) {
        report_write(s->report, s->file, results, n, s->strict);
    }
    free(results);
    return status;
}

/* In lines of at most 80 columns; text is cut into its words. */
static void print_paragraph(char *text)
{
    int at = 0;
    for (char *word; (word = strsep(&text, " \n")) != NULL;) {
        int width = text_width(word, strlen(word));
        if (width == 0) {
            continue;
        }
        bool fits = at > 0 && at + 1 + width <= 80;
        printf("%s%s", at == 0 ? "" : fits ? " " : "\n", word);
        at = fits ? at + 1 + width : width;
    }
    printf("\n");
}

/* The first line of a page, without the "# ", then its first paragraph. */
static void print_beginning(const char *page)
{
    char *text = file_text(page), *title = text + strspn(text, "# ");
    char *paragraph = strstr(title, "\n\n");
    char *end = paragraph != NULL ? strstr(paragraph + 2, "\n\n") : NULL;
    if (end != NULL) {
        *end = '\0';
    }
    printf("%.*s\n\n", (int)strcspn(title, "\n"), title);
    if (paragraph != NULL) {
        print_paragraph(paragraph);
        printf("\n");
    }
    free(text);
}

int learner_next(const struct Settings *s)
{
    for (int i = 0; i < course_size(); i++) {
        struct Result r = grade(i, s);
        if (r.state == PASS) {
            continue;
        }
        int number = atoi(r.exercise);
        print_beginning(path_of(i, "README.md"));
        printf("  read   %s, %s\n", path_of(i, "README.md"), r.lesson);
        printf("  write  %s\n", r.file);
        printf("  then   make check-%02d, make hint-%02d, make watch\n\n", number, number);
        report_row(stdout, &r);
        return 0;
    }
    printf("All %d exercises pass.\n", course_size());
    return 0;
}

/* When the learner last saved a file of the exercise. */
static struct timespec saved_at(int i)
{
    struct timespec latest = {0};
    for (int k = 0; course_file(i, k) != NULL; k++) {
        struct stat status;
        if (stat(path_of(i, course_file(i, k)), &status) == 0 &&
            (status.st_mtim.tv_sec > latest.tv_sec ||
             (status.st_mtim.tv_sec == latest.tv_sec && status.st_mtim.tv_nsec > latest.tv_nsec))) {
            latest = status.st_mtim;
        }
    }
    return latest;
}

int learner_watch(const struct Settings *s)
{
    static const struct timespec pause = {.tv_nsec = 300 * 1000 * 1000};
    int only = s->only != NULL ? chosen(s) : -1;
    struct timespec *seen = zeros_new((size_t)course_size(), sizeof *seen);
    for (int i = 0; i < course_size(); i++) {
        seen[i] = saved_at(i);
    }
    printf("Waiting for a file in exercises/ to be saved. Ctrl-C ends it.\n");
    for (;;) {
        fflush(stdout);
        nanosleep(&pause, NULL);
        for (int i = 0; i < course_size(); i++) {
            struct timespec t = saved_at(i);
            if ((only >= 0 && i != only) || t.tv_sec == 0 ||
                (t.tv_sec == seen[i].tv_sec && t.tv_nsec == seen[i].tv_nsec)) {
                continue;
            }
            seen[i] = t;
            struct Result r = grade(i, s);
            report_row(stdout, &r);
        }
    }
}

/* How many hints were asked for, this one counted, at most most. */
static int count_hint(int i, int most)
{
    char path[LINE], text[20];
    int count = 0;
    write_line(path, "%s/hints", build_directory);
    directory_make(path);
    write_line(path, "%s/hints/%s", build_directory, course_name(i));
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        count = fscanf(file, "%d", &count) == 1 ? count : 0;
        fclose(file);
    }
    count = count < 0 || count >= most ? most : count + 1;
    snprintf(text, sizeof text, "%d\n", count);
    file_replace(path, text, strlen(text));
    return count;
}

int learner_hint(const struct Settings *s)
{
    static const char HEADING[] = "## Hint ";
    int i = chosen(s), hints = 0, shown;
    char *text = file_text(path_of(i, "hints.md")), *from = strstr(text, HEADING);
    for (char *at = from; at != NULL; at = strstr(at + 1, HEADING)) {
        hints++;
    }
    if (hints == 0) {
        die("%s has no hints", path_of(i, "hints.md"));
    }
    shown = count_hint(i, hints);
    char *end = from;
    for (int n = 0; n < shown && end != NULL; n++) {
        end = strstr(end + 1, HEADING);
    }
    fwrite(from, 1, end != NULL ? (size_t)(end - from) : strlen(from), stdout);
    printf(shown < hints ? "%sThere are %d hints; make hint-%.2s shows one more.\n"
                         : "%sThese are all %d hints. make check-%.2s says what is wrong.\n",
           end != NULL ? "" : "\n", hints, course_name(i));
    free(text);
    return 0;
}

/* Keep the file under the first free name: answer.c.kept-1, -2, ... */
static void keep(const char *path)
{
    char kept[LINE];
    for (int n = 1;; n++) {
        write_line(kept, "%s.kept-%d", path, n);
        if (link(path, kept) == 0) {
            printf("what was there is kept as %s\n", kept);
            return;
        }
        if (errno != EEXIST) {
            die("cannot keep %s as %s: %s", path, kept, strerror(errno));
        }
    }
}

static void reset(const char *path, char *stub)
{
    char *text = access(path, F_OK) == 0 ? file_text(path) : NULL;
    if (text != NULL && strcmp(text, stub) == 0) {
        printf("%s is as it was at the beginning.\n", path);
    } else {
        file_check_writable(path);
        if (text != NULL) {
            keep(path);
        }
        file_replace(path, stub, strlen(stub));
        printf("%s begins anew.\n", path);
    }
    free(text);
    free(stub);
}

int learner_reset(const struct Settings *s)
{
    int i = chosen(s);
    for (int k = 0; course_file(i, k) != NULL; k++) {
        reset(path_of(i, course_file(i, k)), course_stub(i, k));
    }
    return 0;
}

int learner_solution(const struct Settings *s)
{
    int i = chosen(s);
    if (!s->force) {
        struct Result r = grade(i, s);
        if (r.state != PASS) {
            report_row(stdout, &r);
            printf("The solution is shown once this passes (or now, with FORCE=1).\n");
            return 1;
        }
    }
    for (int k = 0; course_file(i, k) != NULL; k++) {
        char *text = course_solution(i, k);
        printf("%s%s", k > 0 ? "\n" : "", text);
        free(text);
    }
    return 0;
}
