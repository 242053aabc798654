#!/bin/sh
# What happens to a run in real life: it is killed, the disk fills up, the reader of its page goes away, somebody else
# writes to the same place. Afterwards every file that is there is whole, and the next run works.
#
#     sh tests/faults.sh MAKE    (make test-faults; tests/lessons has the terminals, the environments and /dev/full)
set -u
make=${1:-make}
checkout=$(pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM
failed=0
MOMENTS=50

# A small training with every file that there can be. run SEED DIRECTORY
small='--width 16 --heads 2 --layers 1 --batch 8 --steps 20'
run() {
    # shellcheck disable=SC2086
    "$checkout/lesson-07" $small --seed "$1" --out "$2" --save "$2/saved.safetensors"
}

# fail WORDS: say what went wrong. pass WORDS: what was tried.
fail() {
    echo "faults: $1" >&2
    failed=$((failed + 1))
}
before=0
pass() {
    [ "$failed" -eq "$before" ] && echo "faults: $1"
    before=$failed
}

# Each file in directory $1 is, byte for byte, what the undisturbed run in one of the other directories made of it.
# Names with a dot and six letters behind them are temporary; temporary counts them.
temporary=0
whole() {
    directory=$1
    shift
    for file in "$directory"/*; do
        [ -e "$file" ] || continue
        name=${file##*/} same=no
        case $name in
        *.??????) [ -e "$1/$name" ] || { temporary=$((temporary + 1)) && rm "$file" && continue; } ;;
        esac
        for other in "$@"; do
            cmp -s "$file" "$other/$name" && same=yes
        done
        [ $same = yes ] || fail "$name is the whole file of no run"
    done
}

# A new run in directory $1 works, as if nothing had been.
next_works() {
    run 1 "$1" >"$1/page.txt" 2>"$scratch/said" || fail "the next run does not work: $(cat "$scratch/said")"
    cmp -s "$1/page.txt" "$scratch/one/page.txt" || fail 'the next run prints another page'
    whole "$1" "$scratch/one"
    [ "$(ls "$1")" = "$(ls "$scratch/one")" ] || fail "the next run leaves other files: $(ls "$1")"
}

# now: the time in milliseconds. moments SIGNAL: stop a run at MOMENTS random moments of its time. timeout runs it in
# the foreground, since what runs behind a shell ignores SIGINT.
now() {
    date +%s%3N
}
moments() {
    rm -rf "$scratch/out"
    mkdir "$scratch/out"
    begin=$(now)
    run 1 "$scratch/out" >"$scratch/out/page.txt"
    length=$(($(now) - begin + 20))
    awk -v n=$MOMENTS -v length_="$length" 'BEGIN { srand(); for (i = 0; i < n; i++) print rand() * length_ / 1000 }' \
        >"$scratch/moments"
    stopped=0 temporary=0
    while read -r moment; do
        seed=$((seed % 2 + 1))
        # shellcheck disable=SC2086
        timeout --foreground -s "$1" "$moment" env --default-signal=INT "$checkout/lesson-07" $small --seed $seed \
            --out "$scratch/out" --save "$scratch/out/saved.safetensors" >/dev/null 2>&1 </dev/null ||
            stopped=$((stopped + 1))
        rm -f "$scratch/out/page.txt"
        whole "$scratch/out" "$scratch/one" "$scratch/two"
    done <"$scratch/moments"
    [ "$stopped" -gt 0 ] || fail "no run was stopped by SIG$1"
    next_works "$scratch/out"
}

seed=0
mkdir "$scratch/one" "$scratch/two"
run 1 "$scratch/one" >"$scratch/one/page.txt" && run 2 "$scratch/two" >"$scratch/two/page.txt" || exit 1

moments KILL 2>/dev/null
pass "kill -9 at $MOMENTS moments ($stopped before the end): every file whole; temporary files left: $temporary"

moments INT
[ "$temporary" -eq 0 ] || fail "Ctrl-C left $temporary temporary files"
pass "Ctrl-C at $MOMENTS moments ($stopped before the end): every file whole, no temporary file"

# Two at once.
mkdir "$scratch/both"
for i in 1 2 3 4 5; do
    run 1 "$scratch/both" >/dev/null &
    run 2 "$scratch/both" >/dev/null || fail 'one of two runs at once does not work'
    wait $! || fail 'one of two runs at once does not work'
    temporary=0
    whole "$scratch/both" "$scratch/one" "$scratch/two"
    [ "$temporary" -eq 0 ] || fail 'two runs at once leave a temporary file'
done
next_works "$scratch/both"
pass "two runs at once into one directory, $i times: each file is whole, from one of the two"

# A reader that goes away: the run is killed by SIGPIPE, or, where that is ignored, says that stdout is gone.
mkdir "$scratch/pipe"
run 1 "$scratch/pipe" | head -1 >"$scratch/head"
grep -q '^Lesson 07' "$scratch/head" || fail 'head -1 does not see the first line'
temporary=0
whole "$scratch/pipe" "$scratch/one"
(trap '' PIPE && run 1 "$scratch/pipe" 2>"$scratch/said"; echo $? >"$scratch/status") | true
whole "$scratch/pipe" "$scratch/one"
[ "$(cat "$scratch/status")" = 2 ] || fail 'a page that nobody reads is taken for a success'
grep -q 'could not be written to stdout' "$scratch/said" || fail 'a page that nobody reads: the reason is not said'
[ "$temporary" -eq 0 ] || fail 'a closed pipe leaves a temporary file'
next_works "$scratch/pipe"
pass 'a page whose reader goes away (| head -1): every file whole'

# A disk that is full, and one that is read-only; root may write where others may not, but not there. In a name space
# of its own, where it may be mounted without asking.
cat >"$scratch/disk.sh" <<'END'
mount -t tmpfs -o size=200k none "$1" && mkdir "$1/out" || exit 77
try() { "$2" $3 --out "$1/out" --save "$1/out/saved.safetensors" "$4" "$5"; }
try "$1" "$2" "$3" --seed 1 >/dev/null || exit 1
head -c 1000000 /dev/zero >"$1/filler" 2>/dev/null
try "$1" "$2" "$3" --seed 2 >"$4/full.page" 2>"$4/full.said"; echo $? >"$4/full.status"
rm "$1/filler"; mkdir "$4/full"; cp "$1"/out/* "$4/full"
mount -o remount,ro "$1" || exit 77
try "$1" "$2" "$3" --seed 2 >"$4/ro.page" 2>"$4/ro.said"; echo $? >"$4/ro.status"
mkdir "$4/ro"; cp "$1"/out/* "$4/ro"
END
mkdir "$scratch/disk"
unshare --user --map-root-user --mount sh "$scratch/disk.sh" "$scratch/disk" ./lesson-07 "$small" "$scratch" 2>"$scratch/said"
case $? in
0)
    for what in full ro; do
        temporary=0
        whole "$scratch/$what" "$scratch/one" "$scratch/two"
        [ "$temporary" -eq 0 ] || fail "a disk that is $what: a temporary file is left"
        [ "$(cat "$scratch/$what.status")" = 2 ] || fail "a disk that is $what: status $(cat "$scratch/$what.status")"
        [ "$(wc -l <"$scratch/$what.said")" -eq 1 ] || fail "a disk that is $what: it says $(cat "$scratch/$what.said")"
    done
    grep -q 'No space left' "$scratch/full.said" || fail "a full disk: it says $(cat "$scratch/full.said")"
    grep -q 'Read-only file system' "$scratch/ro.said" || fail "a read-only disk: it says $(cat "$scratch/ro.said")"
    [ -s "$scratch/ro.page" ] && fail 'a read-only disk is noticed only after the work'
    pass 'a full disk, a read-only disk: one line, status 2, the files before are whole'
    ;;
*) echo "faults: no disk of our own can be mounted here ($(head -1 "$scratch/said")): full and read-only disks not tried" ;;
esac

# A checkout in a path that a careless script trips over; eight compilers at once.
place="$scratch/a b's \"c\" \$d/x"
mkdir -p "$place"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -p --parents -t "$place"
at() {
    (cd "$place" && "$make" --no-print-directory OPT=-O0 "$@")
}
at -j8 lesson-01 lesson-03 >"$scratch/log" 2>&1 || fail "make -j8 does not work: $(tail -3 "$scratch/log")"
at run-01 >/dev/null 2>&1 || fail 'make run-01 does not work in a path with spaces and quotes'
at -j8 figures/01-attention.svg figures/01-sharpness.svg figures/03-mask.svg >"$scratch/log" 2>&1 ||
    fail "figures cannot be drawn in a path with spaces and quotes: $(tail -3 "$scratch/log")"
for page in 01-attention 03-mask; do
    cmp -s "$place/out/$page/page.txt" "tests/expected/$page.txt" || fail "make -j8: another page of $page"
done
at check >"$scratch/log" 2>&1 || fail "make check does not work in a path with spaces and quotes: $(tail -3 "$scratch/log")"
grep -q 'TODO' "$scratch/log" || fail 'make check in a path with spaces and quotes grades nothing'
pass "a path with spaces and quotes: $(printf '%s' "${place#"$scratch/"}"); make -j8"

# make, interrupted: as it compiles, and as it runs lessons and draws.
interrupted=0
for moment in 0.2 0.5 1 1.5 2 3; do
    rm -rf "$place/build/common" "$place"/build/common.a "$place"/build/lesson-0* "$place/lesson-01" "$place/lesson-03" \
        "$place/figures" "$place/out"
    (cd "$place" && timeout -s INT $moment env --default-signal=INT "$make" -j2 OPT=-O0 lesson-01 lesson-03 \
        figures/01-attention.svg figures/03-mask.svg) >"$scratch/log" 2>&1 </dev/null || interrupted=$((interrupted + 1))
    for page in 01-attention 03-mask; do
        [ ! -e "$place/out/$page/page.txt" ] || cmp -s "$place/out/$page/page.txt" "tests/expected/$page.txt" ||
            fail "make, interrupted after $moment s: half of the page of $page"
    done
    for figure in "$place"/figures/*; do
        [ ! -e "$figure" ] || [ "$(tail -n 2 "$figure")" = '</svg>' ] || fail "make, interrupted after $moment s: half of $figure"
    done
    left=$(find "$place/out" "$place/figures" -name '*.[0-9]*[0-9]' 2>/dev/null)
    [ -z "$left" ] || fail "make, interrupted after $moment s, leaves $left"
done
at lesson-02 >"$scratch/log" 2>&1
for moment in 0.3 0.5 0.7; do # lesson 02 takes longer than the others: here it is what is interrupted
    rm -rf "$place/out/02-scale"
    (cd "$place" && timeout -s INT $moment env --default-signal=INT "$make" OPT=-O0 out/02-scale/page.txt) \
        >"$scratch/log" 2>&1 </dev/null || interrupted=$((interrupted + 1))
    left=$(find "$place/out/02-scale" -name 'page.txt*' 2>/dev/null)
    [ -z "$left" ] || fail "make, interrupted in a lesson, leaves $left"
done
[ "$interrupted" -gt 3 ] || fail 'make was seldom interrupted'
at lesson-01 figures/01-attention.svg figures/03-mask.svg >"$scratch/log" 2>&1 || fail "make does not work after it was interrupted: $(tail -3 "$scratch/log")"
cmp -s "$place/out/03-mask/page.txt" tests/expected/03-mask.txt || fail 'make prints another page after it was interrupted'
pass "make, interrupted $interrupted times: no half of a page or a figure, and it goes on from there"

[ "$failed" -eq 0 ]
