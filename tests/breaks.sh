#!/bin/sh
# Do the tests notice? Breaks the core in each way of tests/breaks.txt, in a copy of the tree, and sees that the fast
# tests go red: first the suite that should notice, then all of the core's tests, then the lessons', then the pages.
#
#     sh tests/breaks.sh              all of them, two at a time (make test-breaks)
#     sh tests/breaks.sh WORD         those with WORD in their line
set -u
list=tests/breaks.txt
word=${1:-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

# Every program that the tests need, built in the copy $1.
build() {
    make -C "$1" -s build/test-core >"$1/log" 2>&1
}

lessons() {
    (cd lessons && ls -d [0-9]*)
}

build_lessons() {
    # shellcheck disable=SC2046
    make -C "$1" -s build/test-lessons $(lessons | sed 's/-.*//; s/^/lesson-/') >"$1/log" 2>&1
}

# In the copy $1: run a test, which must not take longer than it could. Red is also a hang or a crash.
green() {
    directory=$1
    shift
    (cd "$directory" && timeout 200 "$@" >log 2>&1)
}

# Where it goes red in the copy $1, asking the suite $2 first. Empty: nowhere.
red() {
    if ! green "$1" build/test-core "$2"; then
        echo "$2"
    elif ! green "$1" build/test-core; then
        echo "core"
    elif ! build_lessons "$1"; then
        echo 'does not compile'
    elif ! green "$1" build/test-lessons; then
        echo "lessons"
    elif ! green "$1" sh tests/pages.sh "$(lessons)" short; then
        echo "pages"
    fi
}

# The first test that failed, by name, of the log in $1.
first_failure() {
    sed -n 's/^tests\/[^:]*:[0-9]*:[FE]:[^:]*:\([a-z0-9_A-Z]*\):.*/\1/p' "$1/log" | head -1
}

# One line of the list, in the copy $1.
try() {
    copy=$1 suite=$2 file=common/$3 name=$4 command=$5
    cp -p "$copy/$file" "$copy/kept"
    sed "$command" "$copy/kept" >"$copy/$file"
    if cmp -s "$copy/kept" "$copy/$file"; then
        where='' verdict='CHANGES NOTHING'
    elif ! build "$copy"; then
        where='' verdict='DOES NOT COMPILE'
    else
        where=$(red "$copy" "$suite") verdict=SURVIVES
        case $where in
        'does not compile') verdict='DOES NOT COMPILE' where='' ;;
        ?*) verdict="red in $where $(first_failure "$copy")" ;;
        esac
    fi
    cp "$copy/kept" "$copy/$file" # with a new time, so that it is compiled again
    printf '%-20s %-29s %s\n' "$3" "$name" "$verdict"
    [ -n "$where" ]
}

# Every second line of the list, from line $2 on, in the copy $1.
half() {
    failed=0
    while read -r suite file name command; do
        try "$1" "$suite" "$file" "$name" "$command" </dev/null || failed=$((failed + 1))
    done <"$scratch/list$2"
    echo "$failed" >"$scratch/failed$2"
}

grep -v -e '^#' -e '^$' "$list" | grep -e "$word" | awk -v to="$scratch/list" '{ print > (to NR % 2) }'
touch "$scratch/list0" "$scratch/list1"
count=$(cat "$scratch/list0" "$scratch/list1" | wc -l)
[ "$count" -gt 0 ] || { echo "breaks: no line of $list has $word in it" >&2; exit 2; }

mkdir "$scratch/0"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -p --parents -t "$scratch/0"
if ! build "$scratch/0" || ! build_lessons "$scratch/0"; then
    cat "$scratch/0/log"
    exit 1
fi
for test in build/test-core build/test-lessons; do
    green "$scratch/0" "$test" || { echo "breaks: $test fails before anything is broken"; cat "$scratch/0/log"; exit 1; }
done
green "$scratch/0" sh tests/pages.sh "$(lessons)" short || { echo 'breaks: a page is wrong before anything is broken'; exit 1; }
cp -rp "$scratch/0" "$scratch/1"

half "$scratch/0" 0 &
half "$scratch/1" 1
wait
failed=$(($(cat "$scratch/failed0") + $(cat "$scratch/failed1")))
echo "breaks: $count ways to break the core, $failed of them unnoticed"
[ "$failed" -eq 0 ]
