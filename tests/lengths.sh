#!/bin/sh
# The study of lesson 12, whole, and a quarter as long: their pages in tests/expected/, and the table of the whole one,
# of which figure 12-length is drawn. They train for half an hour, so they are no part of make test.
#
#     sh tests/lengths.sh               compare
#     sh tests/lengths.sh write         take what is printed now as what is expected
set -u
mode=${1:-compare}
failed=0
[ -x ./lesson-12 ] || { echo 'make lesson-12 first' >&2; exit 1; }

# same FILE EXPECTED: are they? Or, to write, make them so.
same() {
    if [ "$mode" = write ]; then
        cp "$1" "tests/expected/$2"
    else
        diff -u "tests/expected/$2" "$1" >&2
    fi || failed=1
}

# study NAME OPTIONS: its page.
study() {
    mkdir -p "build/lengths/$1"
    # shellcheck disable=SC2086
    if ./lesson-12 --study $2 --out "build/lengths/$1" >"build/lengths/$1/page.txt"; then
        same "build/lengths/$1/page.txt" "$1.txt"
    else
        echo "$1: a claim failed, or the program did" >&2
        failed=1
    fi
}

study 12-study-1500 '--steps 1500'
study 12-study ''
same build/lengths/12-study/study.tsv 12-study.tsv
exit $failed
