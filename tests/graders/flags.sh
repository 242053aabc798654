#!/bin/sh
# sh flags.sh CC: the command that compiles the learner's side, with each of the flags below that
# this compiler, its linker and this machine can do. A program must compile, link and run with it.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
echo 'int main(void) { return 0; }' >"$scratch/try.c"

# Compiled and linked in two steps, as an answer is; without a word.
works() {
    # shellcheck disable=SC2086
    $1 -c -o "$scratch/try.o" "$scratch/try.c" >"$scratch/log" 2>&1 &&
        $1 -o "$scratch/try" "$scratch/try.o" >>"$scratch/log" 2>&1 &&
        "$scratch/try" && [ ! -s "$scratch/log" ]
}

command="$1 -std=gnu17 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -ffp-contract=off"
command="$command -Wall -Wextra -Wno-unused-parameter -I."
# Bounds of every array and what C leaves undefined; addresses that addr2line understands; locals
# that are never accidentally zero; messages that can be read by the line; no temporary files, which would stay
# behind when the compiler has to be ended.
for flags in '-fsanitize=address -DHAS_ADDRESS_SANITIZER' \
    '-fsanitize=undefined -fno-sanitize-recover=all' '-fno-pie -no-pie' \
    '-fno-pie -no-pie -Wno-unused-command-line-argument' \
    '-ftrivial-auto-var-init=pattern' '-fno-diagnostics-color' '-fno-diagnostics-show-caret' \
    '-fno-caret-diagnostics' '-fmax-errors=5' '-pipe' '-fno-crash-diagnostics'; do
    case $command:$flags in
    *-no-pie*:*-no-pie*) continue ;; # the first of the two was enough
    esac
    works "$command $flags" && command="$command $flags"
done
echo "$command"
