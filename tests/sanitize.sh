#!/bin/sh
# What the compilers' sanitizers and valgrind find wrong while the tests run: reads and writes outside
# of arrays, what C leaves undefined, races of threads, numbers never written, memory never given back.
#
#     sh tests/sanitize.sh [address|thread|memory]...         (make sanitize does all three)
#
# Each builds in a directory of its own, build/sanitize/NAME, which holds links to what is here and so
# looks like a checkout: nothing else is compiled anew, and the tests find lessons of their own there.
set -u
. tests/short.sh
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
passed=0 failed=0 left=''

# They are slow; a test may take ten times its minute.
export CK_TIMEOUT_MULTIPLIER=10

# valgrind, where it also looks for what is lost; and the suites that it takes: threads would have
# none beside it, vmath is arithmetic only, half a million numbers of it, and tiled takes 7 minutes (and is clean).
leaks='valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite'
core='cli files page random matmul layers mask attention golden position model safetensors batch reversal cache
decode checkpoint clip'

# Sets place: a checkout made of links.
make_place() {
    place=build/sanitize/$1
    mkdir -p "$place"
    for file in Makefile setup common lessons tests plots exercises bench; do
        ln -sfn "../../../$file" "$place/$file"
    done
}

# build FLAGS PROGRAM...: in that place, with this ARCH.
build() {
    flags="-fno-omit-frame-pointer ${CFLAGS-} $1"
    shift
    for lesson in $lessons; do
        set -- "$@" "lesson-${lesson%%-*}"
    done
    (cd "$place" && MAKEFLAGS='' ${MAKE:-make} -s "-j$jobs" BUILD=build OPT=-O1 ARCH="$arch" CFLAGS="$flags" \
        "$@" >log 2>&1) || { tail -n 5 "$place/log" >&2 && return 1; }
}

# try WORDS COMMAND...: a row. The command works in that place and must say nothing on stderr.
try() {
    began=$(date +%s) words=$1 verdict=clean
    shift
    if ! (cd "$place" && "$@" >out.txt 2>errors.txt) || [ -s "$place/errors.txt" ]; then
        verdict=FAILS
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
    printf '%-8s %-34s %-6s %4s s\n' "$tool" "$words" $verdict $(($(date +%s) - began))
    [ $verdict = clean ] || { tail -n 5 "$place/out.txt" && head -n 25 "$place/errors.txt"; } >&2
}

# pages THREADS [PREFIX...]: every lesson.
pages() {
    threads=$1
    shift
    for lesson in $lessons; do
        # shellcheck disable=SC2046
        try "lesson ${lesson%%-*}, $threads threads" "$@" "./lesson-${lesson%%-*}" $(short "$lesson") \
            --threads "$threads" --out out
    done
}

# Reads and writes outside, undefined behaviour; in the lessons, memory not given back.
address() {
    build '-fsanitize=address,undefined -fno-sanitize-recover=all' build/test-core build/test-lessons \
        build/train20 || return
    try 'test-core' build/test-core
    try 'test-lessons' build/test-lessons
    try 'train20, 3 threads' sh -c 'build/train20 --threads 3 >bytes'
    pages 3
}

# Races. Most tests use one thread; these use more.
thread() {
    build -fsanitize=thread build/test-core build/train20 || return
    try 'test-core' build/test-core
    try 'train20, 5 threads' sh -c 'build/train20 --threads 5 >bytes'
    pages 3
}

# What was never written, and what is lost. One thread: valgrind runs no two at once. It knows no
# AVX-512, so that it gets x86-64-v3. train20 would take minutes; the page of lesson 07 trains, too.
memory() {
    if ! command -v valgrind >/dev/null 2>&1; then
        left='left out: memory: valgrind is not installed, ./setup brings it'
        return
    fi
    build -DMEMCHECK build/test-core || return
    # shellcheck disable=SC2086
    try 'test-core, most suites' valgrind -q --error-exitcode=9 build/test-core $core
    # shellcheck disable=SC2086
    pages 1 $leaks
}

[ $# -gt 0 ] || set -- address thread memory
for tool in "$@"; do
    arch=native
    [ "$tool:$(uname -m)" = memory:x86_64 ] && arch=x86-64-v3
    make_place "$tool"
    case $tool in
    address | thread | memory) "$tool" || { echo "$tool: does not build" >&2 && failed=$((failed + 1)); } ;;
    *) echo "sanitize.sh: $tool is none of address, thread, memory" >&2 && exit 2 ;;
    esac
done
[ -z "$left" ] || echo "$left"
echo "sanitize: $passed clean, $failed not"
[ $passed -gt 0 ] && [ $failed -eq 0 ]
