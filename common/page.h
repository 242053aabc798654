/* page: what every lesson's page is made of: numbered headings, large numbers that can be read, and
   claims, whose verdict is the exit status. */
#ifndef COMMON_PAGE_H
#define COMMON_PAGE_H

#include <stdbool.h>

/* "N. text" and a line under it; the first heading is 1. */
void page_heading(const char *text);

/* Say something that this run must bear out, and whether it does. */
void page_claim(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 0 if every claim held, else 1: for main to return, after stdout was written whole. */
int page_verdict(void);

/* 103244 as "103,244". */
struct Grouped {
    char text[32];
};
struct Grouped grouped(long long n);

#endif
