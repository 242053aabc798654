#!/bin/sh
# A grader that is broken must not go unnoticed: break it in a copy, one line at a time, and see the
# tests of two exercises, and of answers that leave or overrun, go red.
set -u
copy=build/broken
rm -rf "$copy" && mkdir -p "$copy/build" || exit 1
cp -Rp Makefile setup common exercises tests "$copy" || exit 1
for part in flags answer-flags answer common common.a tests; do
    cp -Rp "build/$part" "$copy/build" || exit 1
done
cd "$copy" || exit 1
caught=0 missed=0

# broken WHAT FILE SED-COMMANDS: does any test notice?
broken() {
    cp -p "$2" kept
    sed "$3" kept >"$2"
    if cmp -s kept "$2"; then
        echo "$1: nothing was broken in $2" >&2
        missed=$((missed + 1))
    elif ! make -s build/test-exercises >log 2>&1; then
        echo "$1: does not compile:" >&2
        cat log >&2
        missed=$((missed + 1))
    elif red; then
        caught=$((caught + 1))
    else
        echo "$1: not noticed" >&2
        missed=$((missed + 1))
    fi
    cp -p kept "$2"
    touch "$2"
}

red() {
    for name in 01-softmax 02-scaled-dot leaving memory; do
        CK_RUN_CASE=$name build/test-exercises table table-rest hostile >log 2>&1 || return 0
    done
    ! CK_RUN_CASE=answers build/test-exercises experiments >log 2>&1
}

# As it is, the grader is whole.
if ! make -s build/test-exercises >log 2>&1 || red; then
    echo 'the tests are red although nothing is broken:' >&2
    cat log >&2
    exit 1
fi

graders=tests/graders
broken 'every answer passes' $graders/judge.c 's/right = false;/right = true;/'
broken 'NaN passes' $graders/compare.c 's/fabs(got - want) <= margin/!(fabs(got - want) > margin)/'
broken 'a changed input passes' $graders/judge.c 's/if (changed_input(t, &array, &index)) {/if (0) {/'
broken 'no check runs' $graders/run.c 's/cases, one_check, from, to/cases, one_check, from, from/'
broken 'an answer that ends the program passes' $graders/explain.c \
    's/return CRASH;/return PASS;/'
broken 'another exercise is linked' $graders/build.c \
    's/call.o", e->name/call.o", exercises[e == exercises[0]]->name/'
broken 'the solution is graded, not the answer' $graders/build.c \
    's/text = read_source(source, /text = read_source(source[0] ? solution : source, /'
broken 'whatever comes is taken for the stub' $graders/stub.c 's/if (c != next_code(&b))/if (c != next_code(\&b) \&\& c == 1)/'
broken 'no mistake is named' $graders/judge.c 's/if (explains(/if (0 \&\& explains(/'
broken 'the first mistake is always named' $graders/judge.c 's/; all && i < n/; i < n/; s/return all &&/return (all || n > 0) \&\&/'
broken 'one fixture is enough for a diagnosis' $graders/judge.c 's/all = matches(/all = i > 0 || matches(/'
broken 'any number passes' $graders/experiment.c 's/bool same = figure_same.*/bool same = true;/'
broken 'any letter passes' $graders/experiment.c 's/choice->sentence != NULL ?/false ?/'
broken 'an empty answer passes' $graders/experiment.c 's/if (m->answers\[i\].value\[0\] != .*/if (true) {/'
broken 'another number of the line is right' $graders/pages.c 's/figures\[place->number - 1\]/figures[0]/'
broken 'a page without the number will do' $graders/pages.c 's/place) < place->number/place) < 0/'
echo "broken graders: $caught noticed, $missed not"
[ "$caught" -gt 0 ] && [ "$missed" -eq 0 ]
