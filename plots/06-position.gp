# How alike the rows of the position table are before training, and what training changed in that.
# A square for each pair of rows: its area is the size, its colour the sign. Two lines part the rows
# that were taught from those that never were.
# Tables: similarity.tsv with the columns row, column, before and after; rows.tsv with position and
# strings.

name = '06-position'
load 'plots/style.gp'

table = data . '/similarity.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot'; exit status 2 }
stats table using 'row' name 'row' nooutput
stats data . '/rows.tsv' using (column('strings') > 0 ? column('position') : -1) name 'taught' nooutput
last  = int(row_max)
edge  = int(taught_max) + 0.5               # between the last row that was taught and the next
alike = word(colours, 1)
other = theme eq 'dark' ? '#c8742c' : '#f0a830'

set xrange [-0.5:last + 0.5]
set yrange [last + 0.5:-0.5]
set xtics 5 scale 0 font ',22'
set ytics 5 scale 0 font ',22'
unset grid
set border 15 linecolor rgb quiet
set style fill solid noborder

# Half the side of a square whose cell is full at `most`.
half(v, most) = 0.5 * sqrt(abs(v) < most ? abs(v) / most : 1)
up(v) = v > 0 ? v : NaN
down(v) = v < 0 ? v : NaN

# The sides of a square, half of them: its cell is full at `most`. Only one sign is drawn at a time.
half(v, sign, most) = sign * v > 0 ? 0.48 * sqrt(sign * v < most ? sign * v / most : 1) : NaN
before(sign) = column('row') == column('column') ? NaN : half(column('before'), sign, 0.4)
change(sign) = half(column('after') - column('before'), sign, 0.1)

set xrange [-0.5:last + 0.5]
set yrange [last + 0.5:-0.5]
set xtics 5 scale 0
set ytics 5 scale 0
unset grid
set border 15 linecolor rgb quiet
set style fill solid noborder

# Marks on each panel: where teaching ends, and the words above.
if (taught_max >= 0 && taught_max < last) {
    set arrow 1 from edge, graph 0 to edge, graph 1 nohead front linecolor rgb ink linewidth 2
    set arrow 2 from graph 0, first edge to graph 1, first edge nohead front linecolor rgb ink linewidth 2
    set label 1 sprintf('taught: 0 to %d', int(taught_max)) at first (edge - 0.5) / 2, graph 1 center \
        offset screen 0, screen 0.025 textcolor rgb ink font ',22'
    set label 2 'never taught' at first (edge + last + 0.5) / 2, graph 1 center \
        offset screen 0, screen 0.025 textcolor rgb ink font ',22'
}

left = 0.095; width = 0.4; gap = 0.085; bottom = 0.175; height = width * 16 / 9.
set bmargin at screen bottom
set tmargin at screen bottom + height
set label 3 'row of the table' at screen 0.025, screen bottom + height / 2 center rotate by 90 \
    textcolor rgb ink
set label 4 'row of the table' at graph 0.5, screen 0.095 center textcolor rgb ink
set label 5 '■' at graph 0, screen 0.035 left textcolor rgb alike font ',22'
set label 6 '■' at graph 0.36, screen 0.035 left textcolor rgb other font ',22'

set output figure
set multiplot
set lmargin at screen left
set rmargin at screen left + width
set label 7 'cosine of two rows, before training' at graph 0.5, screen 0.967 center textcolor rgb ink
set label 8 'alike' at graph 0.05, screen 0.035 left textcolor rgb ink font ',22'
set label 9 'opposed' at graph 0.41, screen 0.035 left textcolor rgb ink font ',22'
set label 10 'full square: 0.4' at graph 1, screen 0.035 right textcolor rgb ink font ',22'
plot table using 'column':'row':(before(1)):(before(1)) with boxxyerror linecolor rgb alike notitle, \
     table using 'column':'row':(before(-1)):(before(-1)) with boxxyerror linecolor rgb other notitle
unset label 3
set lmargin at screen left + width + gap
set rmargin at screen left + 2 * width + gap
set label 7 'what training changed in it' at graph 0.5, screen 0.967 center textcolor rgb ink
set label 8 'more alike' at graph 0.05, screen 0.035 left textcolor rgb ink font ',22'
set label 9 'less' at graph 0.41, screen 0.035 left textcolor rgb ink font ',22'
set label 10 'full square: 0.1' at graph 1, screen 0.035 right textcolor rgb ink font ',22'
plot table using 'column':'row':(change(1)):(change(1)) with boxxyerror linecolor rgb alike notitle, \
     table using 'column':'row':(change(-1)):(change(-1)) with boxxyerror linecolor rgb other notitle
unset multiplot
