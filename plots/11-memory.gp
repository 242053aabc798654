# What attention has to store for T tokens, with its weights in memory and in tiles.
# Table: memory.tsv with the columns tokens, plain, tiled and qkv, in bytes.

name = '11-memory'
if (!exists('data')) data = 'out/11-tiles'
load 'plots/style.gp'

table = data . '/memory.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot'; exit status 2 }
stats table using 'tokens' name 'tokens' nooutput
stats table using (column('tokens') == tokens_max ? column('plain') : NaN) name 'plain' nooutput
stats table using (column('tokens') == tokens_max ? column('tiled') : NaN) name 'tiled' nooutput
stats table using (column('tokens') == tokens_max ? column('qkv') : NaN) name 'qkv' nooutput

set logscale xy
set xrange [tokens_min:tokens_max]
set yrange [2e4:2e9]
set xtics (64, 128, 256, 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192)
set ytics ('100 kB' 1e5, '1 MB' 1e6, '10 MB' 1e7, '100 MB' 1e8, '1 GB' 1e9)
set mytics 1
set rmargin at screen 0.93
set xlabel 'tokens T'
set ylabel 'bytes for one head'
set label 1 sprintf('plain: weights for every pair, %.0f MB', plain_max / 1e6) at first tokens_max, first plain_max \
    right offset screen -0.15, screen 0.0 textcolor rgb word(colours, 2)
set label 2 'queries, keys and values' at first tokens_max, first qkv_max right \
    offset screen 0, screen -0.14 textcolor rgb ink
set label 3 sprintf('in tiles: %.0f kB', tiled_max / 1e3) at first tokens_max, first tiled_max right \
    offset screen -0.02, screen -0.05 textcolor rgb word(colours, 1)
set output figure
plot table using 'tokens':'plain' with linespoints linestyle 2 linewidth 4 pointtype 5 pointsize 0.7 notitle, \
     table using 'tokens':'qkv' with lines linestyle 6 linewidth 3 notitle, \
     table using 'tokens':'tiled' with linespoints linestyle 1 linewidth 4 pointtype 7 pointsize 0.7 notitle
