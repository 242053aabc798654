/* pages: numbers that stand on the pages of runs. A page has numbered headings with a line under
   each; a number is found by its section, by the words before it, and by counting. So what the
   grader holds an answer against is never typed in: it is what a run printed. */
#ifndef GRADERS_PAGES_H
#define GRADERS_PAGES_H

#include <stdbool.h>

struct Place {
    const char *page;    /* "08-faults": tests/expected/08-faults.txt */
    const char *section; /* words of its heading */
    const char *row;     /* words in a line: the first such line of the section */
    int number;          /* the how many-th number behind these words, from 1 */
};

/* A number as it is printed, without the commas of thousands: "385", "78.8", "never". */
struct Figure {
    char text[24];
    bool percent, bracketed; /* a % follows; it stands in brackets */
};

enum { MAX_FIGURES = 24 };

/* The text of a recorded page, to be freed. Dies if there is none. */
char *page_read(const char *name);

/* The numbers behind the words of the place, in order; how many. 0: there is no such line. */
int page_figures(struct Figure figures[MAX_FIGURES], const char *text, const struct Place *place);

/* The number of the place. Dies if the page has none there: then it is no page to grade by. */
struct Figure page_figure(const char *text, const struct Place *place);

/* text as the page would print it: 1,500 as 1500, 013.20 as 13.2, Never as never; a % behind it is
   dropped and said. False if it is no number. */
bool figure_parse(struct Figure *figure, const char *text);

/* Its value; NaN for never. */
double figure_value(const struct Figure *figure);

/* Are they the same number? 100 is 100.0. */
bool figure_same(const struct Figure *a, const struct Figure *b);

#endif
