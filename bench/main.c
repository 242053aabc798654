/* bench [--fast] [--out DIR] [SECTION ...]: all sections, or those that are named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/base.h"
#include "common/file.h"
#include "common/page.h"
#include "common/simd.h"
#include "common/threads.h"

static const struct {
    const char *name, *what;
    void (*run)(const struct Bench *);
} sections[] = {
    {"peak", "what the arithmetic units can do", bench_peak},
    {"ladder", "from the naive loop to the fast product", bench_ladder},
    {"kernels", "the matrix products, their naive twins, OpenBLAS", bench_kernels},
    {"layers", "attention, norm, GELU, softmax, loss, AdamW, packing", bench_layers},
    {"tiled", "attention of long sequences, in tiles and plain", bench_tiled},
    {"step", "one training step, layer by layer", bench_step},
    {"training", "lesson 07's training on 1, 2, 4, ... threads", bench_training},
    {"cost", "a step against batch, width, layers and length", bench_cost},
    {"memory", "the most that training holds", bench_memory},
    {"torch", "PyTorch on the same weights and batches", bench_torch},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static void help(void)
{
    printf("bench [--fast] [--out DIR] [SECTION ...]\n\n"
           "  --fast       fewer rounds and shapes\n"
           "  --out DIR    where the tables go (default out/bench)\n\nSections:\n");
    for (int i = 0; i < SECTIONS; i++) {
        printf("  %-12s %s\n", sections[i].name, sections[i].what);
    }
    exit(0);
}

static int find_section(const char *name)
{
    for (int i = 0; i < SECTIONS; i++) {
        if (strcmp(sections[i].name, name) == 0) {
            return i;
        }
    }
    die("there is no section \"%s\"; --help lists them", printable(name).text);
}

static void parse(int argc, char **argv, struct Bench *bench, bool wanted[SECTIONS])
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            help();
        } else if (strcmp(argv[i], "--fast") == 0) {
            bench->fast = true;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            bench->out = argv[++i];
        } else {
            wanted[find_section(argv[i])] = any = true;
        }
    }
    for (int i = 0; i < SECTIONS && !any; i++) {
        wanted[i] = true;
    }
}

/* The name of the processor where the system tells it. */
static void print_machine(const struct Bench *bench)
{
    char line[200] = "", *name = NULL;
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info != NULL && name == NULL && fgets(line, sizeof line, info) != NULL) {
        name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    }
    if (info != NULL) {
        fclose(info);
    }
    if (name != NULL) {
        name[strcspn(name, "\n")] = '\0';
        printf("%.60s, ", printable(name + 2).text);
    }
    double load = 0.0;
    getloadavg(&load, 1);
    printf("%d processors, load %.1f%s\n", bench->processors, load,
           load > 0.5 ? ": others are at work here" : "");
#ifdef __clang__
    printf("clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    printf("gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
    printf(", %d registers of %d floats\n", REGISTERS, LANES);
}

int main(int argc, char **argv)
{
    program_name = "bench";
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct Bench bench = {.out = "out/bench", .processors = threads_available()};
    bool wanted[SECTIONS] = {false};
    parse(argc, argv, &bench, wanted);
    directory_make(bench.out);
    if (wanted[find_section("memory")]) {
        memory_measure(&bench);
    }
    print_machine(&bench);
    printf("Every number is the median of several runs, with their range from least to most;\n"
           "what is compared was run in turn. An operation is half a fused multiply-add.\n");
    for (int i = 0; i < SECTIONS; i++) {
        if (wanted[i]) {
            sections[i].run(&bench);
        }
    }
    return page_verdict();
}
