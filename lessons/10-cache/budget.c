/* The bytes of a cache, for any model. */
#include <math.h>
#include <stdio.h>

#include "common/base.h"
#include "common/cache.h"
#include "common/page.h"
#include "lesson.h"

/* Numbers kept for a token in one layer: a key and a value for each head of them; or one latent and
   one key turned by position, with DeepSeek-V2's proportions: 4 and 1/2 times d_head. */
static long long keys_and_values(long long kv_heads, long long d_head)
{
    return 2 * kv_heads * d_head;
}
static long long latent_and_key(long long d_head)
{
    return 4 * d_head + d_head / 2;
}

/* product := a·b. False if that is no long long. */
static bool times(long long *product, long long a, long long b)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* bytes := of all tokens, layers and sequences. False if there are more than can be counted. */
static bool total(long long *bytes, const struct Budget *b, long long numbers)
{
    return times(bytes, numbers, b->bytes) && times(bytes, *bytes, b->layers) &&
           times(bytes, *bytes, b->positions) && times(bytes, *bytes, b->sequences);
}

static long long bytes_of(const struct Budget *b, long long numbers)
{
    long long bytes = 0;
    return total(&bytes, b, numbers) ? bytes : -1;
}

void budget_check(const struct Budget *b)
{
    long long bytes, most = keys_and_values(b->heads, b->d_head);
    if (b->bytes == 3) {
        die("--bytes takes 4 (fp32), 2 (bf16) or 1 (int8), not 3");
    }
    if (b->heads % b->kv_heads != 0) {
        die("--kv-heads %d: it must divide --heads %d, as the same number of query heads share "
            "each",
            b->kv_heads, b->heads);
    }
    most = most > latent_and_key(b->d_head) ? most : latent_and_key(b->d_head);
    if (!total(&bytes, b, most)) {
        die("a cache of that size has more than 2^63 bytes: take smaller numbers");
    }
}

/* "512 MiB". */
struct Size {
    char text[32];
};
static struct Size size_text(long long bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct Size size;
    double x = (double)bytes;
    int unit = 0;
    for (; x >= 1024.0; x /= 1024.0) {
        unit++;
    }
    snprintf(size.text, sizeof size.text, "%.4g %s", x, units[unit]);
    return size;
}

static void print_line(const char *name, int kv_heads, long long numbers, const struct Budget *b,
                       struct Table *table)
{
    struct Budget one = *b;
    char heads[16] = "-";
    long long all = bytes_of(b, numbers);
    one.sequences = one.positions = 1;
    if (kv_heads > 0) {
        snprintf(heads, sizeof heads, "%d", kv_heads);
    }
    printf("  %-6s %9s %14s %25s  %s\n", name, heads, grouped(bytes_of(&one, numbers)).text,
           grouped(all).text, size_text(all).text);
    if (table != NULL) {
        table_row(table, "%s\t%d\t%lld\t%lld", name, kv_heads, bytes_of(&one, numbers), all);
    }
}

static void print_variants(const struct Budget *b, struct Table *table)
{
    printf("            kv heads  bytes a token             bytes in all\n");
    print_line("MHA", b->heads, keys_and_values(b->heads, b->d_head), b, table);
    print_line("GQA", b->kv_heads, keys_and_values(b->kv_heads, b->d_head), b, table);
    print_line("MQA", 1, keys_and_values(1, b->d_head), b, table);
    print_line("MLA", 0, latent_and_key(b->d_head), b, table);
}

static void print_formats(const struct Budget *b)
{
    static const char *const names[] = {"fp32", "bf16", "int8"};
    struct Budget other = *b;
    printf("\n  GQA in other formats:  ");
    for (int i = 0; i < 3; i++) {
        other.bytes = 4 >> i;
        long long bytes = bytes_of(&other, keys_and_values(b->kv_heads, b->d_head));
        printf("%s %s%s", names[i], bytes < 0 ? "over 2^63" : size_text(bytes).text,
               i < 2 ? ",  " : "\n");
    }
}

/* The figures of the text and of the paper, whatever the options say; and common/, for these. */
static void claim_known(const struct Budget *b)
{
    double ours = (double)bytes_of(b, keys_and_values(b->kv_heads, b->d_head));
    double theirs =
        cache_bytes(b->sequences, b->layers, b->positions, b->kv_heads, b->d_head, b->bytes);
    struct Budget text = {1, 32, 4096, 32, 8, 128, 2}, deepseek = {1, 60, 1, 128, 128, 128, 2};
    long long eight = bytes_of(&text, keys_and_values(8, 128));
    long long mha = keys_and_values(deepseek.heads, deepseek.d_head);
    long long mla = latent_and_key(deepseek.d_head), mqa = keys_and_values(1, deepseek.d_head);
    printf("  DeepSeek-V2 (%d layers, %d heads of %d) keeps %s numbers a layer and token\n"
           "  where MHA would keep %s: as many as %.2f heads of keys and values.\n",
           deepseek.layers, deepseek.heads, deepseek.d_head, grouped(mla).text, grouped(mha).text,
           (double)mla / (double)mqa);
    page_claim(eight == 536870912, "32 layers, 4,096 positions, 8 heads of 128, bf16: 512 MiB");
    page_claim(bytes_of(&text, keys_and_values(32, 128)) == 4 * eight, "with 32 heads 2 GiB");
    page_claim(bytes_of(&text, keys_and_values(64, 128)) == 8 * eight,
               "8 heads for 64 query heads: an eighth");
    page_claim(fabs(ours - theirs) <= 1e-15 * ours, "cache_bytes of common/ says the same of GQA");
    page_claim(mla == 576 && 4 * mla == 9 * mqa, "the paper's 2.25 groups");
}

void report_budget(const struct Budget *b, struct Table *table)
{
    page_heading("The budget: bytes of a whole cache");
    printf("  2 * sequences * layers * positions * kv heads * d_head * bytes of a number;\n"
           "  the 2 is a key and a value. Here they are\n"
           "  2 * %s * %s * %s * kv heads * %s * %d.\n\n",
           grouped(b->sequences).text, grouped(b->layers).text, grouped(b->positions).text,
           grouped(b->d_head).text, b->bytes);
    print_variants(b, table);
    print_formats(b);
    printf("\n  MLA: a latent of 4 * d_head and a key of d_head / 2, section 7. Not counted:\n"
           "  weights, activations of the rows that are being read, room reserved and not\n"
           "  filled, tables that say where pages lie, scales of int8, copies of heads on\n"
           "  several devices. Weights in fewer bits leave the cache as it is.\n");
    claim_known(b);
}
