/* Text from outside is taken one character at a time: what is no character is spelled in
   hexadecimal here, and which characters steer a terminal is known to printable(). */
#include "text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/file.h"

/* How many bytes the UTF-8 character at s takes; 0 if there is none, or one that is not for use
   between programs (surrogates, U+FFFE and its like), which XML forbids. */
static int character_bytes(const unsigned char *s)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (n <= 1) {
        return n;
    }
    unsigned code = s[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) { /* the zero at the end, too, is none */
            return 0;
        }
        code = code << 6 | (s[i] & 0x3f);
    }
    bool valid = s[0] < 0xf8 && code >= least[n] && code <= 0x10ffff &&
                 (code < 0xd800 || code > 0xdfff) && (code & 0xfffe) != 0xfffe;
    return valid ? n : 0;
}

struct Clean clean(const char *text)
{
    enum { ROOM_FOR_ONE_MORE = 4 * 4 + sizeof "..." };
    struct Clean result;
    const unsigned char *from = (const unsigned char *)text;
    char *to = result.text, *last = result.text + sizeof result.text - ROOM_FOR_ONE_MORE;
    bool whole = strlen(text) < LINE; /* then there is room, whatever it is made of */
    while (*from != '\0' && (whole || to < last)) {
        char one[5] = "";
        int n = character_bytes(from);
        if (n == 0) {
            to += sprintf(to, "\\x%02x", *from++);
        } else {
            memcpy(one, from, (size_t)n);
            to = stpcpy(to, printable(one).text);
            from += n;
        }
    }
    strcpy(to, *from == '\0' ? "" : "...");
    return result;
}

int text_width(const char *text, size_t bytes)
{
    int width = 0;
    for (size_t i = 0; i < bytes; i++) {
        width += ((unsigned char)text[i] & 0xc0) != 0x80; /* not the rest of a character */
    }
    return width;
}

void text_open(struct Gathered *text)
{
    text->stream = open_memstream(&text->bytes, &text->size);
    if (text->stream == NULL) {
        die("out of memory");
    }
}

char *text_take(struct Gathered *text)
{
    if (ferror(text->stream) || fclose(text->stream) != 0) {
        die("out of memory");
    }
    return text->bytes;
}

void text_save(struct Gathered *text, const char *path)
{
    char *bytes = text_take(text);
    file_replace(path, bytes, text->size);
    free(bytes);
}

void json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0) {
        die("out of memory, or a text that is no UTF-8");
    }
}
