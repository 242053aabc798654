# What the softmax makes of the scores, against d. Left: the largest weight. Right: how far the
# weights still move when the scores do. Three divisors, told apart by colour, dash and shape.
# Table: scale.tsv with the columns d, divisor (1, sqrt(d) or d), largest and on_score.

name = '02-weights'
if (!exists('data')) data = 'out/02-scale'
load 'plots/style.gp'

table = data . '/scale.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run lesson-02 first'; exit status 2 }
set datafile missing NaN                                  # a line passes over the other divisors
divisors = '1 sqrt(d) d'
said(i)   = i == 1 ? 'undivided' : i == 2 ? 'divided by √d' : 'divided by d'
line(i)   = i == 1 ? 2 : i == 2 ? 1 : 3
shape(i)  = i == 1 ? 5 : i == 2 ? 7 : 9                   # square, circle, triangle
colour(i) = word(colours, line(i))
of(i, what) = strcol('divisor') eq word(divisors, i) ? column(what) : NaN

set logscale x
set xrange [1.6:1280]
set xtics ('2' 2, '8' 8, '32' 32, '128' 128, '512' 512)
set xlabel 'd, the numbers in a query'
set ylabel offset format eq 'svg' ? 2 : 1.2, 0
set bmargin at screen 0.15

set output figure
set multiplot
set lmargin at screen 0.095
set rmargin at screen 0.475
set yrange [0:1]
set ytics 0.2
set ylabel 'largest weight (mean)'
set label 1 said(1) at 20, 0.8 right textcolor rgb colour(1)
set label 2 said(2) at 1000, 0.31 right textcolor rgb colour(2)
set label 3 said(3) at 1000, 0.13 right textcolor rgb colour(3)
plot for [i=1:3] table using 'd':(of(i, 'largest')) with linespoints linestyle line(i) \
         pt shape(i) ps 0.8 notitle

set lmargin at screen 0.605
set rmargin at screen 0.985
set yrange [0:0.5]
set ytics 0.1
set ylabel 'gradient at the scores (median norm of ∂p/∂s)'
set label 1 at 50, 0.07 right
set label 2 at 1000, 0.335 right
set label 3 at 1000, 0.21 right
plot for [i=1:3] table using 'd':(of(i, 'on_score')) with linespoints linestyle line(i) \
         pt shape(i) ps 0.8 notitle
unset multiplot
