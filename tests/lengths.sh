#!/bin/sh
# The study of lesson 12, whole: its page and its table in tests/expected/. It trains for minutes, so it is no part of
# make test.
#
#     sh tests/lengths.sh               compare
#     sh tests/lengths.sh write         take what is printed now as what is expected
set -u
mode=${1:-compare}
failed=0
[ -x ./lesson-12 ] || { echo 'make lesson-12 first' >&2; exit 1; }

# study NAME OPTIONS: its page and its table.
study() {
    out=build/lengths/$1
    mkdir -p "$out"
    # shellcheck disable=SC2086
    if ! ./lesson-12 --study $2 --out "$out" >"$out/page.txt"; then
        echo "$1: a claim failed, or the program did" >&2
        failed=1
    elif [ "$mode" = write ]; then
        cp "$out/page.txt" "tests/expected/$1.txt"
        cp "$out/study.tsv" "tests/expected/$1.tsv"
    else
        diff -u "tests/expected/$1.txt" "$out/page.txt" >&2 || failed=1
        cmp "tests/expected/$1.tsv" "$out/study.tsv" || failed=1
    fi
}

study 12-study ''
exit $failed
