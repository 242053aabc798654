/* The safetensors reader and writer: what is written reads back the same, and every kind of broken
   file is refused with its own sentence. Broken files are built here, byte by byte; then a good one
   is cut and altered everywhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/safetensors.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

static char error[TENSOR_ERROR_SIZE];
static struct TensorFile file;

/* The bytes of a file: this header, then data_size bytes 0, 1, 2, ... */
static unsigned char *file_bytes(const char *header, size_t data_size, size_t *size)
{
    size_t header_size = strlen(header);
    *size = 8 + header_size + data_size;
    unsigned char *bytes = calloc(*size, 1);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(header_size >> 8 * i);
    }
    memcpy(bytes + 8, header, header_size);
    for (size_t i = 0; i < data_size; i++) {
        bytes[8 + header_size + i] = (unsigned char)i;
    }
    return bytes;
}

static void put_x(const char *header, size_t data_size)
{
    size_t size;
    unsigned char *bytes = file_bytes(header, data_size, &size);
    put("x", bytes, size);
    free(bytes);
}

static void read_x(void)
{
    ck_assert_msg(safetensors_read("x", &file, error), "%s", error);
}

/* The file is refused with one printable line like pattern, and file is left empty. */
static void assert_refused(const char *path, const char *pattern)
{
    ck_assert_msg(!safetensors_read(path, &file, error), "it was read: %s", pattern);
    assert_printable(error);
    assert_like(error, pattern);
    ck_assert(file.count == 0 && file.tensors == NULL && file.data == NULL && file.header == NULL);
}

/* Broken files. */

#define ENTRY(name, dtype, shape, offsets)                                                         \
    "\"" name "\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define U8(name, shape, offsets) ENTRY(name, "\"U8\"", shape, offsets)
#define F32(shape, offsets) "{" ENTRY("a", "\"F32\"", shape, offsets) "}"
#define TWO(first, second) "{" U8("a", "[4]", first) "," U8("b", "[4]", second) "}"

/* A header, how many bytes of data follow it, and its refusal. */
static const struct {
    const char *header;
    size_t data_size;
    const char *refusal;
} broken[] = {
    {"", 0, "x: its header is no JSON object: it does not begin with {"},
    {"[]", 0, "x: its header is no JSON object: it does not begin with {"},
    {" {}", 0, "x: its header is no JSON object: it does not begin with {"},
    {"{\"a\":", 0, "x: its header is not valid JSON: ..."},
    {"{} x", 0, "x: its header is not valid JSON: ..."},
    {"{\"a\":\"\xff\"}", 0, "x: its header is not valid JSON: ..."},
    {"{\"\\u0000\":{}}", 0, "x: its header is not valid JSON: ..."},
    {"{\"a\":\x1b[2J\n", 0, "x: its header is not valid JSON: ..."},
    {"{\"a\":{},\"a\":{}}", 0, "x: a name stands twice in its header: ..."},
    {"{\"a\":{\"shape\":[],\"shape\":[]}}", 0, "x: a name stands twice in its header: ..."},
    {"{\"__metadata__\":[]}", 0, "x: its __metadata__ is not a JSON object"},
    {"{\"__metadata__\":{\"k\":\"7\",\"lr\":0.1}}", 0, "x: ...the value of \"lr\" is not a string"},
    {"{\"__metadata__\":{\"\\r\":7}}", 0, "x: ...the value of \"\\x0d\" is not a string"},
    {"{\"a\":7}", 0, "x: tensor \"a\": its entry is not a JSON object"},
    {"{\"a\\u001b[2J\\nb\\u009b\":7}", 0, "x: tensor \"a\\x1b[2J\\x0ab\\xc2\\x9b\": its entry..."},
    {"{\"a\":{\"shape\":1,\"data_offsets\":1}}", 0, "x: tensor \"a\": its dtype is missing"},
    {"{\"a\":{\"dtype\":1,\"data_offsets\":1}}", 0, "x: tensor \"a\": its shape is missing"},
    {"{\"a\":{\"dtype\":1,\"shape\":1}}", 0, "x: tensor \"a\": its data_offsets is missing"},
    {"{\"a\":{\"dtype\":1,\"shape\":1,\"data_offsets\":1,\"\\u202e\":1}}", 0,
     "x: tensor \"a\": its entry has an unknown key \"\\xe2\\x80\\xae\""},
    {"{" ENTRY("a", "7", "[1]", "[0,4]") "}", 4, "x: tensor \"a\": its dtype is not a string"},
    {"{" ENTRY("a", "\"f32\"", "1", "1") "}", 4, "x: tensor \"a\": its dtype \"f32\" is unknown"},
    {"{" ENTRY("a", "\"\\t\"", "1", "1") "}", 4, "x: tensor \"a\": its dtype \"\\x09\" is unknown"},
    {F32("1", "[0,4]"), 4, "x: tensor \"a\": its shape is not a list"},
    {F32("{}", "[0,4]"), 4, "x: tensor \"a\": its shape is not a list"},
    {F32("[1,-1]", "[0,4]"), 4, "x: tensor \"a\": entry 1 of its shape is not a whole number..."},
    {F32("[1.0]", "[0,4]"), 4, "x: tensor \"a\": entry 0 of its shape is not a whole number..."},
    {F32("[\"1\"]", "[0,4]"), 4, "x: tensor \"a\": entry 0 of its shape is not a whole number..."},
    {F32("[99999999999999999999]", "[0,4]"), 4, "x: its header is not valid JSON: ..."},
    {F32("[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "x: ...its shape has 9 dimensions; at most 8 are..."},
    {F32("[4294967296,4294967296]", "[0,4]"), 4, "x: ...its shape is too large for any memory"},
    {F32("[4611686018427387905]", "[0,4]"), 4, "x: ...its shape is too large for any memory"},
    {F32("[1]", "4"), 4, "x: tensor \"a\": its data_offsets are not two whole numbers from 0"},
    {F32("[1]", "[0,4,8]"), 4, "x: tensor \"a\": its data_offsets are not two whole numbers..."},
    {F32("[1]", "[-4,0]"), 4, "x: tensor \"a\": its data_offsets are not two whole numbers..."},
    {F32("[1]", "[0,4.0]"), 4, "x: tensor \"a\": its data_offsets are not two whole numbers..."},
    {F32("[1]", "[4,0]"), 4, "x: tensor \"a\": its data_offsets end (0) before they begin (4)"},
    {F32("[2]", "[0,8]"), 7,
     "x: tensor \"a\": its data should end at byte 8, but the file has 7 bytes of data"},
    {F32("[2]", "[0,4]"), 4,
     "x: tensor \"a\": its data_offsets hold 4 bytes, but its shape and dtype F32 need 8"},
    {F32("[1]", "[0,8]"), 8, "x: ...data_offsets hold 8 bytes, but its shape and dtype F32 need 4"},
    {TWO("[0,4]", "[3,7]"), 7, "x: tensor \"b\": its data overlap those of \"a\""},
    {TWO("[1,5]", "[0,4]"), 5, "x: tensor \"a\": its data overlap those of \"b\""},
    {TWO("[0,4]", "[0,4]"), 4, "x: tensor \"b\": its data overlap those of \"a\""},
    {TWO("[0,4]", "[6,10]"), 10,
     "x: tensor \"b\": the 2 bytes before its data belong to no tensor"},
    {TWO("[9,13]", "[5,9]"), 13, "x: tensor \"b\": the 5 bytes before its data belong to no..."},
    {TWO("[4,8]", "[0,4]"), 11, "x: the last 3 bytes of the file belong to no tensor"},
    {"{}", 1, "x: the last 1 bytes of the file belong to no tensor"},
};

START_TEST(a_broken_header_is_refused)
{
    put_x(broken[_i].header, broken[_i].data_size);
    assert_refused("x", broken[_i].refusal);
}
END_TEST

START_TEST(a_broken_start_is_refused)
{
    put("x", "", 0);
    assert_refused("x", "x: has 0 bytes, too few for a safetensors file");
    put("x", "\x02\0\0\0\0\0\0", 7);
    assert_refused("x", "x: has 7 bytes, too few...");
    put("x", "\x11\0\0\0\0\0\0\0{              }", 24);
    assert_refused("x",
                   "x: its header should have 17 bytes, more than the file has (cut short, ...");
    put("x", "\xff\xff\xff\xff\xff\xff\xff\xff{              }", 24);
    assert_refused("x", "x: its header should have 18446744073709551615 bytes, more than...");
    put("x", "\x01\xe1\xf5\x05\0\0\0\0{              }", 24);
    ck_assert_int_eq(truncate("x", 200000000), 0); /* long enough for that */
    assert_refused("x", "x: its header has 100000001 bytes; the format allows at most 100000000");
}
END_TEST

START_TEST(what_is_no_plain_file_is_refused)
{
    assert_refused("missing", "missing: cannot be opened: No such file...");
    assert_refused(".", ".: is a directory, not a safetensors file");
    assert_refused("/dev/zero", "/dev/zero: is a pipe or a device, not a safetensors file");
    ck_assert_int_eq(mkfifo("pipe", 0600), 0); /* it does not wait for a writer */
    assert_refused("pipe", "pipe: is a pipe or a device, not a safetensors file");
    if (geteuid() != 0) { /* root may read everything */
        put_x("{}", 0);
        ck_assert_int_eq(chmod("x", 0), 0);
        assert_refused("x", "x: cannot be opened: Permission denied");
    }
}
END_TEST

/* A name out of the file must not push the reason out of the sentence, nor depth the stack. */
START_TEST(what_is_very_long_is_refused)
{
    enum { LONG = 4000, DEEP = 1000000 };
    static char name[LONG + 1], header[DEEP + 10];
    memset(name, '\n', LONG);
    assert_refused(name, "\\x0a\\x0a...: cannot be opened: ...");
    memset(name, 'n', LONG);
    snprintf(header, sizeof header, "{\"%s\":7}", name);
    put_x(header, 0);
    assert_refused("x", "x: tensor \"nnn...\": its entry is not a JSON object");
    memset(header, '[', DEEP);
    memcpy(header, "{\"a\":", 5);
    put_x(header, 0);
    assert_refused("x", "x: its header is not valid JSON: maximum parsing depth...");
}
END_TEST

/* Good files. Out of order, an odd start, a scalar, an empty one, eight dimensions, spaces. */
START_TEST(what_the_format_allows_is_read)
{
    static const char scalar[] = ENTRY("s", "\"F32\"", "[]", "[3,7]");
    static const char empty[] = ENTRY("e", "\"F64\"", "[5,0]", "[3,3]");
    static const char deep[] = ENTRY("d", "\"BF16\"", "[1,1,2,1,1,1,1,2]", "[7,15]");
    char header[400];
    snprintf(header, sizeof header, "{%s,%s,%s,%s}   ", scalar, empty, U8("u", "[3]", "[0,3]"),
             deep);
    put_x(header, 15);
    read_x();
    ck_assert_int_eq(file.count, 4);
    for (int i = 0; i < file.count; i++) {
        ck_assert_int_eq(file.tensors[i].name[0], "uesd"[i]); /* in the order of their data */
        ck_assert_uint_eq((size_t)file.tensors[i].data % 64, 0);
    }
    const struct Tensor *s = safetensors_find(&file, "s"), *d = &file.tensors[3];
    ck_assert(s->n_dims == 0 && s->count == 1 && s->dtype == DTYPE_F32);
    ck_assert_mem_eq(s->data, "\3\4\5\6", 4);
    ck_assert_uint_eq(safetensors_find(&file, "e")->count, 0);
    ck_assert(d->n_dims == 8 && d->shape[7] == 2);
    ck_assert_mem_eq(d->data, "\7\10\11\12\13\14\15\16", 8);
    safetensors_free(&file);
    safetensors_free(&file); /* harmless */
    put_x("{}", 0);
    read_x();
    ck_assert_int_eq(file.count, 0);
    ck_assert(safetensors_find(&file, "a") == NULL && safetensors_metadata(&file, "a") == NULL);
}
END_TEST

START_TEST(every_dtype_is_known)
{
    static const char *const names[DTYPE_COUNT] = {"F32", "I32", "I64", "F64", "F16", "BF16", "I16",
                                                   "I8",  "U64", "U32", "U16", "U8",  "BOOL"};
    static const size_t sizes[DTYPE_COUNT] = {4, 4, 8, 8, 2, 2, 2, 1, 8, 4, 2, 1, 1};
    char header[200];
    for (int i = 0; i < DTYPE_COUNT; i++) {
        snprintf(header, sizeof header, "{" ENTRY("a", "\"%s\"", "[3]", "[0,%zu]") "}", names[i],
                 3 * sizes[i]);
        put_x(header, 3 * sizes[i]);
        read_x();
        ck_assert_int_eq(file.tensors[0].dtype, (enum Dtype)i);
        ck_assert_str_eq(dtype_name((enum Dtype)i), names[i]);
        ck_assert_uint_eq(dtype_size((enum Dtype)i), sizes[i]);
    }
    ck_assert(DTYPE_F32 == 0 && DTYPE_I32 == 1 && DTYPE_BOOL == DTYPE_COUNT - 1);
}
END_TEST

/* Writing. */

static const float weight[6] = {1.5f, -0.0f, 3e38f, 1e-45f, NAN, INFINITY};
static const int tokens[2] = {-100, 11};
static const struct Tensor written[] = {
    {"blocks.0.weight", DTYPE_F32, 2, {2, 3}, 6, weight, 0},
    {"none", DTYPE_F32, 1, {0}, 0, NULL, 0},
    {"a \"\\\n\u00fc", DTYPE_I32, 1, {2}, 2, tokens, 0},
    {"one", DTYPE_F32, 0, {0}, 1, weight, 0},
};
static const char *const metadata[][2] = {{"lr", "0.003"}, {"odd \"\n", ""}};

START_TEST(what_is_written_is_read)
{
    put("x", "old", 3);
    ck_assert_int_eq(link("x", "old"), 0);
    safetensors_write("x", written, COUNT(written), metadata, 2);
    read_x();
    ck_assert_int_eq(file.count, COUNT(written));
    for (int i = 0; i < file.count; i++) {
        const struct Tensor *in = &written[i], *out = safetensors_find(&file, in->name);
        ck_assert_ptr_eq(out, &file.tensors[i]); /* the order is kept */
        ck_assert(out->dtype == in->dtype && out->n_dims == in->n_dims && out->count == in->count);
        ck_assert_mem_eq(out->shape, in->shape, sizeof in->shape);
        ck_assert(in->count == 0 || memcmp(out->data, in->data, 4 * in->count) == 0);
    }
    ck_assert_str_eq(safetensors_metadata(&file, "lr"), "0.003");
    ck_assert_str_eq(safetensors_metadata(&file, "odd \"\n"), "");
    ck_assert_ptr_null(safetensors_metadata(&file, "epoch"));
    ck_assert_ptr_null(safetensors_find(&file, "__metadata__"));
    ck_assert_str_eq(names_in("."), "old x");
    ck_assert_str_eq(content("old", NULL), "old"); /* x is another file, not this one filled anew */
}
END_TEST

/* The bytes themselves, so that a mistake made both in writing and in reading shows. */
START_TEST(the_written_bytes_are_pinned)
{
    static const char wanted[] =
        "\x50\0\0\0\0\0\0\0"
        "{\"__metadata__\":{},"
        "\"twos\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,8]}}     "
        "\x9c\xff\xff\xff\x0b\0\0\0";
    size_t size;
    struct Tensor tensor = written[2];
    tensor.name = "twos";
    safetensors_write("x", &tensor, 1, NULL, 0);
    char *bytes = content("x", &size);
    ck_assert_uint_eq(size, sizeof wanted - 1);
    ck_assert_mem_eq(bytes, wanted, size);
}
END_TEST

static int n_pairs;

/* Two tensors, and n_pairs of metadata. */
static void write_two(const void *tensors)
{
    static const char *const twice[][2] = {{"key", "1"}, {"key", "2"}};
    safetensors_write("y", tensors, 2, twice, n_pairs);
}

START_TEST(what_no_reader_would_accept_is_not_written)
{
    struct Tensor two[] = {written[0], written[0]};
    assert_died(run(write_two, two), "workbook: cannot write y: the name \"blocks.0.weight\" is "
                                     "there twice, or is not UTF-8");
    two[1].name = "\xff";
    assert_died(run(write_two, two),
                "workbook: cannot write y: the name \"...\" is there twice...");
    two[1].name = "__metadata__";
    assert_died(run(write_two, two), "workbook: cannot write y: the name \"__metadata__\" is...");
    two[1].name = "other";
    two[1].count = 5;
    assert_died(run(write_two, two), "workbook: cannot write y: tensor \"other\" has 5 numbers, "
                                     "but its shape has 6");
    two[1].count = 6;
    n_pairs = 2;
    assert_died(run(write_two, two),
                "workbook: cannot write y: the name \"key\" is there twice...");
    ck_assert_str_eq(names_in("."), "");
    n_pairs = 1;
    ck_assert_int_eq(run(write_two, two).status, 0);
}
END_TEST

/* A good file, cut and altered. */

START_TEST(a_file_cut_anywhere_is_refused)
{
    size_t size;
    safetensors_write("x", written, COUNT(written), metadata, 2);
    content("x", &size);
    while (size-- > 0) {
        ck_assert_int_eq(truncate("x", (off_t)size), 0);
        assert_refused("x", "x: ...");
    }
}
END_TEST

/* The number that the next file will get: it grows when a file is left open. */
static int next_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    close(fd);
    return fd;
}

/* Each byte is replaced by others. The data may be anything; a changed header is read or refused,
   and both end well. */
START_TEST(a_file_altered_anywhere_is_read_or_refused)
{
    static const char header[] = "{\"__metadata__\":{\"k\":\"v\"}," U8("a", "[8]", "[0,8]") "," U8(
        "b", "[2,5]", "[8,18]") "}";
    static const char others[] = "\0 9[]{\",-\xff";
    size_t size, n_read = 0, n_refused = 0;
    int descriptor = next_descriptor();
    unsigned char *bytes = file_bytes(header, 18, &size);
    for (size_t i = 0; i < size * sizeof others; i++) {
        unsigned char *byte = &bytes[i / sizeof others], kept = *byte;
        *byte = (unsigned char)others[i % sizeof others];
        put("x", bytes, size);
        *byte = kept;
        if (safetensors_read("x", &file, error)) {
            n_read++;
            safetensors_free(&file);
        } else {
            n_refused++;
            assert_refused("x", "x: ...");
        }
    }
    ck_assert_int_eq(next_descriptor(), descriptor); /* every file was closed */
    ck_assert(n_read > 18 * sizeof others && n_refused > 1000);
}
END_TEST

START_TEST(only_finite_floats_are_all_finite)
{
    struct Tensor t = {.dtype = DTYPE_F32, .data = weight};
    for (t.count = 0; t.count <= 6; t.count++) {
        ck_assert_int_eq(tensor_all_finite(&t), t.count < 5); /* then comes NaN */
    }
    t.data = weight + 5;
    t.count = 1;
    ck_assert(!tensor_all_finite(&t)); /* infinity */
    t.data = tokens;
    t.dtype = DTYPE_I32;
    ck_assert(!tensor_all_finite(&t));
}
END_TEST

Suite *safetensors_suite(void)
{
    Suite *suite = suite_create("safetensors");
    TCase *cases = new_case(suite, "safetensors", enter_directory);
    tcase_add_loop_test(cases, a_broken_header_is_refused, 0, COUNT(broken));
    tcase_add_test(cases, a_broken_start_is_refused);
    tcase_add_test(cases, what_is_no_plain_file_is_refused);
    tcase_add_test(cases, what_is_very_long_is_refused);
    tcase_add_test(cases, what_the_format_allows_is_read);
    tcase_add_test(cases, every_dtype_is_known);
    tcase_add_test(cases, what_is_written_is_read);
    tcase_add_test(cases, the_written_bytes_are_pinned);
    tcase_add_test(cases, what_no_reader_would_accept_is_not_written);
    tcase_add_test(cases, a_file_cut_anywhere_is_refused);
    tcase_add_test(cases, a_file_altered_anywhere_is_read_or_refused);
    tcase_add_test(cases, only_finite_floats_are_all_finite);
    return suite;
}
