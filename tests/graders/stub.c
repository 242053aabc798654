#include "stub.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"

static const char BEGIN[] = "/* answer: */", END[] = "/* :answer */", YOURS[] = "/* Your code. */";

char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text;
    size_t size;
    FILE *gathered = open_memstream(&text, &size);
    if (file == NULL) {
        die("cannot read %s: %s", path, strerror(errno));
    }
    for (int c; (c = getc(file)) != EOF;) {
        putc(c, gathered);
    }
    fclose(gathered);
    fclose(file);
    return text;
}

/* The text line by line; of the lines of the answer either all or none, of the marks none. */
static char *cut(const char *path, bool stub)
{
    char *text = file_text(path), *result;
    size_t size;
    FILE *out = open_memstream(&result, &size);
    int answers = 0;
    bool inside = false;
    for (char *line = text, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        int length = (int)(end - line), indent = (int)strspn(line, " ");
        if (strncmp(line + indent, BEGIN, sizeof BEGIN - 1) == 0) {
            inside = true;
            answers++;
            if (stub) {
                fprintf(out, "%*s%s\n", indent, "", YOURS);
            }
        } else if (strncmp(line + indent, END, sizeof END - 1) == 0) {
            inside = false;
        } else if (!stub || !inside) {
            fwrite(line, 1, (size_t)length, out);
        }
    }
    fclose(out);
    free(text);
    if (answers == 0 || inside) {
        die("%s does not say where its answer begins and ends", path);
    }
    return result;
}

char *stub_of(const char *solution_path)
{
    return cut(solution_path, true);
}

char *solution_text(const char *solution_path)
{
    return cut(solution_path, false);
}

/* The next character of code, or '\0'. A comment is no code, and neither is a space. */
static char next_code(const char **at)
{
    for (;;) {
        const char *p = *at;
        if (isspace((unsigned char)*p)) {
            *at = p + 1;
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            *at = end != NULL ? end + 2 : p + strlen(p);
        } else if (p[0] == '/' && p[1] == '/') {
            *at = p + strcspn(p, "\n");
        } else {
            *at = p + (*p != '\0');
            return *p;
        }
    }
}

bool same_code(const char *a, const char *b)
{
    char c;
    do {
        c = next_code(&a);
        if (c != next_code(&b)) {
            return false;
        }
    } while (c != '\0');
    return true;
}
