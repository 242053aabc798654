/* Arithmetic about models as they are built: parameters, training tokens, and images. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "tiles.h"

/* Weights of the matrices in a block: four of d by d in attention, two of d by 4d. */
static long long block_parameters(long long d)
{
    return 4 * d * d + 2 * 4 * d * d;
}

/* The width of a gated feed-forward layer, which has three matrices, for as many parameters. */
static long long gated_width(long long d)
{
    return 2 * 4 * d / 3;
}

/* Models whose sizes are published; the texts that name them: README. */
static const struct {
    const char *name;
    double parameters, tokens;
} models[] = {
    {"GPT-3 (2020)", 175e9, 300e9},
    {"Chinchilla (2022)", 70e9, 1.4e12},
    {"Llama 3 8B (2024)", 8e9, 15e12},
};

static void report_parameters(int n, int d, int layers)
{
    long long block = block_parameters(d), wide = gated_width(d);
    printf("  A block of width %d has 12*d*d = %s parameters in its matrices;\n"
           "  %d blocks have %s.\n",
           d, grouped(block).text, layers, grouped(block * layers).text);
    printf("  A gated FFN (SwiGLU) has three matrices where the other has two. At two\n"
           "  thirds of the width, %s for %s, it has as many parameters, but for a\n"
           "  rest of the division: %s for %s.\n",
           grouped(wide).text, grouped(4LL * d).text, grouped(3 * wide * d).text,
           grouped(2 * 4LL * d * d).text);
    printf("  A token costs 2 operations a parameter on the way there, and 4 going back:\n"
           "  there each product has two, one for its input and one for its weights. With N\n"
           "  parameters and D tokens that is C = 6*N*D. The pairs come on top: here, on the\n"
           "  way there and in a block, %s a token, beside %s.\n",
           grouped(4LL * n * d).text, grouped(2 * block).text);
}

void report_models(int n, int d, int layers)
{
    bool small = true;
    page_heading("How many parameters, how many tokens");
    report_parameters(n, d, layers);
    printf("\n  Hoffmann et al. found that an amount C of work is best spent at about 20\n"
           "  tokens a parameter, so on N = sqrt(C / 120) parameters:\n\n"
           "                        N          D   D / N          C    best N    best D\n");
    for (int i = 0; i < 3; i++) {
        double N = models[i].parameters, D = models[i].tokens, C = 6.0 * N * D;
        double best = sqrt(C / 120.0);
        printf("  %-18s%6.0f B%9.1f T%8.1f%11.2e%8.0f B%8.2f T\n", models[i].name, 1e-9 * N,
               1e-12 * D, D / N, C, 1e-9 * best, 20e-12 * best);
        small &= fabs(6.0 * best * 20.0 * best / C - 1.0) < 1e-12;
    }
    page_claim(12LL * 4096 * 4096 * 32 == 32 * block_parameters(4096) &&
                   32 * block_parameters(4096) / 100000000 == 64,
               "32 blocks of width 4096 have 6.4 billion parameters");
    page_claim(small, "best N and best D are worth the same work C");
}

void report_patches(void)
{
    enum { SIDE = 224, COLOURS = 3 };
    static unsigned char seen[SIDE][SIDE];
    long long before = 0, tokens[4];
    bool once = true, sixteen = true;
    page_heading("An image as tokens");
    printf("  An image of %d by %d pixels of %d numbers, cut into patches: a token each.\n\n"
           "  side of a patch      tokens   numbers in each          pairs\n",
           SIDE, SIDE, COLOURS);
    for (int side = 32, row = 0; side >= 4; side /= 2, row++) {
        memset(seen, 0, sizeof seen);
        tokens[row] = 0;
        for (int y = 0; y < SIDE; y += side) {
            for (int x = 0; x < SIDE; x += side, tokens[row]++) {
                for (int i = 0; i < side * side; i++) {
                    seen[y + i / side][x + i % side]++;
                }
            }
        }
        for (int i = 0; i < SIDE * SIDE; i++) {
            once &= seen[i / SIDE][i % SIDE] == 1;
        }
        long long pairs = tokens[row] * tokens[row];
        printf("  %15d%12s%18s%15s\n", side, grouped(tokens[row]).text,
               grouped(side * side * COLOURS).text, grouped(pairs).text);
        sixteen &= row == 0 || pairs == 16 * before;
        before = pairs;
    }
    page_claim(once && tokens[1] == 196, "sides of 16: 196 tokens of 768 numbers, each pixel once");
    page_claim(sixteen, "half the side: four times the tokens, sixteen times the pairs");
}
