# Left: the length of the gradient at the input of each block, in three orders. Right: how many
# parameters each part of the model has.
# Tables: gradient.tsv with the columns block, pre_norm, post_norm, no_residual (the last row is
# what comes out of the last block); parameters.tsv with the columns part, parameters.

name = '05-block'
load 'plots/style.gp'

gradient   = data . '/gradient.tsv'
parameters = data . '/parameters.tsv'
if (rows(gradient) < 2 || rows(parameters) < 1) {
    printerr data . ': no rows to plot; run lesson-05 first'; exit status 2
}
blocks = rows(gradient) - 1
parts  = rows(parameters)

stats gradient using 'no_residual' name 'none' nooutput
stats gradient using 'pre_norm' name 'pre' nooutput
stats gradient using 'post_norm' name 'post' nooutput
stats parameters using 'parameters' name 'size' nooutput
min(a, b) = a < b ? a : b

set output figure
set multiplot

set lmargin at screen 0.12
set rmargin at screen 0.545
set logscale y
least = min(none_min, min(pre_min, post_min)) / 3 # room for the key
set yrange [10 ** floor(log10(least)):1]
set format y least < 1e-4 ? '10^{%L}' : '%g'
set xrange [1:blocks + 1]
set xtics (1)
step = blocks > 32 ? 16 : blocks > 8 ? 4 : 1
set for [i=step:blocks:step] xtics add (sprintf('%d', i) i)
set xlabel 'input of block'
set label 1 'length of d loss / d x' at screen 0.025, screen 0.555 center rotate by 90 \
    textcolor rgb ink
set key bottom right Left reverse samplen 3 spacing 1.2 opaque fillcolor rgb paper
plot gradient using 'block':'no_residual' with lines linestyle 3 title 'no residual path', \
     gradient using 'block':'post_norm' with lines linestyle 2 title 'post-norm', \
     gradient using 'block':'pre_norm' with lines linestyle 1 title 'pre-norm'
unset label 1

set lmargin at screen 0.755
set rmargin at screen 0.965
unset logscale y
unset grid
set border 2
set format x '%h'
set xrange [0:size_max * 1.55]
set yrange [parts - 0.5:-0.5]
unset xtics
unset xlabel
set label 2 'parameters, with two blocks' at screen 0.79, screen 0.052 center textcolor rgb ink
set ytics scale 0
thousands(n) = n < 1000 ? sprintf('%d', n) : sprintf('%d,%03d', int(n) / 1000, int(n) % 1000)
plot parameters using (column('parameters') / 2.):0:(column('parameters') / 2.):(0.32):ytic(1) \
         with boxxyerror fillstyle solid noborder linecolor rgb word(colours, 1) notitle, \
     parameters using 'parameters':0:(thousands(column('parameters'))) with labels left \
         offset 0.6, 0 textcolor rgb ink notitle
unset multiplot
