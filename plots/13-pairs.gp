# How many answers are right: left by the number of pairs to look through, right by the place of the
# row that is asked for.
# Tables: pairs.tsv with the columns pairs, four, any, same, commonest and total; places.tsv with
# reader, place, right and total.

name = '13-pairs'
if (!exists('data')) data = 'out/13-retrieval'
load 'plots/style.gp'

pairs  = data . '/pairs.tsv'
places = data . '/places.tsv'
if (rows(pairs) < 1 || rows(places) < 1) { printerr pairs . ': no rows to plot'; exit status 2 }
stats pairs using 'pairs' name 'pairs' nooutput
percent(what) = 100.0 * column(what) / column('total')
of(reader) = strcol('reader') eq reader ? percent('right') : NaN
readers = '"sees all rows" "window of 8, one block" "window of 8, two blocks"'
shorter = '"all rows" "window, one block" "window, two blocks"'
shown = sprintf('trained on 1 to %d', int(pairs_max))

set yrange [-3:104]
set ytics 20
set output figure
set multiplot
set key off
set lmargin at screen 0.10
set rmargin at screen 0.52
set tmargin at screen 0.87
set logscale x 2
set xrange [0.9:pairs_max * 1.15]
set xtics (1, 2, 4, 8, 16, 32, 64)
set xlabel 'pairs to look through'
set ylabel 'right answers (%)' offset 0.8, 0
set label 1 'one of eight' at graph 0.02, first 12.5 left offset 0, -0.75 textcolor rgb ink font ',20'
set label 2 shown at screen 0.155, screen 0.955 left textcolor rgb word(colours, 1) font ',20'
set label 3 'trained on 4' at screen 0.155, screen 0.905 left textcolor rgb word(colours, 2) font ',20'
set label 4 'on that number' at screen 0.375, screen 0.955 left textcolor rgb word(colours, 3) font ',20'
set label 5 'commonest value' at screen 0.375, screen 0.905 left textcolor rgb word(colours, 6) font ',20'
set arrow 1 from screen 0.10, screen 0.955 to screen 0.145, screen 0.955 nohead linestyle 1
set arrow 2 from screen 0.10, screen 0.905 to screen 0.145, screen 0.905 nohead linestyle 2
set arrow 3 from screen 0.32, screen 0.955 to screen 0.365, screen 0.955 nohead linestyle 3
set arrow 4 from screen 0.32, screen 0.905 to screen 0.365, screen 0.905 nohead linestyle 6 linewidth 3
plot 12.5 with lines linecolor rgb quiet linewidth 2 dashtype '.' notitle, \
     pairs using 'pairs':(percent('commonest')) with linespoints linestyle 6 pt 2 ps 0.5 notitle, \
     pairs using 'pairs':(percent('same')) with linespoints linestyle 3 pt 9 ps 0.7 notitle, \
     pairs using 'pairs':(percent('four')) with linespoints linestyle 2 pt 5 ps 0.6 notitle, \
     pairs using 'pairs':(percent('any')) with linespoints linestyle 1 pt 7 ps 0.6 notitle

unset label
unset arrow
unset logscale x
unset ylabel
set lmargin at screen 0.60
set rmargin at screen 0.975
set xrange [0.4:16.6]
set xtics (1, 4, 7, 10, 13, 16)
set xlabel 'place of the row that is asked for'
x(i) = i == 1 ? 0.60 : 0.735
y(i) = i == 3 ? 0.905 : 0.955
do for [i = 1:3] {
    set arrow i from screen x(i), screen y(i) to screen x(i) + 0.045, screen y(i) nohead linestyle i
    set label i word(shorter, i) at screen x(i) + 0.055, screen y(i) left \
        textcolor rgb word(colours, i) font ',20'
}
plot 12.5 with lines linecolor rgb quiet linewidth 2 dashtype '.' notitle, \
     for [i = 1:3] places using 'place':(of(word(readers, i))) with linespoints linestyle i pt 9 - 2 * (i % 3) ps 0.5 notitle
unset multiplot
