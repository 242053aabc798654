/* file: what a program leaves on the disk is whole or not there at all. Bytes go to a temporary
   name in the same directory, which then takes the place of the old file in one step (rename). A
   kill -9 in the middle can leave that temporary name (path.XXXXXX) behind, never half of the file
   itself; other signals, Ctrl-C among them, wait for the end of it. Every function here dies with
   one line that says which path and why. */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stddef.h>

/* Make the directory and those above it where they are missing; die unless it can be written
   into. */
void directory_make(const char *path);

/* Die now, before hours of training, if file_replace could not write to path later: its
   directory is missing or not writable, or path is a directory, a link or a device. Leaves path
   as it is. */
void file_check_writable(const char *path);

/* path := size bytes, with the permissions that the umask gives to any new file. On failure (disk
   full, ...) the old file stands as it was, the temporary one is removed, and the program dies. Two
   programs may replace the same path at once: one of the two files stays, whole. */
void file_replace(const char *path, const void *bytes, size_t size);

/* Text from outside (a path, an option, a name in a file) in a form that is safe to print in one
   line: what could steer a terminal becomes \xNN, and the end of long text becomes "...".
   Use: die("cannot read %s", printable(path).text). */
struct Printable {
    char text[200];
};
struct Printable printable(const char *text);

#endif
