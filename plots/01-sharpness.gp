# What the same query, shorter or longer, makes of the four weights.
# Table: sharpness.tsv with the column sharpness and one for each token, named after it.

name = '01-sharpness'
if (!exists('data')) data = 'out/01-attention'
load 'plots/style.gp'

table = data . '/sharpness.tsv'
tokens = 'girl ran ball red'
if (rows(table) < 1) { printerr table . ': no rows to plot'; exit status 2 }

set xrange [0:2]
set yrange [0:1]
set xtics 0.5 format '%g'
set ytics 0.25 format '%g'
set xlabel 'length of the query, in times that of (1.4, 0.7)'
set ylabel 'attention weight'

set key at 1.95, 0.62 samplen 3 spacing 1.3
set label 1 'a query of zero: 1/4 each' at 0.13, 0.285 left textcolor rgb ink
set output figure
plot for [i=1:words(tokens)] table using 'sharpness':word(tokens, i) with lines linestyle i \
    title word(tokens, i)
