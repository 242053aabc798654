# What an exchange of axes that is left out does to a causal mask: for each row of the output the
# tokens that reach it. A full cell is as the mask allows, a cross is a later token that leaks in, an
# empty frame an earlier one that is missed.
# Table: reach.tsv with the columns fault (1 to 4), row, token (from 0) and reached (0 or 1).

name = '04-reach'
if (!exists('data')) data = 'out/04-heads'
load 'plots/style.gp'

table = data . '/reach.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run the lesson first'; exit status 2 }
stats table using 'row' name 'row' nooutput
tokens = int(row_max) + 1

# Four panels beside each other.
width  = 0.2
height = 0.6
bottom = 0.305
left(fault) = 0.0775 + (fault - 1) * (width + 0.03)
set xrange [-0.5:tokens - 0.5]
set yrange [tokens - 0.5:-0.5]
set xtics 1 scale 0
set ytics 1 scale 0
unset grid
set border 15 linecolor rgb grid

titles = "'nothing left out' 'left out of the split' 'left out of the merge' 'left out of both'"
set label 1 'row of the output' at screen 0.022, screen bottom + height / 2 center rotate by 90 \
    textcolor rgb ink
set label 2 'token of the input' at screen 0.5, screen bottom - 0.1 center textcolor rgb ink

# The marks explained, in a line below: as in the panels, at their size.
side_x = width / tokens * 0.9
side_y = height / tokens * 0.9
set object 1 rectangle center screen 0.205, screen 0.09 size screen side_x, screen side_y \
    fillstyle solid noborder fillcolor rgb word(colours, 1)
set object 2 rectangle center screen 0.48, screen 0.09 size screen side_x, screen side_y \
    fillstyle solid noborder fillcolor rgb word(colours, 2)
set object 3 rectangle center screen 0.74, screen 0.09 size screen side_x, screen side_y \
    fillstyle empty border linecolor rgb ink linewidth 3
set label 3 'reaches it' at screen 0.235, screen 0.09 left textcolor rgb ink
set label 4 'leaks in' at screen 0.51, screen 0.09 left textcolor rgb ink
set label 5 'is missed' at screen 0.77, screen 0.09 left textcolor rgb ink
set label 6 'x' at screen 0.48, screen 0.09 center textcolor rgb paper font ',22'

# The token of a row of the table that belongs in this panel and is of this kind.
late(leak)     = (column('token') > column('row')) == leak
cell(f, r, l)  = column('fault') == f && column('reached') == r && late(l) ? column('token') : NaN

set output figure
set multiplot
do for [fault=1:4] {
    set lmargin at screen left(fault)
    set rmargin at screen left(fault) + width
    set bmargin at screen bottom
    set tmargin at screen bottom + height
    set label 7 word(titles, fault) at graph 0.5, graph 1 center offset screen 0, screen 0.04 \
        textcolor rgb ink font ',20'
    plot table using (cell(fault, 1, 0)):'row':(0.45):(0.45) with boxxyerror \
             fillstyle solid noborder fillcolor rgb word(colours, 1) notitle, \
         table using (cell(fault, 1, 1)):'row':(0.45):(0.45) with boxxyerror \
             fillstyle solid noborder fillcolor rgb word(colours, 2) notitle, \
         table using (cell(fault, 1, 1)):'row':('x') with labels center font ',22' \
             textcolor rgb paper notitle, \
         table using (cell(fault, 0, 0)):'row':(0.42):(0.42) with boxxyerror \
             fillstyle empty border rgb ink linecolor rgb ink linewidth 3 notitle
    do for [i=1:6] { unset label i }
    do for [i=1:3] { unset object i }
}
unset multiplot
