/* The header is judged first, each number of it against the size of the file, and only then is
   memory taken and data read. Each tensor is read into a place of its own, aligned to 64 bytes,
   since the file may hold it at any byte. A refusal is one sentence: refuse() writes it and
   returns false, and every step ends with "return refuse(...)" or true. */
#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"
#include "file.h"

enum { LENGTH_SIZE = 8, MAX_HEADER = 100000000, ALIGNMENT = 64 };

static const struct {
    const char *name;
    size_t size;
} dtypes[DTYPE_COUNT] = {
    [DTYPE_F32] = {"F32", 4},   [DTYPE_I32] = {"I32", 4}, [DTYPE_I64] = {"I64", 8},
    [DTYPE_F64] = {"F64", 8},   [DTYPE_F16] = {"F16", 2}, [DTYPE_BF16] = {"BF16", 2},
    [DTYPE_I16] = {"I16", 2},   [DTYPE_I8] = {"I8", 1},   [DTYPE_U64] = {"U64", 8},
    [DTYPE_U32] = {"U32", 4},   [DTYPE_U16] = {"U16", 2}, [DTYPE_U8] = {"U8", 1},
    [DTYPE_BOOL] = {"BOOL", 1},
};

/* What a refusal needs to know, and what the header is checked against. */
struct Reader {
    const char *path;
    const char *tensor; /* the one at hand, or NULL */
    char *error;
    int fd;
    size_t file_size, header_size, data_size;
};

const char *dtype_name(enum Dtype dtype)
{
    return dtypes[dtype].name;
}

size_t dtype_size(enum Dtype dtype)
{
    return dtypes[dtype].size;
}

size_t tensor_bytes(const struct Tensor *tensor)
{
    return tensor->count * dtype_size(tensor->dtype);
}

/* error := "path: tensor "name": message". The result is always false. */
__attribute__((format(printf, 2, 3))) static bool refuse(struct Reader *reader, const char *format,
                                                         ...)
{
    struct Printable path = printable(reader->path);
    struct Printable name = printable(reader->tensor != NULL ? reader->tensor : "");
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (reader->tensor != NULL) {
        snprintf(reader->error, TENSOR_ERROR_SIZE, "%s: tensor \"%s\": %s", path.text, name.text,
                 message);
    } else {
        snprintf(reader->error, TENSOR_ERROR_SIZE, "%s: %s", path.text, message);
    }
    return false;
}

static bool read_at(struct Reader *reader, void *bytes, size_t size, size_t offset)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t got = pread(reader->fd, at, size, (off_t)offset);
        if (got < 0 && errno != EINTR) {
            return refuse(reader, "cannot be read: %s", strerror(errno));
        }
        if (got == 0) {
            return refuse(reader, "became shorter while it was read");
        }
        if (got > 0) {
            at += got;
            offset += (size_t)got;
            size -= (size_t)got;
        }
    }
    return true;
}

static bool open_file(struct Reader *reader)
{
    struct stat status;
    reader->fd = open(reader->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no wait for a pipe */
    if (reader->fd < 0 || fstat(reader->fd, &status) != 0) {
        return refuse(reader, "cannot be opened: %s", strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return refuse(reader, "is a %s, not a safetensors file",
                      S_ISDIR(status.st_mode) ? "directory" : "pipe or a device");
    }
    reader->file_size = (size_t)status.st_size;
    return true;
}

static bool read_header_size(struct Reader *reader)
{
    unsigned char bytes[LENGTH_SIZE];
    uint64_t size = 0;
    if (reader->file_size < LENGTH_SIZE) {
        return refuse(reader, "has %zu bytes, too few for a safetensors file", reader->file_size);
    }
    if (!read_at(reader, bytes, sizeof bytes, 0)) {
        return false;
    }
    for (int i = LENGTH_SIZE - 1; i >= 0; i--) {
        size = size << 8 | bytes[i];
    }
    if (size > reader->file_size - LENGTH_SIZE) {
        return refuse(reader,
                      "its header should have %llu bytes, more than the file has "
                      "(cut short, or not a safetensors file)",
                      (unsigned long long)size);
    }
    if (size > MAX_HEADER) {
        return refuse(reader, "its header has %llu bytes; the format allows at most %d",
                      (unsigned long long)size, MAX_HEADER);
    }
    reader->header_size = size;
    reader->data_size = reader->file_size - LENGTH_SIZE - size;
    return true;
}

/* *header := the parsed JSON object, to be given to json_decref. */
static bool parse_header(struct Reader *reader, const char *text, json_t **header)
{
    json_error_t problem;
    if (reader->header_size == 0 || text[0] != '{') {
        return refuse(reader, "its header is no JSON object: it does not begin with {");
    }
    *header = json_loadb(text, reader->header_size, JSON_REJECT_DUPLICATES, &problem);
    if (*header == NULL && json_error_code(&problem) == json_error_duplicate_key) {
        return refuse(reader, "a name stands twice in its header: %s",
                      printable(problem.text).text);
    }
    if (*header == NULL) {
        return refuse(reader, "its header is not valid JSON: %s", printable(problem.text).text);
    }
    return true;
}

static bool read_header(struct Reader *reader, json_t **header)
{
    if (!read_header_size(reader)) {
        return false;
    }
    char *text = malloc(reader->header_size + 1);
    if (text == NULL) {
        return refuse(reader, "not enough memory for its header");
    }
    bool good = read_at(reader, text, reader->header_size, LENGTH_SIZE) &&
                parse_header(reader, text, header);
    free(text);
    return good;
}

static bool check_metadata(struct Reader *reader, json_t *metadata)
{
    const char *key;
    json_t *value;
    if (metadata != NULL && !json_is_object(metadata)) {
        return refuse(reader, "its __metadata__ is not a JSON object");
    }
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value)) {
            return refuse(reader, "in its __metadata__ the value of \"%s\" is not a string",
                          printable(key).text);
        }
    }
    return true;
}

static bool check_keys(struct Reader *reader, json_t *entry)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    enum { N_KEYS = sizeof keys / sizeof keys[0] };
    const char *key;
    json_t *value;
    if (!json_is_object(entry)) {
        return refuse(reader, "its entry is not a JSON object");
    }
    for (int i = 0; i < N_KEYS; i++) {
        if (json_object_get(entry, keys[i]) == NULL) {
            return refuse(reader, "its %s is missing", keys[i]);
        }
    }
    json_object_foreach(entry, key, value)
    {
        int i = 0;
        while (i < N_KEYS && strcmp(key, keys[i]) != 0) {
            i++;
        }
        if (i == N_KEYS) {
            return refuse(reader, "its entry has an unknown key \"%s\"", printable(key).text);
        }
    }
    return true;
}

static bool read_dtype(struct Reader *reader, json_t *value, enum Dtype *dtype)
{
    const char *name = json_string_value(value);
    if (name == NULL) {
        return refuse(reader, "its dtype is not a string");
    }
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            *dtype = (enum Dtype)i;
            return true;
        }
    }
    return refuse(reader, "its dtype \"%s\" is unknown", printable(name).text);
}

static bool read_whole_number(json_t *value, size_t *number)
{
    *number = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* Fills shape, n_dims and count. The number of bytes fits a size_t, too. */
static bool read_shape(struct Reader *reader, json_t *shape, struct Tensor *tensor)
{
    size_t n_dims = json_array_size(shape);
    size_t bytes = dtype_size(tensor->dtype);
    if (!json_is_array(shape)) {
        return refuse(reader, "its shape is not a list");
    }
    if (n_dims > TENSOR_MAX_DIMS) {
        return refuse(reader, "its shape has %zu dimensions; at most %d are supported", n_dims,
                      TENSOR_MAX_DIMS);
    }
    for (size_t i = 0; i < n_dims; i++) {
        size_t size;
        if (!read_whole_number(json_array_get(shape, i), &size)) {
            return refuse(reader, "entry %zu of its shape is not a whole number from 0", i);
        }
        if (__builtin_mul_overflow(bytes, size, &bytes)) {
            return refuse(reader, "its shape is too large for any memory");
        }
        tensor->shape[i] = size;
    }
    tensor->n_dims = (int)n_dims;
    tensor->count = bytes / dtype_size(tensor->dtype);
    return true;
}

static bool read_offsets(struct Reader *reader, json_t *offsets, struct Tensor *tensor)
{
    size_t begin, end;
    if (json_array_size(offsets) != 2 || !read_whole_number(json_array_get(offsets, 0), &begin) ||
        !read_whole_number(json_array_get(offsets, 1), &end)) {
        return refuse(reader, "its data_offsets are not two whole numbers from 0");
    }
    if (begin > end) {
        return refuse(reader, "its data_offsets end (%zu) before they begin (%zu)", end, begin);
    }
    if (end > reader->data_size) {
        return refuse(reader, "its data should end at byte %zu, but the file has %zu bytes of data",
                      end, reader->data_size);
    }
    if (end - begin != tensor_bytes(tensor)) {
        return refuse(reader,
                      "its data_offsets hold %zu bytes, but its shape and dtype %s need %zu",
                      end - begin, dtype_name(tensor->dtype), tensor_bytes(tensor));
    }
    tensor->begin = begin;
    return true;
}

static bool read_entry(struct Reader *reader, json_t *entry, struct Tensor *tensor)
{
    return check_keys(reader, entry) &&
           read_dtype(reader, json_object_get(entry, "dtype"), &tensor->dtype) &&
           read_shape(reader, json_object_get(entry, "shape"), tensor) &&
           read_offsets(reader, json_object_get(entry, "data_offsets"), tensor);
}

static bool read_entries(struct Reader *reader, struct TensorFile *file)
{
    const char *name;
    json_t *entry;
    file->tensors = calloc(json_object_size(file->header) + 1, sizeof file->tensors[0]);
    if (file->tensors == NULL) {
        return refuse(reader, "not enough memory for its list of tensors");
    }
    json_object_foreach(file->header, name, entry)
    {
        if (strcmp(name, "__metadata__") != 0) {
            struct Tensor *tensor = &file->tensors[file->count++];
            reader->tensor = tensor->name = name;
            if (!read_entry(reader, entry, tensor)) {
                return false;
            }
        }
    }
    reader->tensor = NULL;
    return true;
}

/* By begin; of two at the same place the empty one comes first, and of two empty ones the name
   rules. */
static int compare_places(const void *left, const void *right)
{
    const struct Tensor *a = left, *b = right;
    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

/* The data must be covered by the tensors, each byte once. */
static bool check_layout(struct Reader *reader, struct TensorFile *file)
{
    size_t end = 0;
    qsort(file->tensors, (size_t)file->count, sizeof file->tensors[0], compare_places);
    for (int i = 0; i < file->count; i++) {
        const struct Tensor *tensor = &file->tensors[i];
        reader->tensor = tensor->name;
        if (tensor->begin < end) {
            return refuse(reader, "its data overlap those of \"%s\"",
                          printable(file->tensors[i - 1].name).text);
        }
        if (tensor->begin > end) {
            return refuse(reader, "the %zu bytes before its data belong to no tensor",
                          tensor->begin - end);
        }
        end += tensor_bytes(tensor);
    }
    reader->tensor = NULL;
    if (end < reader->data_size) {
        return refuse(reader, "the last %zu bytes of the file belong to no tensor",
                      reader->data_size - end);
    }
    return true;
}

static size_t aligned_bytes(const struct Tensor *tensor)
{
    return (tensor_bytes(tensor) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool read_data(struct Reader *reader, struct TensorFile *file)
{
    size_t total = ALIGNMENT, data_offset = LENGTH_SIZE + reader->header_size;
    for (int i = 0; i < file->count; i++) {
        total += aligned_bytes(&file->tensors[i]);
    }
    char *place = file->data = aligned_alloc(ALIGNMENT, total);
    if (place == NULL) {
        return refuse(reader, "not enough memory for its %zu bytes of data", reader->data_size);
    }
    for (int i = 0; i < file->count; i++) {
        struct Tensor *tensor = &file->tensors[i];
        if (!read_at(reader, place, tensor_bytes(tensor), data_offset + tensor->begin)) {
            return false;
        }
        tensor->data = place;
        place += aligned_bytes(tensor);
    }
    return true;
}

bool safetensors_read(const char *path, struct TensorFile *file, char error[TENSOR_ERROR_SIZE])
{
    struct Reader reader = {.path = path, .error = error, .fd = -1};
    *file = (struct TensorFile){.count = 0};
    bool good = open_file(&reader) && read_header(&reader, &file->header) &&
                check_metadata(&reader, json_object_get(file->header, "__metadata__")) &&
                read_entries(&reader, file) && check_layout(&reader, file) &&
                read_data(&reader, file);
    if (reader.fd >= 0) {
        close(reader.fd);
    }
    if (!good) {
        safetensors_free(file);
    }
    return good;
}

const struct Tensor *safetensors_find(const struct TensorFile *file, const char *name)
{
    for (int i = 0; i < file->count; i++) {
        if (strcmp(file->tensors[i].name, name) == 0) {
            return &file->tensors[i];
        }
    }
    return NULL;
}

const char *safetensors_metadata(const struct TensorFile *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}

void safetensors_free(struct TensorFile *file)
{
    free(file->tensors);
    free(file->data);
    json_decref(file->header);
    *file = (struct TensorFile){.count = 0};
}

bool tensor_all_finite(const struct Tensor *tensor)
{
    const float *x = tensor->data;
    if (tensor->dtype != DTYPE_F32) {
        return false;
    }
    for (size_t i = 0; i < tensor->count; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}
