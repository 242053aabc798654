/* Lesson 04: heads, a matter of where numbers lie.

   The idea is heads.c: a view, an exchange of axes, a copy, and attention made of them. The other
   files put questions to it: places.c moves numbers that say where they came from, mixing.c lets
   heads attend, equal.c trains two heads, against.c holds it against common/. */
#include <stdio.h>

#include "common/cli.h"
#include "common/page.h"
#include "report.h"

static struct Shape printed = {.tokens = 5, .heads = 3, .d_head = 4};

static struct Option command_line[] = {
    {"tokens", OPTION_INTEGER, &printed.tokens, "T", "tokens in sections 1 to 3", 1, 8, NULL,
     false},
    {"heads", OPTION_INTEGER, &printed.heads, "H", "heads in sections 1 to 3", 1, 4, NULL, false},
    {"d-head", OPTION_INTEGER, &printed.d_head, "D", "numbers of a head in sections 1 to 3", 2, 4,
     NULL, false},
};

int main(int argc, char **argv)
{
    struct Common common;
    cli_parse(argc, argv, "Lesson 04: heads, a matter of where numbers lie.", "04-heads", &common,
              command_line, sizeof command_line / sizeof *command_line);
    struct Table *layout = table_new(common.out, "layout", "picture place token slice");
    struct Table *attention = table_new(common.out, "attention", "block head query key weight");
    struct Table *reach = table_new(common.out, "reach", "fault row token reached");

    printf("Lesson 04. Heads: a matter of where numbers lie\n");
    report_places(layout, printed);
    report_attention(attention, reach, common.seed);
    report_equal_heads(common.seed);
    report_against_common(common.seed);
    table_save(layout);
    table_save(attention);
    table_save(reach);
    return page_verdict();
}
