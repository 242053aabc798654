# One build and what it prints, for run.sh, which reads this file.
#
# A build has a directory of its own under build/portability, so that a second run compiles nothing.
# What it prints stands in files there: train20, and a page for each lesson. run.sh sets build, the
# directory; got, that of this run; first, that of the first run; emulator, if it needs one.

# shellcheck shell=sh disable=SC2034,SC2154
where=build/portability
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
complaints=$where/complaints
running=''

# Flags that allow other roundings: the Makefile takes back what they allow.
unsafe='-fno-finite-math-only -ffp-contract=fast -freciprocal-math'

# The core for a machine whose libraries are not here: no_json.c stands for what reads JSON.
core_without_json() {
    for source in common/*.c; do
        case $source in
        *safetensors*) ;;
        *) printf '%s ' "$build/${source%.c}.o" ;;
        esac
    done
    echo "$build/tests/portability/no_json.o"
}

# compile COMPILER LEVEL MACHINE: train20 and the lessons, into $build.
compile() {
    programs=$build/train20
    for lesson in $lessons; do
        programs="$programs $build/lesson-${lesson%%-*}"
    done
    flags="${CFLAGS-} -Wno-error" # what one compiler warns of at one level says nothing about bits
    [ "$2" = -Ofast ] && flags="$flags $unsafe"
    set -- "CC=$1" "OPT=$2" "ARCH=$3"
    if [ -n "$emulator" ]; then
        flags="$flags -static"
        set -- "$@" JANSSON= "common=$(core_without_json)"
    fi
    # MAKEFLAGS would hand on what the outer make was told.
    # shellcheck disable=SC2086
    MAKEFLAGS='' ${MAKE:-make} -s "-j$jobs" BUILD="$build" "$@" CFLAGS="$flags" $programs >"$where/log" 2>&1
}

# start NAME PROGRAM OPTION...: in the background, what it prints into a file of that name.
start() {
    page=$1
    shift
    $emulator "$@" >"$got/$page" 2>"$got/$page.errors" &
    running="$running $page:$!"
}

# produce THREADS: all that is compared, into $got. What did not end well has no file.
produce() {
    rm -rf "$got"
    mkdir -p "$got/out"
    start train20 "$build/train20" --threads "$1"
    for lesson in $lessons; do
        # shellcheck disable=SC2046
        start "$lesson" "$build/lesson-${lesson%%-*}" $(short "$lesson") --threads "$1" --out "$got/out"
    done
    for job in $running; do
        wait "${job##*:}" || rm -f "$got/${job%:*}"
    done
    running=''
}

stop() {
    for job in $running; do
        kill "${job##*:}" 2>/dev/null
    done
    exit 130
}

# The first things of a difference; train20 writes bytes, the lessons lines.
difference() {
    case $1 in
    train20) cmp "$got/$1" "$first/$1" | sed 's/.*differ: /the bytes from /' ;;
    *) diff "$first/$1" "$got/$1" ;;
    esac 2>&1 | sed 's/^/    /; 6q'
}

# compare NAME: sets verdict; complains, with the first thing that is not as it is in the first build.
compare() {
    verdict=same
    for thing in train20 $lessons; do
        if [ ! -f "$got/$thing" ]; then
            verdict=BROKEN
            echo "$1: $thing fails: $(head -n 1 "$got/$thing.errors")"
            return
        elif ! cmp -s "$got/$thing" "$first/$thing"; then
            verdict=DIFFERS
            echo "$1: $thing is the first that differs"
            difference "$thing"
            return
        fi
    done >>"$complaints"
}

# A number for all that was printed.
digest() {
    # shellcheck disable=SC2086
    (cd "$got" && cat train20 $lessons 2>/dev/null) | cksum | cut -d ' ' -f 1
}
