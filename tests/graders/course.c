#include "course.h"

#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "build.h"
#include "common/base.h"
#include "common/file.h"
#include "experiment.h"
#include "stub.h"

/* One of the course: the experiment, or, if that is NULL, the exercise with code. */
struct Item {
    const struct Exercise *code;
    const struct Experiment *experiment;
};

/* Both lists are in order; the course is the two merged by number. */
static struct Item item(int i)
{
    for (int a = 0, b = 0;; i--) {
        bool code = b == n_experiments ||
                    (a < n_exercises && strcmp(exercises[a]->name, experiments[b]->name) < 0);
        if (i == 0) {
            return code ? (struct Item){.code = exercises[a]}
                        : (struct Item){.experiment = experiments[b]};
        }
        a += code;
        b += !code;
    }
}

static const struct Experiment *experiment(int i)
{
    return item(i).experiment;
}

int course_size(void)
{
    return n_exercises + n_experiments;
}

const char *course_name(int i)
{
    return experiment(i) != NULL ? experiment(i)->name : item(i).code->name;
}

const char *course_file(int i, int k)
{
    const struct Experiment *e = experiment(i);
    if (k == 0) {
        return e != NULL ? "answer.txt" : "answer.c";
    }
    return k == 1 && e != NULL && e->change != NULL ? "answer.c" : NULL;
}

int course_find(const char *number)
{
    for (int i = 0; i < course_size(); i++) {
        if (strlen(number) == 2 && strncmp(course_name(i), number, 2) == 0) {
            return i;
        }
    }
    die("there is no exercise %s; there are %.2s to %.2s", printable(number).text, course_name(0),
        course_name(course_size() - 1));
}

struct Result course_grade(int i, const char *directory, const char *where,
                           const struct Grading *grading)
{
    char source[LINE], build[LINE];
    write_line(source, "%s/%s", directory, course_file(i, 0));
    write_line(build, "%s/%s/%s", build_directory, where, course_name(i));
    return experiment(i) != NULL ? experiment_grade(experiment(i), source, build)
                                 : grade_answer(item(i).code, source, build, grading);
}

struct Result course_not_started(int i)
{
    return experiment(i) != NULL ? experiment_not_started(experiment(i))
                                 : not_started(item(i).code);
}

static const char *solution_path(int i, int k)
{
    static char path[LINE];
    write_line(path, "tests/solutions/%s%s", course_name(i), strrchr(course_file(i, k), '.'));
    return path;
}

static bool is_code(int i, int k)
{
    return strcmp(course_file(i, k), "answer.c") == 0;
}

char *course_stub(int i, int k)
{
    return is_code(i, k) ? stub_of(solution_path(i, k)) : answers_stub(solution_path(i, k));
}

char *course_solution(int i, int k)
{
    return is_code(i, k) ? solution_text(solution_path(i, k)) : file_text(solution_path(i, k));
}
