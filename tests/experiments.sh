#!/bin/sh
# The pages that exercises 14 to 18 are graded by, as far as no lesson records them: the runs with
# options of their own. They stand in tests/expected/experiments/.
#
#     sh tests/experiments.sh               compare: run them all, about three minutes
#     sh tests/experiments.sh short         only those that take seconds
#     sh tests/experiments.sh write         take what is printed now as what is expected
#
# Like write, but for the table of ten seeds in exercise 17, another three minutes:
#
#     sh tests/experiments.sh seeds >tests/expected/experiments/17-seeds.txt
set -u
mode=${1:-compare}
passed=0 failed=0

# page NAME COMMAND: its page. The exercise must tell the learner to run the same command.
page() {
    expected=tests/expected/experiments/$1.txt
    out=build/experiments/$1
    readme=$(echo exercises/"${1%%-*}"-*/README.md)
    if ! grep -qF -- "$2" "$readme"; then
        echo "$readme does not say $2" >&2
        failed=$((failed + 1))
        return
    fi
    mkdir -p "$out" "${expected%/*}"
    if ! $2 --out "$out" >"$out/page.txt"; then
        echo "$2: a claim failed, or the program did" >&2
        failed=$((failed + 1))
    elif [ "$mode" = write ]; then
        cp "$out/page.txt" "$expected"
        passed=$((passed + 1))
    elif ! diff -u "$expected" "$out/page.txt" >&2; then
        echo "$2: the page is not the one in $expected" >&2
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
}

# seeds NAME OPTIONS: how many of 500 strings are right, with each of ten seeds, in order.
seeds() {
    printf '%-24s' "$1"
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        # shellcheck disable=SC2086
        ./lesson-07 $2 --seed $seed --out build/experiments/seeds |
            sed -n 's/.*fresh strings of 3 to 8 letters: \([0-9]*\) right.*/\1/p'
    done | sort -n | awk '{ printf " %d", $1 } END { print "" }'
}

[ -x ./lesson-07 ] && [ -x ./lesson-08 ] || { echo 'make lesson-07 lesson-08 first' >&2; exit 1; }

if [ "$mode" = seeds ]; then
    echo 'Right of 500 strings of 3 to 8 letters, seeds 1 to 10, in order'
    seeds 'one block, one head' '--layers 1 --heads 1'
    seeds '  5,000 steps' '--layers 1 --heads 1 --steps 5000'
    seeds '  90 wide' '--layers 1 --heads 1 --width 90'
    seeds 'one block, two heads' '--layers 1 --heads 2'
    seeds 'two blocks of one head' '--layers 2 --heads 1'
    exit
fi
page 17-short './lesson-07 --layers 1 --heads 1'
page 17-long './lesson-07 --layers 1 --heads 1 --steps 5000'
page 17-two-heads './lesson-07 --layers 1 --heads 2'
page 17-wide './lesson-07 --layers 1 --heads 1 --width 90'
if [ "$mode" != short ]; then
    wide='--width 256 --steps 750'
    page 14-scaled "./lesson-08 --run reference $wide"
    page 14-scaled-slowly "./lesson-08 --run reference $wide --lr 0.001"
    page 14-unscaled-slowly "./lesson-08 --run no-scale $wide --lr 0.001"
fi
echo "pages of experiments: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
