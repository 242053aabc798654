/* The safetensors reader and writer: what is written reads back the same, and every kind of
   broken file is refused with its own sentence. Broken files are built here, byte by byte; then
   a good one is cut and altered everywhere. Each test works in a fresh directory. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/safetensors.h"
#include "tests/core/suites.h"

static char directory[] = "/tmp/test-safetensors-XXXXXX";
static const char path[] = "x.safetensors"; /* in that directory */
static char error[TENSOR_ERROR_SIZE];
static struct TensorFile file;

static void enter_directory(void)
{
    strcpy(strrchr(directory, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave_directory(void)
{
    unlink(path);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(rmdir(directory) == 0, "the test left something in %s", directory);
}

/* The number that the next file will get: it grows when a file is left open. */
static int next_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    close(fd);
    return fd;
}

static void put_bytes(const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fwrite(bytes, 1, size, stream), size);
    ck_assert_int_eq(fclose(stream), 0);
}

/* The bytes of a file: this header, then data_size bytes 0, 1, 2, ...; to be freed. */
static unsigned char *make_file(const char *header, size_t data_size, size_t *size)
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

static bool read_made(const char *header, size_t data_size)
{
    size_t size;
    unsigned char *bytes = make_file(header, data_size, &size);
    put_bytes(bytes, size);
    free(bytes);
    return safetensors_read(path, &file, error);
}

/* The error is one line that begins with the file's name and holds words; file is empty. */
static void assert_refused(const char *name, const char *words)
{
    size_t length = strlen(name);
    ck_assert_msg(strncmp(error, name, length) == 0, "\"%s\" should begin with %s", error, name);
    ck_assert_msg(strstr(error, words) != NULL, "\"%s\" should hold \"%s\"", error, words);
    for (const char *c = error; *c != '\0'; c++) {
        bool control = (unsigned char)*c < ' ' || *c == 0x7f;
        ck_assert_msg(!control, "\"%s\" holds the byte %d", error, *c);
    }
    ck_assert_int_eq(file.count, 0);
    ck_assert_ptr_null(file.tensors);
    ck_assert_ptr_null(file.data);
    ck_assert_ptr_null(file.header);
}

#define ENTRY(dtype, shape, offsets)                                                               \
    "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define ONE(dtype, shape, offsets) "{\"a\":" ENTRY(dtype, shape, offsets) "}"
#define TWO(first, second)                                                                         \
    "{\"a\":" ENTRY("\"U8\"", "[4]", first) ",\"b\":" ENTRY("\"U8\"", "[4]", second) "}"

/* A header, how many bytes of data follow it, and words of its refusal. */
static const struct {
    const char *header;
    size_t data_size;
    const char *words;
} broken[] = {
    {"", 0, "does not begin with {"},
    {"[]", 0, "does not begin with {"},
    {" {}", 0, "does not begin with {"},
    {"hello", 0, "does not begin with {"},
    {"{\"a\":", 0, "not valid JSON"},
    {"{} x", 0, "not valid JSON"},
    {"{\"a\":\"\xff\"}", 0, "not valid JSON"},
    {"{\"\\u0000\":{}}", 0, "not valid JSON"},
    {"{\"a\":{},\"a\":{}}", 0, "a name stands twice"},
    {"{\"a\":{\"shape\":[],\"shape\":[]}}", 0, "a name stands twice"},
    {"{\"__metadata__\":[]}", 0, "its __metadata__ is not a JSON object"},
    {"{\"__metadata__\":{\"epoch\":\"7\",\"lr\":0.1}}", 0, "the value of \"lr\" is not a string"},
    {"{\"a\":7}", 0, "tensor \"a\": its entry is not a JSON object"},
    {"{\"a\":{\"shape\":[],\"data_offsets\":[0,4]}}", 4, "tensor \"a\": its dtype is missing"},
    {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "tensor \"a\": its shape is missing"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 4, "tensor \"a\": its data_offsets is missing"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"stride\":[]}}", 4,
     "tensor \"a\": its entry has an unknown key \"stride\""},
    {ONE("7", "[1]", "[0,4]"), 4, "tensor \"a\": its dtype is not a string"},
    {ONE("\"F33\"", "[1]", "[0,4]"), 4, "tensor \"a\": its dtype \"F33\" is unknown"},
    {ONE("\"f32\"", "[1]", "[0,4]"), 4, "tensor \"a\": its dtype \"f32\" is unknown"},
    {ONE("\"F32\"", "1", "[0,4]"), 4, "tensor \"a\": its shape is not a list"},
    {ONE("\"F32\"", "{}", "[0,4]"), 4, "tensor \"a\": its shape is not a list"},
    {ONE("\"F32\"", "[1,-1]", "[0,4]"), 4, "tensor \"a\": entry 1 of its shape is not a whole"},
    {ONE("\"F32\"", "[1.0]", "[0,4]"), 4, "tensor \"a\": entry 0 of its shape is not a whole"},
    {ONE("\"F32\"", "[\"1\"]", "[0,4]"), 4, "tensor \"a\": entry 0 of its shape is not a whole"},
    {ONE("\"F32\"", "[99999999999999999999]", "[0,4]"), 4, "not valid JSON"},
    {ONE("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "tensor \"a\": its shape has 9 dimensions"},
    {ONE("\"F32\"", "[4294967296,4294967296]", "[0,4]"), 4, "tensor \"a\": its shape is too large"},
    {ONE("\"F32\"", "[4611686018427387905]", "[0,4]"), 4, "tensor \"a\": its shape is too large"},
    {ONE("\"F32\"", "[1]", "4"), 4, "tensor \"a\": its data_offsets are not two whole numbers"},
    {ONE("\"F32\"", "[1]", "[4]"), 4, "tensor \"a\": its data_offsets are not two whole numbers"},
    {ONE("\"F32\"", "[1]", "[0,4,8]"), 4, "its data_offsets are not two whole numbers"},
    {ONE("\"F32\"", "[1]", "[-4,0]"), 4, "its data_offsets are not two whole numbers"},
    {ONE("\"F32\"", "[1]", "[0,4.0]"), 4, "its data_offsets are not two whole numbers"},
    {ONE("\"F32\"", "[1]", "[4,0]"), 4, "tensor \"a\": its data_offsets end (0) before they begin"},
    {ONE("\"F32\"", "[2]", "[0,8]"), 7, "tensor \"a\": its data should end at byte 8, but"},
    {ONE("\"F32\"", "[2]", "[0,4]"), 4, "hold 4 bytes, but its shape and dtype F32 need 8"},
    {ONE("\"F16\"", "[2]", "[0,8]"), 8, "hold 8 bytes, but its shape and dtype F16 need 4"},
    {TWO("[0,4]", "[3,7]"), 7, "tensor \"b\": its data overlap those of \"a\""},
    {TWO("[1,5]", "[0,4]"), 5, "tensor \"a\": its data overlap those of \"b\""},
    {TWO("[0,4]", "[0,4]"), 4, "tensor \"b\": its data overlap those of \"a\""},
    {TWO("[0,4]", "[6,10]"), 10, "tensor \"b\": the 2 bytes before its data belong to no tensor"},
    {TWO("[9,13]", "[5,9]"), 13, "tensor \"b\": the 5 bytes before its data belong to no tensor"},
    {TWO("[4,8]", "[0,4]"), 11, "the last 3 bytes of the file belong to no tensor"},
    {"{}", 1, "the last 1 bytes of the file belong to no tensor"},
};

START_TEST(test_broken_header)
{
    ck_assert(!read_made(broken[_i].header, broken[_i].data_size));
    assert_refused("x.safetensors: ", broken[_i].words);
}
END_TEST

START_TEST(test_broken_start)
{
    unsigned char bytes[24] = {0};
    put_bytes("", 0);
    ck_assert(!safetensors_read(path, &file, error));
    assert_refused(path, "has 0 bytes, too few");
    put_bytes(bytes, 7);
    ck_assert(!safetensors_read(path, &file, error));
    assert_refused(path, "has 7 bytes, too few");

    memcpy(bytes, "\x11\0\0\0\0\0\0\0{              }", 24); /* 17 bytes of header in the last 16 */
    put_bytes(bytes, 24);
    ck_assert(!safetensors_read(path, &file, error));
    assert_refused(path, "its header should have 17 bytes, more than the file has");
    memset(bytes, 0xff, 8);
    put_bytes(bytes, 24);
    ck_assert(!safetensors_read(path, &file, error));
    assert_refused(path, "its header should have 18446744073709551615 bytes");

    memcpy(bytes, "\x01\xe1\xf5\x05\0\0\0\0", 8); /* 100,000,001, in a file that is long enough */
    put_bytes(bytes, 24);
    ck_assert_int_eq(truncate(path, 200000000), 0);
    ck_assert(!safetensors_read(path, &file, error));
    assert_refused(path, "its header has 100000001 bytes; the format allows at most 100000000");
}
END_TEST

START_TEST(test_no_plain_file)
{
    ck_assert(!safetensors_read("missing", &file, error));
    assert_refused("missing: ", "cannot be opened: No such file");
    ck_assert(!safetensors_read(".", &file, error));
    assert_refused(".: ", "is a directory");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!safetensors_read(path, &file, error)); /* and does not wait for a writer */
    assert_refused(path, "is a pipe or a device");
    ck_assert(!safetensors_read("/dev/zero", &file, error));
    assert_refused("/dev/zero: ", "is a pipe or a device");
    if (geteuid() != 0) { /* root may read everything */
        unlink(path);
        put_bytes("", 0);
        ck_assert_int_eq(chmod(path, 0), 0);
        ck_assert(!safetensors_read(path, &file, error));
        assert_refused(path, "cannot be opened: Permission denied");
    }
}
END_TEST

/* Names out of the file must not steer the terminal, nor push the reason out of the sentence. */
START_TEST(test_odd_names)
{
    char header[5000] = "{\"", name[4000];
    ck_assert(!read_made("{\"a\\u001b[2J\\nb\\u009b\":7}", 0));
    assert_refused("x.safetensors: tensor \"a\\x1b[2J\\x0ab\\xc2\\x9b\": its entry", "");
    ck_assert(!read_made("{\"__metadata__\":{\"\\r\":7}}", 0));
    assert_refused(path, "\"\\x0d\" is not a string");
    ck_assert(!read_made(ONE("\"\\t\"", "[]", "[]"), 0));
    assert_refused(path, "dtype \"\\x09\" is unknown");
    ck_assert(!read_made("{\"a\":{\"dtype\":1,\"shape\":1,\"data_offsets\":1,\"\\u202e\":1}}", 0));
    assert_refused(path, "unknown key \"\\xe2\\x80\\xae\"");
    ck_assert(!read_made("{\"a\":\x1b[2J\n", 0));
    assert_refused(path, "not valid JSON");

    memset(name, '\n', sizeof name);
    name[sizeof name - 1] = '\0';
    ck_assert(!safetensors_read(name, &file, error));
    assert_refused("\\x0a\\x0a", "...: cannot be opened");
    memset(name, 'n', sizeof name - 1);
    snprintf(header + 2, sizeof header - 2, "%s\":7}", name);
    ck_assert(!read_made(header, 0));
    assert_refused("x.safetensors: tensor \"nnn", "...\": its entry is not a JSON object");
}
END_TEST

START_TEST(test_deep_nesting)
{
    size_t depth = 1000000;
    char *header = calloc(depth + 6, 1);
    memcpy(header, "{\"a\":", 5);
    memset(header + 5, '[', depth);
    ck_assert(!read_made(header, 0));
    free(header);
    assert_refused(path, "not valid JSON: maximum parsing depth");
}
END_TEST

START_TEST(test_reads_what_the_format_allows)
{
    ck_assert(read_made("{}", 0));
    ck_assert_int_eq(file.count, 0);
    ck_assert_ptr_null(safetensors_find(&file, "a"));
    ck_assert_ptr_null(safetensors_metadata(&file, "a"));
    safetensors_free(&file);

    /* out of order, an odd start, a scalar, an empty tensor, eight dimensions, spaces behind */
    ck_assert(read_made(
        "{\"s\":" ENTRY("\"F32\"", "[]",
                        "[3,7]") ","
                                 "\"e\":" ENTRY("\"F64\"", "[5,0]",
                                                "[3,3]") ","
                                                         "\"u\":" ENTRY(
                                                             "\"U8\"", "[3]",
                                                             "[0,3]") ","
                                                                      "\"d\":" ENTRY(
                                                                          "\"BF16\"",
                                                                          "[1,1,2,1,1,1,1,2]",
                                                                          "[7,15]") "}   ",
        15));
    ck_assert_int_eq(file.count, 4);
    ck_assert_str_eq(file.tensors[0].name, "u");
    ck_assert_str_eq(file.tensors[1].name, "e");
    ck_assert_str_eq(file.tensors[2].name, "s");
    ck_assert_str_eq(file.tensors[3].name, "d");
    const struct Tensor *scalar = safetensors_find(&file, "s");
    ck_assert_int_eq(scalar->n_dims, 0);
    ck_assert_uint_eq(scalar->count, 1);
    ck_assert_int_eq(scalar->dtype, DTYPE_F32);
    ck_assert_mem_eq(scalar->data, "\3\4\5\6", 4);
    ck_assert_uint_eq(safetensors_find(&file, "e")->count, 0);
    ck_assert_int_eq(file.tensors[3].n_dims, 8);
    ck_assert_uint_eq(file.tensors[3].shape[7], 2);
    ck_assert_mem_eq(file.tensors[3].data, "\7\10\11\12\13\14\15\16", 8);
    for (int i = 0; i < file.count; i++) {
        ck_assert_uint_eq((size_t)file.tensors[i].data % 64, 0);
    }
    safetensors_free(&file);
    safetensors_free(&file); /* harmless */
}
END_TEST

START_TEST(test_every_dtype)
{
    static const struct {
        const char *name;
        enum Dtype dtype;
        int size;
    } cases[DTYPE_COUNT] = {
        {"F32", DTYPE_F32, 4},   {"I32", DTYPE_I32, 4}, {"I64", DTYPE_I64, 8},
        {"F64", DTYPE_F64, 8},   {"F16", DTYPE_F16, 2}, {"BF16", DTYPE_BF16, 2},
        {"I16", DTYPE_I16, 2},   {"I8", DTYPE_I8, 1},   {"U64", DTYPE_U64, 8},
        {"U32", DTYPE_U32, 4},   {"U16", DTYPE_U16, 2}, {"U8", DTYPE_U8, 1},
        {"BOOL", DTYPE_BOOL, 1},
    };
    char header[200];
    for (int i = 0; i < DTYPE_COUNT; i++) {
        snprintf(header, sizeof header, ONE("\"%s\"", "[3]", "[0,%d]"), cases[i].name,
                 3 * cases[i].size);
        ck_assert_msg(read_made(header, 3 * (size_t)cases[i].size), "%s", error);
        ck_assert_int_eq(file.tensors[0].dtype, cases[i].dtype);
        ck_assert_str_eq(dtype_name(cases[i].dtype), cases[i].name);
        ck_assert_uint_eq(dtype_size(cases[i].dtype), (size_t)cases[i].size);
        safetensors_free(&file);
    }
}
END_TEST

static const float weight[6] = {1.5f, -0.0f, 3e38f, 1e-45f, NAN, INFINITY};
static const int tokens[2] = {-100, 11};
static const struct Tensor written[] = {
    {.name = "blocks.0.weight",
     .dtype = DTYPE_F32,
     .n_dims = 2,
     .shape = {2, 3},
     .count = 6,
     .data = weight},
    {.name = "none", .dtype = DTYPE_F32, .n_dims = 1, .shape = {0}, .count = 0},
    {.name = "a \"\\\n\u00fc",
     .dtype = DTYPE_I32,
     .n_dims = 1,
     .shape = {2},
     .count = 2,
     .data = tokens},
    {.name = "one", .dtype = DTYPE_F32, .n_dims = 0, .count = 1, .data = weight},
};
static const char *const metadata[][2] = {{"lr", "0.003"}, {"odd \"\n", ""}};
enum { N_WRITTEN = sizeof written / sizeof written[0] };

START_TEST(test_round_trip)
{
    safetensors_write(path, written, N_WRITTEN, metadata, 2);
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
    ck_assert_int_eq(file.count, N_WRITTEN);
    for (int i = 0; i < N_WRITTEN; i++) {
        const struct Tensor *in = &written[i], *out = safetensors_find(&file, in->name);
        ck_assert_ptr_eq(out, &file.tensors[i]); /* the order is kept */
        ck_assert_int_eq(out->dtype, in->dtype);
        ck_assert_int_eq(out->n_dims, in->n_dims);
        ck_assert_mem_eq(out->shape, in->shape, sizeof in->shape);
        ck_assert_uint_eq(out->count, in->count);
        if (in->count > 0) {
            ck_assert_mem_eq(out->data, in->data, in->count * 4);
        }
    }
    ck_assert_str_eq(safetensors_metadata(&file, "lr"), "0.003");
    ck_assert_str_eq(safetensors_metadata(&file, "odd \"\n"), "");
    ck_assert_ptr_null(safetensors_metadata(&file, "epoch"));
    ck_assert_ptr_null(safetensors_find(&file, "__metadata__"));
    safetensors_free(&file);
    safetensors_write(path, written, 0, NULL, 0); /* replaces the first */
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
    ck_assert_int_eq(file.count, 0);
    safetensors_free(&file);
}
END_TEST

/* The bytes themselves, so that a mistake made both in writing and in reading shows. */
START_TEST(test_written_bytes)
{
    static const char expected[] =
        "\x50\0\0\0\0\0\0\0"
        "{\"__metadata__\":{},"
        "\"twos\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,8]}}     "
        "\x9c\xff\xff\xff\x0b\0\0\0";
    char bytes[200] = "";
    struct Tensor tensor = written[2];
    tensor.name = "twos";
    safetensors_write(path, &tensor, 1, NULL, 0);
    FILE *stream = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    ck_assert_uint_eq(size, sizeof expected - 1);
    ck_assert_mem_eq(bytes, expected, size);
}
END_TEST

/* The exit status of a program that writes these two tensors with n_metadata pairs. */
static int status_of_writing(const struct Tensor *first, const struct Tensor *second,
                             int n_metadata)
{
    static const char *const twice[][2] = {{"key", "1"}, {"key", "2"}};
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
        struct Tensor both[] = {*first, *second};
        safetensors_write(path, both, 2, twice, n_metadata);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(test_writer_refuses)
{
    struct Tensor other = written[0];
    ck_assert_int_eq(status_of_writing(&written[0], &written[2], 1), 0);
    unlink(path);
    ck_assert_int_eq(status_of_writing(&written[0], &other, 0), 2);
    ck_assert_int_eq(status_of_writing(&written[0], &written[2], 2), 2);
    other.name = "other";
    other.count = 5;
    ck_assert_int_eq(status_of_writing(&written[0], &other, 0), 2);
    other.count = 6;
    other.name = "\xff";
    ck_assert_int_eq(status_of_writing(&written[0], &other, 0), 2);
    other.name = "__metadata__";
    ck_assert_int_eq(status_of_writing(&written[0], &other, 0), 2);
    ck_assert_int_eq(access(path, F_OK), -1); /* nothing was written */
}
END_TEST

START_TEST(test_cut_everywhere)
{
    struct stat status;
    safetensors_write(path, written, N_WRITTEN, metadata, 2);
    ck_assert_int_eq(stat(path, &status), 0);
    for (off_t size = status.st_size - 1; size >= 0; size--) {
        ck_assert_int_eq(truncate(path, size), 0);
        ck_assert_msg(!safetensors_read(path, &file, error), "%d bytes were read", (int)size);
        assert_refused("x.safetensors: ", "");
    }
}
END_TEST

/* Each byte of the file is replaced by others. The data may be anything; a changed header is
   read or refused, and both end well. */
START_TEST(test_altered_everywhere)
{
    int descriptor = next_descriptor();
    static const char others[] = "\0 9[]{\",-\xff";
    size_t size;
    int n_refused = 0, n_read = 0;
    unsigned char *bytes =
        make_file("{\"__metadata__\":{\"k\":\"v\"},\"a\":" ENTRY(
                      "\"F32\"", "[1,2]", "[0,8]") ","
                                                   "\"b\":" ENTRY("\"U8\"", "[10]", "[8,18]") "}",
                  18, &size);
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < sizeof others; k++) {
            unsigned char kept = bytes[i];
            bytes[i] = (unsigned char)others[k];
            put_bytes(bytes, size);
            bytes[i] = kept;
            if (safetensors_read(path, &file, error)) {
                n_read++;
                safetensors_free(&file);
            } else {
                n_refused++;
                assert_refused("x.safetensors: ", "");
            }
        }
    }
    free(bytes);
    ck_assert_int_eq(next_descriptor(), descriptor);   /* every file was closed */
    ck_assert_int_gt(n_read, 18 * (int)sizeof others); /* all of the data, some letters of names */
    ck_assert_int_gt(n_refused, 1000);
}
END_TEST

START_TEST(test_finite)
{
    static const float odd[] = {0, NAN, 0, -INFINITY};
    struct Tensor tensor = {.name = "x", .dtype = DTYPE_F32, .count = 4, .data = weight};
    ck_assert(tensor_all_finite(&tensor)); /* the first four of weight */
    tensor.count = 5;
    ck_assert(!tensor_all_finite(&tensor)); /* and then NaN */
    tensor.count = 0;
    ck_assert(tensor_all_finite(&tensor));
    tensor.data = odd + 2;
    tensor.count = 2;
    ck_assert(!tensor_all_finite(&tensor));
    tensor.count = 1;
    ck_assert(tensor_all_finite(&tensor));
    tensor.dtype = DTYPE_I32;
    ck_assert(!tensor_all_finite(&tensor));
}
END_TEST

Suite *safetensors_suite(void)
{
    Suite *suite = suite_create("safetensors");
    TCase *cases = tcase_create("safetensors");
    tcase_add_checked_fixture(cases, enter_directory, leave_directory);
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, test_broken_header, 0, sizeof broken / sizeof broken[0]);
    tcase_add_test(cases, test_broken_start);
    tcase_add_test(cases, test_no_plain_file);
    tcase_add_test(cases, test_odd_names);
    tcase_add_test(cases, test_deep_nesting);
    tcase_add_test(cases, test_reads_what_the_format_allows);
    tcase_add_test(cases, test_every_dtype);
    tcase_add_test(cases, test_round_trip);
    tcase_add_test(cases, test_written_bytes);
    tcase_add_test(cases, test_writer_refuses);
    tcase_add_test(cases, test_cut_everywhere);
    tcase_add_test(cases, test_altered_everywhere);
    tcase_add_test(cases, test_finite);
    suite_add_tcase(suite, cases);
    return suite;
}
