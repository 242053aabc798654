/* The other direction: the header is built as JSON, the data follow in the order given, and the
   file takes its place in one step. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "file.h"
#include "safetensors.h"

enum { LENGTH_SIZE = 8 };

/* Put value, which is given away, under a new key of object. A key that is there already, or is no
   text, leaves the object as large as it was. */
static void set_new(json_t *object, const char *key, json_t *value, const char *path)
{
    size_t size = json_object_size(object);
    json_object_set_new(object, key, value);
    if (json_object_size(object) == size) {
        die("cannot write %s: the name \"%s\" is there twice, or is not UTF-8",
            printable(path).text, printable(key).text);
    }
}

/* The header's entry of a tensor whose data stand at begin. */
static json_t *describe(const struct Tensor *tensor, size_t begin, const char *path)
{
    size_t count = 1, end = begin + tensor_bytes(tensor);
    for (int i = 0; i < tensor->n_dims; i++) {
        count *= tensor->shape[i];
    }
    if (count != tensor->count) {
        die("cannot write %s: tensor \"%s\" has %zu numbers, but its shape has %zu",
            printable(path).text, printable(tensor->name).text, tensor->count, count);
    }
    json_t *shape = json_array();
    for (int i = 0; i < tensor->n_dims; i++) {
        json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i]));
    }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtype_name(tensor->dtype), "shape", shape,
                     "data_offsets", (json_int_t)begin, (json_int_t)end);
}

/* The header's JSON, padded with spaces to a multiple of 8; *size is its length. To be freed. */
static char *header_text(const char *path, const struct Tensor *tensors, int count,
                         const char *const metadata[][2], int n_metadata, size_t *size)
{
    json_t *header = json_object(), *strings = json_object();
    for (int i = 0; i < n_metadata; i++) {
        set_new(strings, metadata[i][0], json_string(metadata[i][1]), path);
    }
    set_new(header, "__metadata__", strings, path);
    size_t begin = 0;
    for (int i = 0; i < count; i++) {
        set_new(header, tensors[i].name, describe(&tensors[i], begin, path), path);
        begin += tensor_bytes(&tensors[i]);
    }
    char *text = json_dumps(header, JSON_COMPACT);
    char *padded = NULL;
    json_decref(header);
    *size = text == NULL ? 0 : (strlen(text) + 7) / 8 * 8;
    if (text == NULL || asprintf(&padded, "%-*s", (int)*size, text) < 0) {
        die("out of memory");
    }
    free(text);
    return padded;
}

void safetensors_write(const char *path, const struct Tensor *tensors, int count,
                       const char *const metadata[][2], int n_metadata)
{
    size_t header_size, size;
    char *header = header_text(path, tensors, count, metadata, n_metadata, &header_size);
    size = LENGTH_SIZE + header_size;
    for (int i = 0; i < count; i++) {
        size += tensor_bytes(&tensors[i]);
    }
    unsigned char *bytes = zeros_new(size, 1), *at = bytes + LENGTH_SIZE + header_size;
    for (int i = 0; i < LENGTH_SIZE; i++) {
        bytes[i] = (unsigned char)((uint64_t)header_size >> 8 * i);
    }
    memcpy(bytes + LENGTH_SIZE, header, header_size);
    for (int i = 0; i < count; i++) {
        if (tensors[i].count > 0) { /* an empty one may have no data at all */
            memcpy(at, tensors[i].data, tensor_bytes(&tensors[i]));
        }
        at += tensor_bytes(&tensors[i]);
    }
    file_replace(path, bytes, size);
    free(bytes);
    free(header);
}
