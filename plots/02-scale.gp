# Left: how wide the scores spread against d, measured points over the lines of theory. Right: what
# is left of the gradient at the query. Three divisors, told apart by colour, dash and shape.
# Table: scale.tsv with the columns d, divisor (1, sqrt(d) or d), spread and on_query.

name = '02-scale'
load 'plots/style.gp'

table = data . '/scale.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run lesson-02 first'; exit status 2 }
set datafile missing NaN                                  # a line passes over the other divisors
divisors = '1 sqrt(d) d'
said(i)   = i == 1 ? 'undivided' : i == 2 ? 'divided by √d' : 'divided by d'
theory(x, i) = x ** (i == 1 ? 0.5 : i == 2 ? 0 : -0.5)
line(i)   = i == 1 ? 2 : i == 2 ? 1 : 3
shape(i)  = i == 1 ? 5 : i == 2 ? 7 : 9                   # square, circle, triangle
colour(i) = word(colours, line(i))
of(i, what) = strcol('divisor') eq word(divisors, i) ? column(what) : NaN

set logscale xy
set xrange [1.6:1280]
set xtics ('2' 2, '8' 8, '32' 32, '128' 128, '512' 512)
set xlabel 'd, the numbers in a query'
set ylabel offset format eq 'svg' ? 2 : 1.2, 0
set bmargin at screen 0.15

set output figure
set multiplot
set lmargin at screen 0.095
set rmargin at screen 0.475
set yrange [0.02:60]
set ytics ('0.03' 0.03, '0.1' 0.1, '0.3' 0.3, '1' 1, '3' 3, '10' 10, '30' 30)
set ylabel 'standard deviation of the scores'
set label 1 said(1) at 40, 11.5 right textcolor rgb colour(1)
set label 2 said(2) at 1000, 1.4 right textcolor rgb colour(2)
set label 3 said(3) at 40, 0.085 right textcolor rgb colour(3)
plot for [i=1:3] theory(x, i) with lines linestyle line(i) notitle, \
     for [i=1:3] table using 'd':(of(i, 'spread')) with points pt shape(i) ps 0.8 \
         linecolor rgb colour(i) notitle

set lmargin at screen 0.605
set rmargin at screen 0.985
set yrange [1e-4:3]                                       # what is below is as good as nothing
set ytics ('0.0001' 1e-4, '0.001' 1e-3, '0.01' 0.01, '0.1' 0.1, '1' 1)
set ylabel 'gradient at the query (median norm of ∂p/∂q)'
unset label                                               # the colours have their names on the left
plot for [i=1:3] table using 'd':(of(i, 'on_query')) with linespoints linestyle line(i) \
         pt shape(i) ps 0.8 notitle
unset multiplot
