# How long attention takes there and back, with all weights in memory and in tiles, and what share of the
# processor's peak that is. Measured on the machine that ran the lesson.
# Table: time.tsv with the columns tokens, way, pass, milliseconds, gflops and share.

name = '11-time'
if (!exists('data')) data = 'out/11-tiles'
load 'plots/style.gp'

table = data . '/time.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; --longest was too short'; exit status 2 }
of(way, pass, what) = strcol('way') eq way && strcol('pass') eq pass ? column(what) : NaN
stats table using 'tokens' name 'tokens' nooutput
spent(way) = strcol('way') eq way && column('tokens') == tokens_max ? column('milliseconds') : NaN
stats table using (spent('plain')) name 'plain' nooutput
stats table using (spent('tiles')) name 'tiles' nooutput

grouped(n) = n < 1000 ? sprintf('%d', n) : sprintf('%d,%03d', int(n) / 1000, int(n) % 1000)

set datafile missing NaN
set logscale x 2
set xrange [220:tokens_max < 512 ? 512 : tokens_max * 1.15]
set xtics ('256' 256, '512' 512, '1,024' 1024, '2,048' 2048, '4,096' 4096, '8,192' 8192, '16,384' 16384)
set yrange [0:100]
set ytics 0, 20, 100 format '%g%%'
set xlabel 'tokens T'
set ylabel 'share of the peak'
set key at graph 0.62, graph 0.36 right top Left reverse samplen 3 spacing 1.3
set label 1 sprintf('T = %s, forward and backward', grouped(tokens_max)) at graph 0.98, graph 0.36 right \
    offset screen 0, screen -0.02 textcolor rgb ink
set label 2 sprintf('plain: %.0f ms', plain_sum) at graph 0.98, graph 0.27 right offset screen 0, screen -0.02 \
    textcolor rgb word(colours, 2)
set label 3 sprintf('in tiles: %.0f ms', tiles_sum) at graph 0.98, graph 0.18 right offset screen 0, screen -0.02 \
    textcolor rgb word(colours, 1)
set output figure
plot table using 'tokens':(100 * of('tiles', 'backward', 'share')) with linespoints linestyle 1 pointtype 6 \
         title 'in tiles, backward', \
     table using 'tokens':(100 * of('tiles', 'forward', 'share')) with linespoints linestyle 1 pointtype 7 \
         title 'in tiles, forward', \
     table using 'tokens':(100 * of('plain', 'forward', 'share')) with linespoints linestyle 2 pointtype 5 \
         title 'plain, forward', \
     table using 'tokens':(100 * of('plain', 'backward', 'share')) with linespoints linestyle 2 pointtype 4 \
         title 'plain, backward'
