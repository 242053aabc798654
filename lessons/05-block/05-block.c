/* Lesson 05: the block.

   block.c is the lesson: layer norm, GELU, the MLP and the residual path, one block in reading
   order. depth.c stacks such blocks in three orders and sends a gradient back through them. The
   page measures what the pieces do, counts what they weigh, and asks why the norms do not stand
   where the paper's picture has them. */
#include <math.h>
#include <stdio.h>

#include "common/cli.h"
#include "common/page.h"
#include "common/reversal.h"
#include "depth.h"
#include "report.h"

static int depth = 24, width = 64;

static struct Option command_line[] = {
    {"depth", OPTION_INTEGER, &depth, "N", "blocks on top of each other", 1, MAX_DEPTH, NULL,
     false},
    {"width", OPTION_INTEGER, &width, "N", "numbers in a token's vector (d_model), an even number",
     8, MAX_WIDTH, NULL, false},
};

int main(int argc, char **argv)
{
    static struct Run fresh, larger;
    struct Common common;
    cli_parse(argc, argv, "Lesson 05: the block, and why its norms stand where they stand.",
              "05-block", &common, command_line, sizeof command_line / sizeof *command_line);
    struct ModelConfig config = model_config(VOCAB, CONTEXT, width, HEADS, depth);
    struct Table *gradient =
        table_new(common.out, "gradient", "block pre_norm post_norm no_residual");
    struct Table *parameters = table_new(common.out, "parameters", "part parameters");
    struct Table *path =
        table_new(common.out, "path", "block pre_norm post_norm larger_pre_norm larger_post_norm");
    struct Table *similarity =
        table_new(common.out, "similarity", "block pre_norm post_norm no_residual");
    stack_init(config, common.seed);

    printf("Lesson 05. The block\n");
    report_norm(width);
    report_gelu();
    report_parameters(parameters, width);
    report_block(common.seed);
    run_stack(&fresh, depth);
    report_gradient(&fresh, gradient, width);
    report_depth(depth);
    stack_scale(sqrtf(3.0f));
    run_stack(&larger, depth);
    report_path(&fresh, &larger, path);
    report_similarity(&fresh, similarity);

    table_save(gradient);
    table_save(parameters);
    table_save(path);
    table_save(similarity);
    return page_verdict();
}
