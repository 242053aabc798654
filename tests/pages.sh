#!/bin/sh
# Every lesson prints the page that stands in tests/expected/, byte for byte.
#
#     sh tests/pages.sh 'LESSON NAMES'              compare (make test-pages)
#     sh tests/pages.sh 'LESSON NAMES' write        take what is printed now as what is expected
set -u
lessons=$1
mode=${2:-compare}
passed=0 failed=0

for lesson in $lessons; do
    number=${lesson%%-*}
    expected=tests/expected/$lesson.txt
    out=build/pages/$lesson
    mkdir -p "$out"
    if ! "./lesson-$number" --out "$out" >"$out/page.txt" 2>"$out/errors.txt"; then
        echo "$lesson: a claim failed, or the program did" >&2
        grep FAILS "$out/page.txt" >&2
        cat "$out/errors.txt" >&2
        failed=$((failed + 1))
    elif [ -s "$out/errors.txt" ]; then
        echo "$lesson: stderr is no terminal, and yet it says:" >&2
        cat "$out/errors.txt" >&2
        failed=$((failed + 1))
    elif ! awk 'length($0) > 80 { exit 1 }' "$out/page.txt"; then
        echo "$lesson: a line of its page is over 80 columns" >&2
        failed=$((failed + 1))
    elif [ "$mode" = write ]; then
        cp "$out/page.txt" "$expected"
        passed=$((passed + 1))
    elif ! diff -u "$expected" "$out/page.txt" >&2; then
        echo "$lesson: the page is not the one in $expected" >&2
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done
echo "pages: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
