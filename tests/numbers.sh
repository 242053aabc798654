#!/bin/sh
# No number in a lesson's README that no run has printed: each one with two digits or more must stand
# in a file under tests/expected/ that begins with the lesson's number. Code, links and the years of
# publications (2017) are not looked at. The READMEs of experiments may quote lessons 07 and 08 too.
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
        -e 's/[a-z][a-z]*-[0-9][0-9]//g' -e 's/Lesson [0-9][0-9]//g' "$1"
}

# look README PAGES: are its numbers on one of these pages?
look() {
    readme=$1
    shift
    known=$(cat "$@" | numbers)
    for number in $(prose "$readme" | numbers); do
        checked=$((checked + 1))
        if ! echo "$known" | grep -qxF -- "$number"; then
            echo "$readme says $number, and no page under tests/expected/ does" >&2
            failed=$((failed + 1))
        fi
    done
}

for lesson in $lessons; do
    look "lessons/$lesson/README.md" tests/expected/"${lesson%%-*}"-*.txt
done
for answers in tests/solutions/*.txt; do
    exercise=$(basename "$answers" .txt)
    look "exercises/$exercise/README.md" tests/expected/0[78]-*.txt tests/expected/experiments/*.txt
done
echo "numbers: $((checked - failed)) passed, $failed failed"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
