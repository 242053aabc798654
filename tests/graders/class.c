#include "class.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "common/base.h"
#include "common/file.h"
#include "course.h"
#include "gradebook.h"
#include "report.h"

enum { LONGEST_PATH = LINE - 80 }; /* of a student's directory; behind it comes an exercise's */

struct Names {
    char **items;
    int n;
};

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The directories in path, in order; those beginning with a dot are not students. */
static struct Names directories_in(const char *path)
{
    struct Names names = {0};
    DIR *directory = opendir(path);
    if (directory == NULL) {
        die("cannot read the submissions in %s: %s", printable(path).text, strerror(errno));
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char *inside = NULL;
        if (asprintf(&inside, "%s/%s", path, entry->d_name) < 0) {
            die("no memory for names");
        }
        if (entry->d_name[0] != '.' && is_directory(inside)) {
            if (strlen(inside) > LONGEST_PATH) {
                die("the path of %s is too long; grade a copy that is nearer to /",
                    printable(entry->d_name).text);
            }
            names.items = reallocarray(names.items, (size_t)names.n + 1, sizeof *names.items);
            names.items[names.n++] = strdup(entry->d_name);
        }
        free(inside);
    }
    closedir(directory);
    if (names.n == 0) {
        die("%s has no directories; it should have one for each student", printable(path).text);
    }
    qsort(names.items, (size_t)names.n, sizeof *names.items, by_name);
    return names;
}

/* Where a student put an exercise: NN-name/ or exercises/NN-name/; to be freed. NULL: nowhere. */
static char *answer_directory(const struct Class *c, const char *student, int exercise)
{
    static const char *const places[] = {"", "exercises/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path;
        if (asprintf(&path, "%s/%s/%s%s", c->submissions, student, places[i],
                     course_name(exercise)) < 0) {
            die("no memory for names");
        }
        if (is_directory(path)) {
            return path;
        }
        free(path);
    }
    return NULL;
}

/* Is a file of this exercise a link that leads out of the student's directory: to the answer of
   somebody else, or to ours? */
static bool leads_elsewhere(const struct Class *c, const char *student, const char *path,
                            int exercise)
{
    bool elsewhere = false;
    for (int k = 0; course_file(exercise, k) != NULL; k++) {
        char *file = NULL, *home = NULL;
        if (asprintf(&file, "%s/%s", path, course_file(exercise, k)) < 0 ||
            asprintf(&home, "%s/%s", c->submissions, student) < 0) {
            die("no memory for names");
        }
        char *real_file = realpath(file, NULL), *real_home = realpath(home, NULL);
        if (real_file != NULL && real_home != NULL) {
            size_t n = strlen(real_home);
            elsewhere |= strncmp(real_file, real_home, n) != 0 || real_file[n] != '/';
        }
        free(real_file);
        free(real_home);
        free(file);
        free(home);
    }
    return elsewhere;
}

static struct Result grade_exercise(const struct Class *c, const char *student, const char *path,
                                    int exercise)
{
    if (path == NULL || !leads_elsewhere(c, student, path, exercise)) {
        return path != NULL ? course_grade(exercise, path, "submission", &c->grading)
                            : course_not_started(exercise);
    }
    struct Result result = course_not_started(exercise);
    result.state = COMPILE;
    result_add(&result, "A link that leads out of the student's directory is no answer.");
    return result;
}

static void grade_student(struct Student *student, const struct Class *c)
{
    int found = 0;
    printf("%s\n", printable(student->name).text);
    student->results = zeros_new((size_t)course_size(), sizeof *student->results);
    for (int i = 0; i < course_size(); i++) {
        char *path = answer_directory(c, student->name, i);
        student->results[i] = grade_exercise(c, student->name, path, i);
        if (student->results[i].state != TODO) {
            report_verdict(stdout, &student->results[i]);
        }
        fflush(stdout);
        found += path != NULL;
        free(path);
    }
    if (found == 0) {
        printf("   no answers: neither %s/ nor exercises/%s/, and so on, is here\n", course_name(0),
               course_name(0));
    }
}

int class_grade(const struct Class *c)
{
    if (c->submissions == NULL) {
        die("say where the submissions are: make grade SUBMISSIONS=dir, with a directory for each "
            "student");
    }
    struct Names names = directories_in(c->submissions);
    gradebook_check(c->worksheet, c->out);
    struct Student *students = zeros_new((size_t)names.n, sizeof *students);
    for (int i = 0; i < names.n; i++) {
        snprintf(students[i].name, sizeof students[i].name, "%s", names.items[i]);
        grade_student(&students[i], c);
    }
    struct Gradebook book = {c->title, students, names.n, course_size()};
    printf("SEED=%" PRIu64 " draws the same values again\n", c->grading.seed);
    build_notes(stdout);
    gradebook_write(&book, c->worksheet, c->out, stdout);
    for (int i = 0; i < names.n; i++) {
        free(students[i].results);
        free(names.items[i]);
    }
    free(students);
    free(names.items);
    return 0;
}
