#!/bin/sh
# The same bits everywhere: every compiler, level, machine and number of threads that can be had here
# trains 20 steps (train20.c) and prints the page of each lesson. Each must give what the first gives,
# byte for byte.
#
#     sh tests/portability/run.sh          (make portability does it; it takes minutes)
set -u
. tests/short.sh
. tests/portability/build.sh
rows=0 bad=0 threads=8 first='' left=''

# The numbers of threads take turns, so that each machine sees them all.
next_threads() {
    case $threads in
    1) threads=2 ;;
    2) threads=3 ;;
    3) threads=5 ;;
    5) threads=8 ;;
    8) threads=1 ;;
    esac
}

# row NAME COMPILER LEVEL MACHINE: a line of the table.
row() {
    began=$(date +%s) digest=-
    build=$where/$1$3-$4
    got=$build/threads-$threads
    if compile "$2" "$3" "$4"; then
        produce "$threads"
        first=${first:-$got}
        compare "$1 $3 $4, $threads threads"
        digest=$(digest)
    else
        verdict=BROKEN
        echo "$1 $3 $4: does not build" >>"$complaints"
        grep -v '^compiling \|^linking ' "$where/log" | sed 's/^/    /; 6q' >>"$complaints"
    fi
    rows=$((rows + 1))
    [ "$verdict" = same ] || bad=$((bad + 1))
    printf '%-8s %-6s %-10s %7s  %-10s  %-7s %4s s\n' "$1" "$3" "$4" "$threads" "$digest" \
        "$verdict" $(($(date +%s) - began))
}

# several NAME COMPILER MACHINE LEVEL...
several() {
    name=$1 compiler=$2 machine=$3
    shift 3
    for level in "$@"; do
        next_threads
        row "$name" "$compiler" "$level" "$machine"
    done
}

leave_out() {
    left="${left}left out: $1
"
}

# Has this processor all these instructions?
has() {
    for flag in "$@"; do
        grep -qw "$flag" /proc/cpuinfo 2>/dev/null || return 1
    done
}

# Sets machines, and best, the last of them.
find_machines() {
    case $(uname -m) in
    x86_64) best=x86-64 ;;
    aarch64) best=armv8-a ;;
    *) best=native ;;
    esac
    machines=$best
    v3='avx2 bmi1 bmi2 f16c fma abm movbe'
    v4='avx512f avx512bw avx512cd avx512dq avx512vl'
    # shellcheck disable=SC2086
    if has $v3; then best=x86-64-v3 machines="$machines $best"; else leave_out 'x86-64-v3: not this processor'; fi
    # shellcheck disable=SC2086
    if has $v3 $v4; then best=x86-64-v4 machines="$machines $best"; else leave_out 'x86-64-v4: not this processor'; fi
}

installed() {
    command -v "$1" >/dev/null 2>&1
}

here() {
    emulator=''
    for compiler in gcc clang; do
        if ! installed $compiler; then
            leave_out "$compiler: not installed, ./setup brings it"
            continue
        fi
        for machine in $machines; do
            several "$compiler" "$compiler" "$machine" -O0 -O1 -O2 -O3
        done
        several "$compiler" "$compiler" "$best" -Ofast
    done
}

# AArch64 by cross compilers, under qemu; clang uses the libraries of gcc. It is slow: one level.
elsewhere() {
    emulator=qemu-aarch64
    installed $emulator || emulator=qemu-aarch64-static
    if [ "$(uname -m)" = aarch64 ]; then
        return
    elif ! installed aarch64-linux-gnu-gcc || ! installed $emulator; then
        leave_out 'AArch64: no aarch64-linux-gnu-gcc or no qemu-aarch64, ./setup brings them'
        return
    fi
    several gcc aarch64-linux-gnu-gcc armv8-a -O0 -O1 -O2 -O3
    installed clang && several clang 'clang --target=aarch64-linux-gnu' armv8-a -O3
}

# What sh starts in the background does not hear of Ctrl-C.
trap stop HUP INT TERM
mkdir -p "$where"
: >"$complaints"
find_machines
echo 'compiler level  machine    threads  digest      verdict  time'
here
elsewhere
printf '%s' "$left"
cat "$complaints" >&2
echo "portability: $((rows - bad)) builds give the same bits, $bad do not"
[ $rows -gt 1 ] && [ $bad -eq 0 ]
