# The lessons, and what shortens their pages where a build is slow; read by scripts that say `. tests/short.sh`.
# Only the work is less: each page is there with all its sections.

# shellcheck shell=sh disable=SC2034
lessons=$(cd lessons && printf '%s\n' [0-9]*)

short() {
    case $1 in
    02-*) echo '--draws 500' ;;
    05-*) echo '--depth 4' ;;
    06-*) echo '--steps 2 --lengths 3' ;;
    07-*) echo '--steps 5 --width 8 --layers 1' ;;
    08-*) echo '--steps 2 --width 2' ;;
    09-*) echo '--steps 2' ;;
    10-*) echo '--steps 2 --words 5 --timed 8' ;;
    11-*) echo '--longest 0' ;;
    12-*) echo '--steps 1 --tested 1' ;;
    13-*) echo '--steps 2 --most 4' ;;
    esac
}
