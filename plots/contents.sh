#!/bin/sh
# Prints the table that ends `make book`: what each lesson has made, in 80 columns.
#
#     sh plots/contents.sh 'LESSON NAMES' 'FIGURE FILES'
#
# A lesson's page and data stand in out/NN-name/; its figures are those whose names begin with NN-.

lessons=$1
figures=$2

# One line for each cell: lesson, column, text.
cells() {
    for lesson in $lessons; do
        page=out/$lesson/page.txt
        if [ -f "$page" ]; then
            echo "$lesson page $(($(wc -l <"$page"))) lines"
        else
            echo "$lesson page not made"
        fi
        for file in "out/$lesson"/*; do
            [ -f "$file" ] && [ "$file" != "$page" ] && echo "$lesson data ${file##*/}"
        done
        for figure in $figures; do
            case ${figure##*/} in
            "${lesson%%-*}"-*) echo "$lesson figures ${figure##*/}" ;;
            esac
        done
    done
}

cells | LC_ALL=C sort | awk '
function put(lesson, column, text) {
    row = ++rows[lesson, column]
    cell[lesson, column, row] = text
    if (row > tallest[lesson]) tallest[lesson] = row
    if (length(text) > width[column]) width[column] = length(text)
}
function fit(text, column) {
    if (length(text) > width[column]) text = substr(text, 1, width[column] - 1) "~"
    return sprintf("%-" width[column] "s", text)
}
function line(name, row,    i, text) {
    text = fit(row == 1 ? name : "", "lesson")
    for (i = 2; i <= 4; i++) text = text "  " fit(cell[name, columns[i], row], columns[i])
    sub(/ +$/, "", text)
    print text
}
BEGIN {
    split("lesson page data figures", columns, " ")
    for (i = 1; i <= 4; i++) width[columns[i]] = length(columns[i])
    for (i = 2; i <= 4; i++) cell["lesson", columns[i], 1] = columns[i]
}
!($1 in tallest) {
    names[++n] = $1
    if (length($1) > width["lesson"]) width["lesson"] = length($1)
}
{
    text = $3
    for (i = 4; i <= NF; i++) text = text " " $i
    put($1, $2, text)
}
END {
    # Too wide: cut the widest column, one character at a time.
    while (width["lesson"] + width["page"] + width["data"] + width["figures"] + 6 > 80) {
        widest = "lesson"
        for (column in width) if (width[column] > width[widest]) widest = column
        width[widest]--
    }
    line("lesson", 1)
    for (i = 1; i <= n; i++) {
        for (row = 1; row <= tallest[names[i]]; row++) line(names[i], row)
    }
}'
echo
echo 'Pages are out/LESSON/page.txt, data stand beside them, figures are in figures/.'
