#include "result.h"

#include <stdarg.h>
#include <stdio.h>

void write_line(char line[LINE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, LINE, format, arguments);
    va_end(arguments);
}

void result_add(struct Result *result, const char *line)
{
    for (int i = 0; i < MAX_LINES && line[0] != '\0'; i++) {
        if (result->lines[i][0] == '\0') {
            write_line(result->lines[i], "%s", line);
            return;
        }
    }
}

const char *state_name(enum State state)
{
    static const char *const names[] = {
        [TODO] = "TODO",   [PASS] = "PASS",       [WRONG] = "WRONG",
        [CRASH] = "CRASH", [TIMEOUT] = "TIMEOUT", [COMPILE] = "COMPILE",
    };
    return names[state];
}
