#!/bin/sh
# Every lesson prints the page that stands in tests/expected/, byte for byte.
#
#     sh tests/pages.sh 'LESSON NAMES'              compare (make test-pages)
#     sh tests/pages.sh 'LESSON NAMES' short        the same, but long runs shortened (FAST=1)
#     sh tests/pages.sh 'LESSON NAMES' write        take what is printed now as what is expected
set -u
lessons=$1
mode=${2:-compare}
passed=0 failed=0

# What shortens a long run; its page is NN-name-short.txt.
short_options() {
    case $1 in
    08-faults) echo '--steps 100' ;;
    11-tiles) echo '--longest 512' ;;
    12-positions) echo '--steps 20 --tested 5' ;;
    13-retrieval) echo '--steps 40 --most 8' ;;
    esac
}

# A second page of a lesson: its options, and its name.
second_page() {
    case $1 in
    07-train) echo '--study longer' 07-longer ;;
    13-retrieval) echo '--seeds 20 --seed 1' 13-seeds ;;
    esac
}

# page LESSON OPTIONS EXPECTED DIRECTORY: one page.
page() {
    lesson=$1
    number=${lesson%%-*}
    expected=tests/expected/$3.txt
    out=build/pages/$4
    mkdir -p "$out"
    # shellcheck disable=SC2086
    if ! "./lesson-$number" $2 --out "$out" >"$out/page.txt" 2>"$out/errors.txt"; then
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
}

for lesson in $lessons; do
    options=$(short_options "$lesson")
    if [ -n "$options" ] && [ "$mode" != compare ]; then
        page "$lesson" "$options" "$lesson-short" "$lesson"
        [ "$mode" = short ] && continue
    fi
    page "$lesson" '' "$lesson" "$lesson"
    second=$(second_page "$lesson")
    [ -n "$second" ] && [ "$mode" != short ] &&
        page "$lesson" "${second% *}" "${second##* }" "${second##* }"
done
echo "pages: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
