# Left: how far each pair of the reverser's heads is turned at each place, as the cosine of the angle.
# The line is where training ended. Right: by what factor three ways to read further slow down the pairs
# of a large model.
# Table: frequencies.tsv with the columns model, pair, trained, frequency, interpolation, base and yarn.

name = '12-rope'
if (!exists('data')) data = 'out/12-positions'
load 'plots/style.gp'

table = data . '/frequencies.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run lesson-12 first'; exit status 2 }
of(model, what) = strcol('model') eq model ? column(what) : NaN
stats table using (of('ours', 'pair')) name 'pair' nooutput
stats table using (of('large', 'pair')) name 'large' nooutput
stats table using (of('ours', 'trained')) name 'trained' nooutput
places = 24

# The table of frequencies becomes one of places and pairs.
set print $angles
do for [p = 0:places] {
    do for [i = 0:int(pair_max)] {
        stats table using (of('ours', 'pair') == i ? column('frequency') : NaN) name 'at' nooutput
        print sprintf("%d\t%d\t%.6f", p, i, cos(p * at_mean))
    }
}
unset print

set palette defined (0 word(heat, 5), 1 word(heat, 4), 2 word(heat, 3), 3 word(heat, 2), 4 word(heat, 1))
set cbrange [-1:1]
set cbtics ('-1' -1, '0' 0, '1' 1) scale 0 textcolor rgb ink font ',20'

set output figure
set multiplot
set key off
set bmargin at screen 0.15
set tmargin at screen 0.88

set lmargin at screen 0.09
set rmargin at screen 0.475
set colorbox user origin screen 0.487, screen 0.15 size screen 0.012, screen 0.73
set xrange [-0.5:places + 0.5]
set yrange [pair_max + 0.5:-0.5]
set xtics 4 scale 0
set ytics 3 scale 0
unset grid
set border 15 linecolor rgb grid
set xlabel 'place'
set ylabel 'pair of a head'
set arrow 1 from first trained_max - 0.5, graph 0 to first trained_max - 0.5, graph 1.03 nohead front \
    linecolor rgb word(colours, 2) linewidth 4
set label 1 'taught' at first trained_max - 1, graph 1.05 right textcolor rgb word(colours, 2)
set label 2 'new' at first trained_max, graph 1.05 left textcolor rgb word(colours, 2)
set label 3 'our model: cosine of the angle' at screen 0.09, screen 0.955 left textcolor rgb ink
unset datafile columnheaders
plot $angles using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid noborder fillcolor palette
set datafile columnheaders

unset arrow
unset label
unset colorbox
set lmargin at screen 0.62
set rmargin at screen 0.975
set border 3 linecolor rgb ink
set grid linetype 1 dashtype solid linecolor rgb grid linewidth 1
set xrange [0:large_max]
set yrange [0:9.4]
set xtics 16 scale 0.6
set ytics 2 scale 0.6
set xlabel 'pair of a head, the fastest first'
set ylabel 'slowed down by this factor'
set label 3 'a large model, read 8 times as far' at screen 0.62, screen 0.955 left textcolor rgb ink
set label 4 'interpolation' at first 2, first 8.5 left textcolor rgb word(colours, 1)
set label 5 'YaRN' at first 31, first 5.2 right textcolor rgb word(colours, 2)
set label 6 'another base' at first 41, first 3.1 left textcolor rgb word(colours, 3)
plot table using (of('large', 'pair')):'interpolation' with lines linestyle 1, \
     table using (of('large', 'pair')):'yarn' with lines linestyle 2, \
     table using (of('large', 'pair')):'base' with lines linestyle 3
unset multiplot
