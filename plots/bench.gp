# The cost of a training step: milliseconds against operations, beside the machine's peak.
# Table: cost.tsv with the columns what, value, gflop, milliseconds and peak (Gflop/s).

name = 'bench'
load 'plots/style.gp'

table = data . '/cost.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run make bench'; exit status 2 }

stats table using 'peak' name 'peak' nooutput
stats table using 'gflop' name 'gflop' nooutput
peak = peak_median                  # Gflop/s of one thread, from the same run
ideal(gflop) = 1000 * gflop / peak  # milliseconds

# The key names what was varied and lists its values, which stand in order from left to right.
varied = 'batch width layers length'
unit   = 'strings width layers letters'
shapes = '7 5 9 13'
join = "'$1 == what { printf \"%s%s\", comma, $2; comma = \", \" }'"
values(what) = system(sprintf("awk -F'\t' -v what=%s %s '%s'", what, join, table))
series(i) = strcol('what') eq word(varied, i) ? column('milliseconds') : NaN

set logscale xy
set xrange [gflop_min / 1.6:gflop_max * 1.6]
set yrange [ideal(gflop_min) / 1.6:ideal(gflop_max) * 4]
set format '%g'
set xlabel 'operations in a training step (Gflop)'
set ylabel 'time of a step (milliseconds)'
if (format eq 'svg') set ylabel offset 0.8, 0         # beside labels of three digits
set key top left reverse Left samplen 1 width -6

# Words along the two lines, at the angle that the scales give them on a page of 1280x720.
width  = 1280 * (0.965 - 0.145) / log10(gflop_max / gflop_min * 1.6 ** 2)
height = 720 * (0.95 - 0.16) / log10(ideal(gflop_max) / ideal(gflop_min) * 4 * 1.6)
angle  = 180 / pi * atan2(height, width)
at     = gflop_max / 5
set label 1 sprintf('one thread at its peak, %.0f Gflop/s', peak) at at, ideal(at) / 1.35 center \
    rotate by angle textcolor rgb ink
set label 2 'half of the peak' at at, 2 * ideal(at) * 1.35 center rotate by angle textcolor rgb ink

set output figure
plot ideal(x) with lines linewidth 3 linecolor rgb ink notitle, \
     2 * ideal(x) with lines linewidth 2 dashtype '-' linecolor rgb ink notitle, \
     for [i=1:4] table using 'gflop':(series(i)) with points pt (word(shapes, i) + 0) ps 0.8 \
         linecolor rgb word(colours, i) title word(unit, i) . ': ' . values(word(varied, i)), \
     table using 'gflop':(strcol('what') eq 'width' && strcol('value') eq '64' ? \
         column('milliseconds') : NaN):('lesson 07') with labels right offset -1, 0.6 \
         textcolor rgb ink notitle
