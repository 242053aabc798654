# Where the query points, and what that makes of the keys: on the left all of them as arrows, on the
# right the weight that each key gets.
# Tables: attention.tsv with the columns token, key_x, key_y and weight; query.tsv with one row of
# query_x and query_y.

name = '01-attention'
load 'plots/style.gp'

table = data . '/attention.tsv'
asked = data . '/query.tsv'
if (rows(table) < 1 || rows(asked) < 1) { printerr data . ': no rows to plot'; exit status 2 }

stats table using 'key_x' name 'kx' nooutput
stats table using 'key_y' name 'ky' nooutput
stats asked using 'query_x' name 'qx' nooutput
stats asked using 'query_y' name 'qy' nooutput
qx = qx_max; qy = qy_max

# A query that is much longer than the keys would make dots of them, so it is cut at this length.
longest = 3.0
length  = sqrt(qx ** 2 + qy ** 2)
cut     = length > longest ? longest / length : 1.0
ax = qx * cut; ay = qy * cut
max(a, b) = a > b ? a : b
min(a, b) = a < b ? a : b

# One unit is as long upwards as across: the panel is part of a 16:9 page.
left = 0.05; right = 0.50; bottom = 0.09; top = 0.95
low_x = min(0, min(kx_min, ax)) - 0.35; high_x = max(0, max(kx_max, ax)) + 0.75
low_y = min(0, min(ky_min, ay)) - 0.35; high_y = max(0, max(ky_max, ay)) + 0.35
unit = max((high_x - low_x) / ((right - left) * 16.), (high_y - low_y) / ((top - bottom) * 9.))
mid_x = (low_x + high_x) / 2.; mid_y = (low_y + high_y) / 2.
half_x = unit * (right - left) * 16. / 2.; half_y = unit * (top - bottom) * 9. / 2.

query_colour = word(colours, 2)
key_colour   = word(colours, 1)

set output figure
set multiplot

# Left: the plane. The query lies under the keys and is wider, so that one that points along it shows.
set lmargin at screen left
set rmargin at screen right
set bmargin at screen bottom
set tmargin at screen top
set xrange [mid_x - half_x:mid_x + half_x]
set yrange [mid_y - half_y:mid_y + half_y]
set xtics 1; set ytics 1
set format ''
unset border
set xtics axis scale 0; set ytics axis scale 0
set xzeroaxis linetype 1 linecolor rgb ink linewidth 1.5
set yzeroaxis linetype 1 linecolor rgb ink linewidth 1.5

# Its name stands beside the arrow, to the left of where it points.
len = max(length * cut, 1e-9)
nx = length > 0 ? -ay / len : -0.7; ny = length > 0 ? ax / len : -0.7
words = sprintf("query of it\n(%.4g, %.4g)%s", qx, qy, cut < 1 ? "\ncut short" : "")
set label 1 words at 0.75 * ax + 0.45 * unit * nx, 0.75 * ay + 0.45 * unit * ny \
    front textcolor rgb query_colour
if (nx < -0.3) set label 1 right
if (nx < -0.3 && ax < 0) set label 1 left at mid_x - half_x + 0.1 * unit, 0.75 * ay + 0.45 * unit * ny
if (nx > 0.3)  set label 1 left
if (abs(nx) <= 0.3) {
    set label 1 center offset screen 0, screen (ny > 0 ? 0.095 : -0.02)
}
set label 2 '1' at 1, 0 center offset screen 0, screen -0.03 textcolor rgb ink font ',20'
set label 3 '1' at 0, 1 right offset screen -0.01, 0 textcolor rgb ink font ',20'
set label 4 'first number of a key or the query' at graph 0.5, screen 0.045 center textcolor rgb ink
set label 5 'second number' at screen 0.02, graph 0.5 center rotate by 90 textcolor rgb ink

# A key's name stands at its point; that of a key of nothing below the origin.
aside = ax > 0 && ay < 0 ? -1.2 * unit : 0.3 * unit      # not where the query runs
across(x, y) = x == 0 && y == 0 ? aside : 0.3 * unit
apart(x, y) = x == 0 && y == 0 ? -0.45 * unit : 0.27 * unit
plot asked using (0):(0):(ax):(ay) with vectors filled head size screen 0.03, 20 \
         linewidth 14 linecolor rgb query_colour notitle, \
     table using (0):(0):'key_x':'key_y' with vectors filled head size screen 0.02, 18 \
         linewidth 4 linecolor rgb key_colour notitle, \
     table using 'key_x':'key_y' with points pt 7 ps 0.5 linecolor rgb key_colour notitle, \
     table using (column('key_x') + across(column('key_x'), column('key_y'))): \
         (column('key_y') + apart(column('key_x'), column('key_y'))):'token' \
         with labels left textcolor rgb key_colour notitle

# Right: a bar for each key, in the order of the sentence.
unset label
unset xzeroaxis
unset yzeroaxis
set lmargin at screen 0.62
set rmargin at screen 0.965
set bmargin at screen 0.16
set border 3 linecolor rgb ink linewidth 1.5
set xrange [0:1.12]
set yrange [rows(table) - 0.4:-0.6]
set xtics border 0.25 scale 0.6 format '%.2g' textcolor rgb ink
set ytics border scale 0
unset grid
set grid x
set xlabel 'attention weight'
plot table using (0):0:(0):'weight':(column(0) - 0.32):(column(0) + 0.32):ytic(stringcolumn('token')) \
         with boxxyerror fillstyle solid noborder linecolor rgb key_colour notitle, \
     table using 'weight':0:(sprintf('%.2f', column('weight'))) with labels left \
         offset character 0.6, 0 textcolor rgb ink notitle
unset multiplot
