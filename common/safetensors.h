/* safetensors: named tensors in one file, as PyTorch's tools read and write them
   (https://github.com/huggingface/safetensors, "Format"): 8 bytes with the length of the header
   (little-endian), the header (JSON: {"name": {"dtype", "shape", "data_offsets": [begin, end]},
   ...}, and strings under "__metadata__"), then the numbers (little-endian, rows first). A file
   is checked whole before any of it is used. */
#ifndef COMMON_SAFETENSORS_H
#define COMMON_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>

enum { TENSOR_MAX_DIMS = 8, TENSOR_ERROR_SIZE = 1000 };

/* All are known, so that a user can refuse one with a clear word: dtype_name says which it is. */
enum Dtype {
    DTYPE_F32,
    DTYPE_I32,
    DTYPE_I64,
    DTYPE_F64,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_I16,
    DTYPE_I8,
    DTYPE_U64,
    DTYPE_U32,
    DTYPE_U16,
    DTYPE_U8,
    DTYPE_BOOL,
    DTYPE_COUNT
};

struct Tensor {
    const char *name;
    enum Dtype dtype;
    int n_dims; /* 0: a single number */
    size_t shape[TENSOR_MAX_DIMS];
    size_t count;     /* of numbers: the product of the shape */
    const void *data; /* count numbers; from a file: aligned to 64 bytes */
    size_t begin;     /* where data_offsets place it; the writer ignores it */
};

/* Owns its tensors, with their names and data. They stand in the order of their data in the
   file. */
struct TensorFile {
    int count;
    struct Tensor *tensors;
    void *data;
    struct json_t *header;
};

const char *dtype_name(enum Dtype dtype); /* "F32", ... */
size_t dtype_size(enum Dtype dtype);      /* in bytes */
size_t tensor_bytes(const struct Tensor *tensor);

/* Read and check path. On success file is filled, to be given to safetensors_free. On failure the
   result is false, file is empty and error holds one sentence that names the file, the tensor and
   what is wrong, safe to print. Never dies. */
bool safetensors_read(const char *path, struct TensorFile *file, char error[TENSOR_ERROR_SIZE]);

/* The tensor of that name, or NULL. */
const struct Tensor *safetensors_find(const struct TensorFile *file, const char *name);

/* The string under "__metadata__" for key, or NULL. */
const char *safetensors_metadata(const struct TensorFile *file, const char *key);

void safetensors_free(struct TensorFile *file);

/* Write tensors[0..count), in that order, and the pairs {key, value} of metadata (may be NULL
   when n_metadata is 0) to path, which is there whole or not at all (file_replace). Dies when
   the disk is full, and on what no reader would accept: a name twice, a count that is not its
   shape's product. */
void safetensors_write(const char *path, const struct Tensor *tensors, int count,
                       const char *const metadata[][2], int n_metadata);

/* Is this F32 without NaN and infinity? Any other dtype is false. */
bool tensor_all_finite(const struct Tensor *tensor);

#endif
