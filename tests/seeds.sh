#!/bin/sh
# One seed proves nothing: lesson 07 with the first N seeds (20), a line each, then the middle.
# `sh tests/seeds.sh >tests/expected/07-seeds.txt` is how that file was made; it takes minutes.
set -u
n=${1:-20}
out=build/seeds
mkdir -p "$out"
[ -x ./lesson-07 ] || { echo 'make lesson-07 first' >&2; exit 1; }

# value WORDS: the number that follows these words on the page
value() {
    sed -n "s/.*$1[^0-9n]*\(not\|[0-9][0-9,]*\).*/\1/p" "$out/page.txt" | head -n 1
}

echo 'seed  mean of 25 steps  500 fresh  of those that training  200 strings of'
echo '      below 0.01 at     right      never saw, right        9 to 12, right'
seed=1
while [ "$seed" -le "$n" ]; do
    ./lesson-07 --seed $seed --out "$out" >"$out/page.txt"
    printf '%4d  %16s  %9s  %22s  %14s\n' $seed "$(value 'first below 0.01: ')" \
        "$(value 'to 8 letters: ')" \
        "$(sed -n 's/ *\([0-9]*\) of them training never saw: \([0-9]*\).*/\2 of \1/p' "$out/page.txt")" \
        "$(value '9 to 12 letters: ')"
    seed=$((seed + 1))
done | tee "$out/table.txt"

# "not" sorts behind every number.
awk '{ print $2 }' "$out/table.txt" | sed 's/not/999999/' | sort -n | sed 's/999999/never/' | awk '
    { step[NR] = $1 }
    END { printf "in order, the middle two of %d: %s and %s; the first and the last: %s and %s\n",
                 NR, step[NR / 2], step[NR / 2 + 1], step[1], step[NR] }'
