/* Stands for safetensors.c and safetensors_write.c where there is no JSON library for the machine that
   is built for. Nothing can be read; what lesson 07 saves is not written, which its page does not show. */
#include "common/base.h"
#include "common/safetensors.h"

#include <stdio.h>

bool safetensors_read(const char *path, struct TensorFile *file, char error[TENSOR_ERROR_SIZE])
{
    *file = (struct TensorFile){0};
    snprintf(error, TENSOR_ERROR_SIZE, "%s: this build has no JSON library to read it with", path);
    return false;
}

void safetensors_write(const char *path, const struct Tensor *tensors, int count,
                       const char *const metadata[][2], int n_metadata)
{
    (void)path, (void)tensors, (void)count, (void)metadata, (void)n_metadata;
}

void safetensors_free(struct TensorFile *file)
{
    (void)file; /* always empty */
}

/* An empty file has nothing that could be asked about. */
const struct Tensor *safetensors_find(const struct TensorFile *file, const char *name)
{
    (void)file, (void)name;
    return NULL;
}

const char *safetensors_metadata(const struct TensorFile *file, const char *key)
{
    (void)file, (void)key;
    return NULL;
}

const char *dtype_name(enum Dtype dtype)
{
    (void)dtype;
    die("this build has no tensors from files");
}

bool tensor_all_finite(const struct Tensor *tensor)
{
    (void)tensor;
    die("this build has no tensors from files");
}
