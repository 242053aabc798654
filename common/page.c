/* Counts headings and broken claims. */
#include "page.h"

#include <stdarg.h>
#include <stdio.h>

#include "base.h"

static int headings, broken;

void page_heading(const char *text)
{
    int width = printf("\n%d. %s\n", ++headings, text) - 2;
    for (int i = 0; i < width; i++) {
        putchar('-');
    }
    putchar('\n');
}

void page_claim(bool holds, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs(holds ? "  holds  " : "  FAILS  ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    broken += !holds;
}

int page_verdict(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        die("the page could not be written to stdout: is the disk full?");
    }
    return broken == 0 ? 0 : 1;
}

struct Grouped grouped(long long n)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%lld", n < 0 ? -n : n), at = 0;
    struct Grouped g;
    if (n < 0) {
        g.text[at++] = '-';
    }
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            g.text[at++] = ',';
        }
        g.text[at++] = digits[i];
    }
    g.text[at] = '\0';
    return g;
}
