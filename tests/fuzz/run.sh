#!/bin/sh
# run.sh replay PROGRAM        try the seeds and the regressions again
# run.sh fuzz MAKE PROGRAM     let libFuzzer invent inputs, FUZZ_SECONDS=n for each target (9), or FUZZ_RUNS=n inputs
#
# A new input that fails is kept in tests/fuzz/regressions/TARGET/, where every later test tries it. What libFuzzer
# learns on its way stays in build/fuzz/corpus/ and is where the next run begins.

scratch=$(TMPDIR=$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}") mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

if [ "$1" = replay ]; then
    "$2" "$scratch"
    exit
fi

fuzzer=$3
cat >"$scratch/try.c" <<'END'
#include <stddef.h>
int LLVMFuzzerTestOneInput(const char *bytes, size_t size);
int LLVMFuzzerTestOneInput(const char *bytes, size_t size) { return bytes == NULL && size > 0; }
END
if ! clang -fsanitize=fuzzer,address,undefined -o "$scratch/try" "$scratch/try.c" 2>/dev/null; then
    echo 'fuzz: skipped, there is no clang here that has -fsanitize=fuzzer'
    exit 0
fi
$2 --no-print-directory "$fuzzer" || exit 1

limit=-max_total_time=${FUZZ_SECONDS:-9}
[ -z "$FUZZ_RUNS" ] || limit=-runs=$FUZZ_RUNS

failed=
for seeds in tests/fuzz/seeds/*/; do
    target=$(basename "$seeds")
    kept=tests/fuzz/regressions/$target
    corpus=build/fuzz/corpus/$target
    mkdir -p "$corpus" "$kept"
    dictionary=tests/fuzz/$target.dict
    [ -f "$dictionary" ] || dictionary=tests/fuzz/safetensors.dict
    # A minute for one input is a hang.
    if ! FUZZ_TARGET=$target FUZZ_OUT=$scratch "$fuzzer" -max_len=8192 -timeout=60 -dict="$dictionary" "$limit" \
        -print_final_stats=1 -artifact_prefix="$kept/" "$corpus" "$seeds" "$kept" >"$scratch/log" 2>&1; then
        grep -v '^#' "$scratch/log" | head -60
        failed="$failed $target"
    fi
    awk -v target="$target" '
        /^#.* cov:/ { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
        /number_of_executed_units/ { n = $2 }
        /average_exec_per_sec/ { speed = $2 }
        END { printf "fuzz: %-12s %9d inputs, %6d a second, %5d edges reached\n", target, n, speed, edges }' "$scratch/log"
    rmdir "$kept" 2>/dev/null
done
[ -z "$failed" ] || { echo "fuzz:$failed failed; the input is in tests/fuzz/regressions/"; exit 1; }
