/* Lesson 01: attention on paper. A query is held against a few keys; how well it fits each
   becomes a weight, and the output is that mixture of the values behind the keys. The four
   functions below are all of it. The other files then do with small numbers what you can do with
   a pencil (lesson.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/file.h"
#include "common/page.h"
#include "common/vmath.h"
#include "lesson.h"

/* weights[0..n) overwritten: none negative, and together one. The largest score is subtracted from
   each: that cancels in the division, and exp has nothing above 0 to work on. */
void softmax(float *weights, const float *scores, int n)
{
    float largest = scores[0], sum = 0.0f;
    for (int j = 1; j < n; j++) {
        largest = scores[j] > largest ? scores[j] : largest;
    }
    for (int j = 0; j < n; j++) {
        weights[j] = exp_f32(scores[j] - largest);
        sum += weights[j];
    }
    for (int j = 0; j < n; j++) {
        weights[j] /= sum;
    }
}

/* Large where two vectors point the same way, 0 at right angles, negative where they point
   apart. */
float dot(const float *x, const float *y, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* out (d_value) overwritten: the sum of the values, each times its weight. */
void mix(float *out, const float *weights, const struct Memory *memory)
{
    int d = memory->d_value;
    for (int i = 0; i < d; i++) {
        out[i] = 0.0f;
        for (int j = 0; j < memory->n; j++) {
            out[i] += weights[j] * memory->values[j * d + i];
        }
    }
}

/* Attention of one query (d_key): one row of Vaswani et al. (2017), eq. 1. answer overwritten. */
void attend(struct Answer *answer, const float *query, const struct Memory *memory, float scale)
{
    int d = memory->d_key;
    for (int j = 0; j < memory->n; j++) {
        answer->scores[j] = dot(query, memory->keys + j * d, d) * scale;
    }
    softmax(answer->weights, answer->scores, memory->n);
    mix(answer->out, answer->weights, memory);
}

/* "X,Y", both within the limit; false if text is anything else. */
static bool query_parse(float *query, const char *text, double limit)
{
    if (text[strspn(text, "+-.,0123456789eE")] != '\0') {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        char *end;
        double x = strtod(text, &end);
        if (end == text || *end != (i == 0 ? ',' : '\0') || !(fabs(x) <= limit)) {
            return false;
        }
        query[i] = (float)x;
        text = end + 1;
    }
    return true;
}

int main(int argc, char **argv)
{
    enum { LIMIT = 1000 };
    const char *text = "1,2";
    double sharpness = 1.0;
    float query[2];
    struct Common common;
    struct Option options[] = {
        {"query", OPTION_TEXT, &text, "X,Y",
         "what \"it\" asks for in section 1, each from -1000 to 1000", 0, 0, NULL, false},
        {"sharpness", OPTION_REAL, &sharpness, "S", "multiply that query by this", 0, LIMIT, NULL,
         false},
    };
    cli_parse(argc, argv, "Lesson 01: attention on paper.", "01-attention", &common, options,
              sizeof options / sizeof *options);
    if (!query_parse(query, text, LIMIT)) {
        die("--query takes two numbers from -%d to %d with a comma between them, such as 1,2, "
            "not \"%s\"",
            LIMIT, LIMIT, printable(text).text);
    }
    query[0] = query[0] * (float)sharpness + 0.0f; /* no -0 */
    query[1] = query[1] * (float)sharpness + 0.0f;
    struct Table *keys =
        table_new(common.out, "attention", "token key_x key_y value_x value_y score weight");
    struct Table *asked = table_new(common.out, "query", "query_x query_y output_x output_y");
    struct Table *sharp = table_new(common.out, "sharpness", "sharpness girl ball red ran");

    printf("Lesson 01. Attention on paper\n");
    report_sentence(query, keys, asked);
    report_roles();
    report_two_tokens();
    report_sharpness(sharp);
    report_softmax();
    report_common(common.seed);
    table_save(keys);
    table_save(asked);
    table_save(sharp);
    return page_verdict();
}
