/* stub: what a learner starts from. It is made of the solution, so that the two cannot drift apart:
   the lines between "answer:" and ":answer" become one line, "Your code." */
#ifndef GRADERS_STUB_H
#define GRADERS_STUB_H

#include <stdbool.h>

/* The whole file as text, to be freed; dies if it cannot be read. */
char *file_text(const char *path);

/* The stub of this solution, to be freed. Dies if the solution has no such lines. */
char *stub_of(const char *solution_path);

/* The solution without the two marks, to be freed. */
char *solution_text(const char *solution_path);

/* Do both hold the same C but for comments, spaces and line ends? */
bool same_code(const char *a, const char *b);

#endif
