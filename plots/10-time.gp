# What one more token costs, by how many stand before it: read anew with all of them, or alone from
# the cache. Measured: another machine draws another figure.
# Table: time.tsv with the columns position, anew and cached, in microseconds.

name = '10-time'
if (!exists('data')) data = 'out/10-cache'
load 'plots/style.gp'

table = data . '/time.tsv'
if (rows(table) < 2) { printerr table . ': fewer than two rows to plot; run the lesson first'; exit status 2 }
stats table using 'position' name 'position' nooutput
stats table using 'anew' name 'anew' nooutput
stats table using 'cached' name 'cached' nooutput
at(what, position) = column('position') >= position ? column(what) : NaN
stats table using (at('anew', 0.45 * position_max)) name 'upper' nooutput
stats table using (at('cached', 0.45 * position_max)) name 'lower' nooutput

set logscale y
set yrange [10 ** floor(log10(cached_min)):10 ** ceil(log10(anew_max))]
set xrange [0:position_max]
set ytics format '%g'
set xlabel 'tokens in the text, the new one among them'
set ylabel 'time for the new token (µs)'
set label 1 'anew: all tokens are read' at graph 0.45, first upper_min right \
    offset screen 0, screen 0.055 textcolor rgb word(colours, 2)
set label 2 'cached: the new one is read' at graph 0.45, first lower_min right \
    offset screen 0, screen 0.055 textcolor rgb word(colours, 1)
set output figure
plot table using 'position':'anew' with linespoints linecolor rgb word(colours, 2) linewidth 3 pointtype 5 pointsize 0.5 notitle, \
     table using 'position':'cached' with linespoints linecolor rgb word(colours, 1) linewidth 3 pointtype 7 pointsize 0.5 notitle
