/* Sections 1 to 3: each number is the place in memory that it starts from, so that it tells,
   wherever it is moved, which token it belongs to. */
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "report.h"

enum { MAX = MAX_TOKENS * MAX_WIDTH, FIRST = 8 };

int same_bits(const float *a, const float *b, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += memcmp(a + i, b + i, sizeof *a) == 0;
    }
    return count;
}

static int size_of(struct Shape s)
{
    return s.tokens * s.heads * s.d_head;
}

/* x (T,D): every number is the place it starts from. */
static void number_places(float *x, struct Shape s)
{
    for (int i = 0; i < size_of(s); i++) {
        x[i] = (float)i;
    }
}

/* Shape and strides of the last axes of v, and what stands first in memory and when read. */
static void print_line(const char *line, struct View v, int axes)
{
    static float read[MAX];
    char shape[24] = "(", strides[24] = "(";
    int n = v.shape[0] * v.shape[1] * v.shape[2];
    for (int i = 3 - axes; i < 3; i++) {
        const char *end = i < 2 ? "," : ")";
        snprintf(shape + strlen(shape), 8, "%d%s", v.shape[i], end);
        snprintf(strides + strlen(strides), 8, "%d%s", v.stride[i], end);
    }
    contiguous(read, v);
    for (int way = 0; way < 2; way++) {
        printf("  %-17s%-8s%-10s%-7s", way ? "" : line, way ? "" : shape, way ? "" : strides,
               way ? "read" : "memory");
        for (int i = 0; i < FIRST && i < n; i++) {
            printf("%4.0f", (double)(way ? read : v.data)[i]);
        }
        putchar('\n');
    }
}

/* v (rows,H,d): a line for each row, the heads side by side. */
static void print_heads(const char *name, struct View v)
{
    printf("  %-8s", "");
    for (int h = 0; h < v.shape[1]; h++) {
        printf("%s%*sh%d", h > 0 ? "  " : "", 4 * v.shape[2] - 2, "", h);
    }
    for (int row = 0; row < v.shape[0]; row++) {
        printf("\n  %-6s%d:", name, row);
        for (int h = 0; h < v.shape[1]; h++) {
            for (int i = 0; i < v.shape[2]; i++) {
                const float *x = v.data + row * v.stride[0] + h * v.stride[1] + i * v.stride[2];
                printf("%s%4.0f", h > 0 && i == 0 ? " |" : "", (double)*x);
            }
        }
    }
    putchar('\n');
}

/* The split once more, as one line of indices. */
static bool as_told(const float *heads, const float *x, struct Shape s)
{
    int row = 0;
    for (int h = 0; h < s.heads; h++) {
        for (int t = 0; t < s.tokens; t++, row++) {
            const float *part = x + t * s.heads * s.d_head + h * s.d_head;
            if (same_bits(heads + row * s.d_head, part, s.d_head) < s.d_head) {
                return false;
            }
        }
    }
    return true;
}

static void section_split(const float *x, float *heads, struct Shape s)
{
    struct View by_token = view(x, s.tokens, s.heads, s.d_head), by_head = exchange(by_token);
    page_heading("The split, line by line");
    printf("  x holds 0 to %d, a row of %d for each of %d tokens: number n is token n/%d's.\n"
           "  The view changes neither memory nor what is read; the exchange changes what is\n"
           "  read; the copy puts memory in that order. A stride is how far it is in memory\n"
           "  to the next one of its axis.\n\n",
           size_of(s) - 1, s.heads * s.d_head, s.tokens, s.heads * s.d_head);
    split(heads, x, s);
    printf("  %-17s%-8s%-10s%s\n", "line", "shape", "strides", "the first numbers");
    print_line("x (T,D)", view(x, 1, s.tokens, s.heads * s.d_head), 2);
    print_line("view as (T,H,d)", by_token, 3);
    print_line("exchange T and H", by_head, 3);
    print_line("copy", view(heads, s.heads, s.tokens, s.d_head), 3);
    printf("\n  What the heads h0, h1, ... hold now: each has a part of every token.\n");
    print_heads("row", exchange(view(heads, s.heads, s.tokens, s.d_head)));
    page_claim(as_told(heads, x, s), "row t of head h is x[t*D + h*d], ..., x[t*D + h*d + d-1]");
}

static void section_left_out(const float *x, const float *heads, struct Shape s)
{
    int width = s.heads * s.d_head, alone = s.tokens == 1 || s.heads == 1;
    page_heading("The split with the exchange left out");
    printf("  Memory as it is, viewed as (H,T,d) at once. The shape is right, so nothing\n"
           "  complains. Row t of each head should come from token t.\n");
    print_heads("row", exchange(view(x, s.heads, s.tokens, s.d_head)));
    for (int h = 0; h < s.heads; h++) {
        printf("  the rows of h%d come from tokens ", h);
        for (int t = 0; t < s.tokens; t++) {
            printf(" %d", (int)x[(h * s.tokens + t) * s.d_head] / width);
        }
        putchar('\n');
    }
    int same = same_bits(heads, x, size_of(s));
    printf("  numbers where the split puts them: %d of %d\n", same, size_of(s));
    page_claim((same == size_of(s)) == alone, "%s",
               alone ? "with one token, or one head, the fault cannot be seen"
                     : "with several tokens and heads it is another split");
}

static void section_merge(const float *x, const float *heads, struct Shape s)
{
    static const struct Shape shapes[] = {{1, 3, 4}, {5, 1, 12}, {5, 3, 4}, {17, 3, 4}};
    static float numbers[MAX], parts[MAX], back[MAX];
    bool as_said = true;
    page_heading("Back again: the merge");
    printf("  The same three lines, from (H,T,d) to (T,D). With the exchange left out, the\n"
           "  copy of section 1 is read as it lies, and this is what the tokens get:\n");
    print_heads("token", view(heads, s.tokens, s.heads, s.d_head));
    merge(back, heads, s);
    page_claim(same_bits(back, x, size_of(s)) == size_of(s), "merged, x is back to the bit");
    printf("\n  Where that fault shows: numbers that it leaves where they belong.\n"
           "  tokens   heads   in place\n");
    for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
        int n = size_of(shapes[i]);
        number_places(numbers, shapes[i]);
        split(parts, numbers, shapes[i]);
        int kept = same_bits(parts, numbers, n);
        as_said = as_said && (kept == n) == (shapes[i].tokens == 1 || shapes[i].heads == 1);
        printf("  %6d  %6d   %3d of %3d\n", shapes[i].tokens, shapes[i].heads, kept, n);
    }
    page_claim(as_said, "invisible with one token or one head, wrong otherwise");
    printf("  Left out on both ways, the faults undo each other: x comes back, and a test\n"
           "  that only goes there and back sees nothing. Section 5 sees it.\n");
}

/* Where each place of memory got its number: picture 1 is x, 2 the split, 3 x again, cut as it
   is. */
static void add_layout(struct Table *layout, const float *x, const float *heads, struct Shape s)
{
    for (int picture = 1; picture <= 3; picture++) {
        for (int place = 0; place < size_of(s); place++) {
            int from = (int)(picture == 2 ? heads : x)[place];
            table_row(layout, "%d\t%d\t%d\t%d", picture, place, from / (s.heads * s.d_head),
                      from / s.d_head % s.heads);
        }
    }
}

void report_places(struct Table *layout, struct Shape s)
{
    static float x[MAX], heads[MAX];
    number_places(x, s);
    section_split(x, heads, s);
    section_left_out(x, heads, s);
    section_merge(x, heads, s);
    add_layout(layout, x, heads, s);
}
