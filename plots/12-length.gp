# How many strings are written right, by length: the lengths that were taught, and longer ones. Left, rows
# stood at places 0, 1, 2, ...; right, spread over the context. One line for each way to tell places.
# Table: study.tsv, where there is one; else that of the recorded study. Columns kind, rows, seed, length,
# strings, letters and tested; the mean over the seeds is drawn.

name = '12-length'
if (!exists('data')) data = 'out/12-positions'
load 'plots/style.gp'

table = data . '/study.tsv'
if (rows(table) < 1) table = 'tests/expected/12-study.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run lesson-12 --study first'; exit status 2 }
kinds = 'learned sinusoidal t5 alibi rope none'
shape(i) = word('5 7 9 11 13 4', i) + 0
share(kind, stood, n) = strcol('kind') eq kind && strcol('rows') eq stood && column('length') == n \
    ? 100.0 * column('strings') / column('tested') : NaN

# A block of lines: way, length, percent from 0, percent spread.
set print $means
do for [i = 1:words(kinds)] {
    do for [n = 3:12] {
        stats table using (share(word(kinds, i), 'from 0', n)) name 'near' nooutput
        spread_mean = NaN
        if (i < 6) { stats table using (share(word(kinds, i), 'spread', n)) name 'spread' nooutput }
        print sprintf("%d\t%d\t%g\t%g", i, n, near_mean, spread_mean)
    }
}
unset print

set output figure
set multiplot
set key off
unset datafile columnheaders

# The key stands over both panels, in two lines.
x(i) = 0.16 + 0.28 * ((i - 1) % 3)
y(i) = 0.955 - 0.065 * ((i - 1) / 3)
do for [i = 1:words(kinds)] {
    set arrow i from screen x(i), screen y(i) to screen x(i) + 0.055, screen y(i) nohead linestyle i
    set label i word('learned sinusoidal T5 ALiBi RoPE none', i) at screen x(i) + 0.065, screen y(i) \
        textcolor rgb ink
    set label 10 + i '' at screen x(i) + 0.0275, screen y(i) point pt shape(i) ps 0.6 linecolor rgb word(colours, i)
}

set xrange [2.6:12.4]
set yrange [-3:103]
set xtics 1
set ytics 25
set bmargin at screen 0.16
set tmargin at screen 0.77
set xlabel 'letters in the string'
set arrow 7 from first 8.5, graph 0 to first 8.5, graph 1 nohead back linecolor rgb quiet linewidth 3
set label 7 'taught' at first 8.3, graph 1.04 right textcolor rgb quiet
set label 8 'longer' at first 8.7, graph 1.04 left textcolor rgb quiet
set lmargin at screen 0.095
set rmargin at screen 0.52
set ylabel 'strings right (%)' offset 0.8, 0
set label 9 'places 0, 1, 2, ...' at graph 0, graph 1.04 left textcolor rgb ink
plot for [i = 1:6] $means using ($1 == i ? $2 : NaN):3 with linespoints linestyle i pt shape(i) ps 0.6

unset label
unset arrow
set arrow 7 from first 8.5, graph 0 to first 8.5, graph 1 nohead back linecolor rgb quiet linewidth 3
set label 7 'taught' at first 8.3, graph 1.04 right textcolor rgb quiet
set label 8 'longer' at first 8.7, graph 1.04 left textcolor rgb quiet
set lmargin at screen 0.555
set rmargin at screen 0.98
unset ylabel
set format y ''
set label 9 'places spread' at graph 0, graph 1.04 left textcolor rgb ink
plot for [i = 1:5] $means using ($1 == i ? $2 : NaN):4 with linespoints linestyle i pt shape(i) ps 0.6
unset multiplot
