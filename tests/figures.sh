#!/bin/sh
# Every figure draws, in each format and theme, from the data that tests/pages.sh left behind, and
# gnuplot has nothing to say about it.
#
#     sh tests/figures.sh 'LESSON NAMES'            (make test-figures)
#     sh tests/figures.sh 'LESSON NAMES' short      each figure once, as svg (FAST=1)
#     sh tests/figures.sh 'LESSON NAMES' write      take the light svgs as the lessons' pictures
#
# A figure whose name ends in -time shows what was measured, and is another in every run. It is drawn like the
# others, but write leaves the picture that is there; remove it to take a new one.
set -u
lessons=$1
mode=${2:-compare}
passed=0 failed=0

# The first bytes that a file of this format begins with.
magic() {
    case $1 in
    svg) printf '<?xml' ;;
    png) printf 'PNG' ;;
    pdf) printf '%%PDF-' ;;
    esac
}

# Is the figure $1 to be taken as the picture $2?
taken() {
    case $1 in
    *-time) [ "$mode$theme$format" = writelightsvg ] && [ ! -e "$2" ] ;;
    *) [ "$mode$theme$format" = writelightsvg ] ;;
    esac
}

for script in plots/[0-9]*.gp; do
    name=$(basename "$script" .gp)
    for lesson in $lessons; do
        [ "${lesson%%-*}" = "${name%%-*}" ] && data=build/pages/$lesson
    done
    [ "$mode" = short ] && formats=svg themes=light || formats='svg png pdf' themes='light dark'
    for format in $formats; do
        for theme in $themes; do
            figure=build/pages/$name-$theme.$format
            rm -f "$figure"
            said=$(gnuplot --default-settings -e "data='$data'; figure='$figure'; format='$format'; theme='$theme'" \
                "$script" 2>&1)
            if [ -z "$said" ] && [ "$(head -c 8 "$figure" | grep -c "$(magic $format)")" = 1 ]; then
                passed=$((passed + 1))
                picture=lessons/${data##*/}/$name.svg
                taken "$name" "$picture" && cp "$figure" "$picture"
            else
                echo "$script does not draw as $format, $theme: $said" >&2
                failed=$((failed + 1))
            fi
        done
    done
done
echo "figures: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
