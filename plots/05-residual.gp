# What the residual path is for. Left: the part of the gradient that came along it alone, with
# fresh weights and with larger ones. Right: how alike the tokens are at the input of each block.
# Tables: path.tsv with the columns block, pre_norm, post_norm, larger_pre_norm, larger_post_norm;
# similarity.tsv with the columns block, pre_norm, post_norm, no_residual. The last rows are what
# comes out of the last block.

name = '05-residual'
if (!exists('data')) data = 'out/05-block'
load 'plots/style.gp'
set encoding utf8

path       = data . '/path.tsv'
similarity = data . '/similarity.tsv'
if (rows(path) < 2 || rows(similarity) < 2) {
    printerr data . ': no rows to plot; run lesson-05 first'; exit status 2
}
blocks = rows(path) - 1

stats path using 'larger_post_norm' name 'least' nooutput

set xrange [1:blocks + 1]
set xtics (1)
step = blocks > 32 ? 16 : blocks > 8 ? 4 : 1
set for [i=step:blocks:step] xtics add (sprintf('%d', i) i)
set xlabel 'input of block'

set output figure
set multiplot
set tmargin at screen 0.89

set lmargin at screen 0.125
set rmargin at screen 0.525
set logscale y
set format y '10^{%L}'
set yrange [10 ** floor(log10(least_min / 3)):1] # room for the words
set label 1 'gradient along the residual path' at screen 0.025, screen 0.525 center rotate by 90 \
    textcolor rgb ink
set label 2 'dotted: weights × √3' at graph 0.97, graph 0.07 right textcolor rgb word(colours, 2)

# A key for both panels, wider than gnuplot would make it.
keys = "'pre-norm' 'post-norm' 'no residual path'"
do for [i=1:3] {
    x = word('0.19 0.41 0.64', i) + 0
    set arrow i from screen x, screen 0.955 to screen x + 0.055, screen 0.955 nohead linestyle i
    set label 2 + i word(keys, i) at screen x + 0.07, screen 0.955 textcolor rgb ink
}
plot path using 'block':'post_norm' with lines linestyle 2 notitle, \
     path using 'block':'pre_norm' with lines linestyle 1 notitle, \
     path using 'block':'larger_post_norm' with lines linestyle 4 linecolor rgb word(colours, 2) \
         notitle
do for [i=1:3] { unset arrow i; unset label 2 + i }
unset label 2

set lmargin at screen 0.645
set rmargin at screen 0.965
unset logscale y
set format y '%.1f'
set yrange [0:1.05]
set ytics 0.2
set label 1 'mean cosine of two tokens' at screen 0.57, screen 0.525
plot similarity using 'block':'no_residual' with lines linestyle 3 notitle, \
     similarity using 'block':'post_norm' with lines linestyle 2 notitle, \
     similarity using 'block':'pre_norm' with lines linestyle 1 notitle
unset multiplot
