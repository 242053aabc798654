#!/bin/sh
# The same bits everywhere: build train20 with each compiler, level and instruction set at hand, run
# it with several numbers of threads, and compare what it writes, byte by byte, with the first.
#
#     sh tests/portability/run.sh          (make test-bits does it)
set -u
make=${MAKE:-make}
where=build/portability
passed=0 failed=0 skipped=0
mkdir -p "$where"

# The instruction sets to build for: this machine's own, and on x86-64 the oldest one, without FMA,
# and the one before AVX-512.
arches=native
case $(uname -m) in
x86_64)
    arches='native x86-64'
    grep -qw avx2 /proc/cpuinfo 2>/dev/null && arches='native x86-64-v3 x86-64'
    ;;
esac

# report STATUS WORDS
report() {
    case $1 in
    same) passed=$((passed + 1)) ;;
    skipped) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
    printf '  %-8s %s\n' "$1" "$2"
}

# try NAME THREADS MAKE-VARIABLES...
try() {
    name=$1 threads=$2
    shift 2
    build=$where/$(echo "$name" | tr ' ' '_')
    if ! $make -s -j2 "$build/train20" BUILD="$build" "$@" >"$build.log" 2>&1; then
        report BROKEN "$name: does not build, see $build.log"
        return
    fi
    for n in $threads; do
        if ! "$build/train20" --threads "$n" >"$build.bytes"; then
            report BROKEN "$name, $n threads: stops with an error"
        elif [ ! -f "$where/first" ]; then
            mv "$build.bytes" "$where/first"
            report same "$name, threads $n ($(($(wc -c <"$where/first"))) bytes: the measure)"
        elif cmp "$build.bytes" "$where/first"; then
            report same "$name, threads $n"
        else
            report DIFFERS "$name, threads $n"
        fi
    done
}

rm -f "$where/first"
for cc in gcc clang; do
    if ! command -v $cc >/dev/null 2>&1; then
        report skipped "$cc is not installed; ./setup brings it"
        continue
    fi
    for arch in $arches; do
        for opt in -O1 -O2 -O3; do
            # Threads are the same code everywhere: all counts at the level that is used, else two.
            case $opt in
            -O3) threads='1 2 3 8' ;;
            *) threads=2 ;;
            esac
            try "$cc $opt $arch" "$threads" CC=$cc OPT=$opt "ARCH=$arch"
        done
    done
    # Flags that would allow other roundings: the Makefile takes back what they allow.
    try "$cc with unsafe flags" 2 CC=$cc \
        CFLAGS='-Ofast -fno-finite-math-only -ffp-contract=fast -freciprocal-math'
done
rm -f "$where"/*.bytes

echo "bits: $passed passed, $failed failed, $skipped skipped"
[ "$passed" -gt 1 ] && [ "$failed" -eq 0 ]
