/* answers: the learner's answer.txt. A line is "name = value"; what follows a # is a comment. Read
   kindly (spaces, any line ends, any order) and strictly: what is not understood is said. */
#ifndef GRADERS_ANSWERS_H
#define GRADERS_ANSWERS_H

#include <stdbool.h>

#include "result.h"

struct Answer {
    const char *name; /* of the question */
    char value[64];   /* as it stands there, without the spaces around it; "" if there is none */
    int line;         /* where; 0: nowhere */
};

/* Fill in the answers whose names are given, from the file at path. False if it is no such file:
   complaint is then one line that says why, beginning with the path or its line. */
bool answers_read(struct Answer *answers, int count, const char *path, char complaint[LINE]);

/* What a learner starts from: the solution at this path with its values blank; to be freed. */
char *answers_stub(const char *solution_path);

#endif
