/* gradebook: the marks of a class, in the forms that the usual places take.

   Score. An exercise that passes counts 1. One that does not counts the share of its checks that
   passed, rounded down to hundredths and never 1; that holds for WRONG, CRASH and TIMEOUT. COMPILE
   and TODO count 0. A student's total is the sum, and the most is the number of exercises.

   What is written into the directory, each file whole or not at all:

   grades.csv                      a row for each student: student, a column for each exercise,
                                   total, mistakes (those that were recognised). RFC 4180.
   canvas.csv                      for Canvas: Grades, Import. The header is Student,ID,Section and
                                   the title of the assignment, then a row "Points Possible" (Canvas,
                                   lib/gradebook_importer.rb). Canvas finds a student by ID, else by
                                   the name, "Ada Lovelace" or "Lovelace, Ada". A directory whose
                                   name is a number is taken for the ID.
   gradescope/NAME/results.json    "Autograder Specifications" of gradescope-autograders.readthedocs.io
   classroom/NAME/results.json     what the runners of GitHub Classroom hand to
                                   autograding-grading-reporter, before it is made base64 (version 1;
                                   src/main.js of autograding-command-grader, src/notify-classroom.js
                                   of the reporter, which adds up score)
   the worksheet's own name        for Moodle, see worksheet.h */
#ifndef GRADERS_GRADEBOOK_H
#define GRADERS_GRADEBOOK_H

#include <stdio.h>

#include "result.h"

struct Student {
    char name[256];         /* of the submission's directory, byte for byte */
    struct Result *results; /* (n_exercises), in the same order for all */
};

struct Gradebook {
    const char *title; /* of the assignment: "Transformer workbook" */
    const struct Student *students;
    int n_students, n_exercises;
};

/* In hundredths of a point. Dies on a result that contradicts itself (a pass without a check). */
int score(const struct Result *result);
int total_score(const struct Gradebook *book, int student);

/* 266 as "2.66". */
struct Points {
    char text[24];
};
struct Points points(int hundredths);

/* Die now, before an hour of grading, if the worksheet could not be filled in or the directory not
   be written into. Makes the directory, writes nothing. worksheet may be NULL. */
void gradebook_check(const char *worksheet, const char *directory);

/* Write the files and say on `say` which. worksheet: the path of the one that was downloaded from
   Moodle, or NULL. Dies before anything is written if the worksheet cannot be used. */
void gradebook_write(const struct Gradebook *book, const char *worksheet, const char *directory,
                     FILE *say);

/* What a student is told, a line for each thing, "\n" behind each: the total, what passed, what did
   not and why, what was not started. free() gives it back. */
char *feedback(const struct Gradebook *book, int student);

/* The two files of a student under directory/gradescope and directory/classroom. */
void gradebook_json(const struct Gradebook *book, int student, const char *directory);

#endif
