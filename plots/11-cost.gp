# What takes the work in a block of width 4096: attention between pairs of tokens, the feed-forward layer,
# the projections, as shares, by the number of tokens.
# Table: cost.tsv with the columns tokens, attention, ffn and projections, in operations.

name = '11-cost'
if (!exists('data')) data = 'out/11-tiles'
load 'plots/style.gp'

table = data . '/cost.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot'; exit status 2 }
share(what) = 100.0 * column(what) / (column('attention') + column('ffn') + column('projections'))

set logscale x 4
set xrange [256:1048576]
set yrange [0:100]
set xtics ('256' 256, '1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536, '262,144' 262144, \
    '1,048,576' 1048576) font ',22'
set ytics 0, 20, 100 format '%g%%'
set rmargin at screen 0.93
set xlabel 'tokens n, at width d = 4,096'
set ylabel 'share of the operations'
set arrow 1 from 16384, 0 to 16384, 40 nohead dashtype '_' linewidth 2 linecolor rgb quiet
set label 1 'n = 4d' at 16384, 3 left offset screen 0.01, 0 textcolor rgb ink
set label 2 'pairs of tokens' at 65536, 84 right offset screen -0.02, 0 textcolor rgb word(colours, 2)
set label 3 'feed-forward' at 300, 60 left offset screen 0, 0 textcolor rgb word(colours, 1)
set label 4 'projections' at 300, 26 left textcolor rgb word(colours, 3)
set output figure
plot table using 'tokens':(share('attention')) with lines linestyle 2 linewidth 5 notitle, \
     table using 'tokens':(share('ffn')) with lines linestyle 1 linewidth 5 notitle, \
     table using 'tokens':(share('projections')) with lines linestyle 3 linewidth 5 notitle
