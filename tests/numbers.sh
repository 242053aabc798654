#!/bin/sh
# No number in a lesson's README that no run has printed: each one with two digits or more must stand
# in a file under tests/expected/ that begins with the lesson's number. Code, links and the years of
# publications (2017) are not looked at.
#
#     sh tests/numbers.sh 'LESSON NAMES'            (make test-pages)
set -u
lessons=$1
checked=0 failed=0

numbers() {
    grep -oE '[0-9][0-9,]*(\.[0-9]+)?' | sed 's/,$//' | grep -E '[0-9].*[0-9]' | sort -u
}

# The page without indented code, code in backquotes, (links), (years) and names of lessons.
prose() {
    # shellcheck disable=SC2016
    sed -e '/^    /d' -e 's/`[^`]*`//g' -e 's/]([^)]*)/]/g' -e 's/([12][0-9][0-9][0-9])//g' \
        -e 's/[a-z][a-z]*-[0-9][0-9]//g' "$1"
}

for lesson in $lessons; do
    page=lessons/$lesson/README.md
    known=$(cat tests/expected/"${lesson%%-*}"-*.txt | numbers)
    for number in $(prose "$page" | numbers); do
        checked=$((checked + 1))
        if ! echo "$known" | grep -qxF -- "$number"; then
            echo "$page says $number, and no page under tests/expected/ does" >&2
            failed=$((failed + 1))
        fi
    done
done
echo "numbers: $((checked - failed)) passed, $failed failed"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
