# Five masks and several of them at once: a row for each query, a column for each key, dark where the
# query may look. A query that may look at nothing has a frame around its row.
# Table: masks.tsv with the columns mask, query, key (from 0) and seen (0 or 1).

name = '09-masks'
load 'plots/style.gp'

table = data . '/masks.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run the lesson first'; exit status 2 }
stats table using 'query' name 'query' nooutput
T = int(query_max) + 1

array masks[6] = ['causal', 'padding', 'window', 'prefix', 'documents', 'together']
array words[6] = ['causal: nothing later', 'padding: no pads', 'window: only near keys', \
                  'prefix: all see the start', 'documents: only its own', 'together, pads in front']

# How many keys each query of a panel sees.
array keys[6 * T]
do for [i=1:6 * T] { keys[i] = 0 }
panel(m) = m eq masks[1] ? 0 : m eq masks[2] ? 1 : m eq masks[3] ? 2 : m eq masks[4] ? 3 : \
           m eq masks[5] ? 4 : 5
add(at, seen) = (keys[at] = keys[at] + seen, seen)
stats table using (add(panel(strcol('mask')) * T + int(column('query')) + 1, column('seen'))) \
    nooutput

# The key of a cell that belongs to the panel being drawn; other rows of the table are left out.
key(m, seen) = strcol('mask') eq masks[m] && column('seen') == seen ? column('key') : NaN

set xrange [-0.5:T - 0.5]
set yrange [T - 0.5:-0.5]
set x2range [-0.5:T - 0.5]
unset xtics
set x2tics scale 0 textcolor rgb ink font ',16' offset 0, -0.5 ('' 0)
set ytics scale 0 textcolor rgb ink font ',16' offset 0.5, 0 ('' 0)
set for [i=0:T - 1] x2tics add (sprintf('%d', i) i)
set for [i=0:T - 1] ytics add (sprintf('%d', i) i)
unset grid
unset border
open = word(heat, 4)
shut = word(heat, 1)

set label 1 'query: the token that looks' at screen 0.022, screen 0.47 center rotate by 90 \
    textcolor rgb ink
set label 2 'key: the token that is looked at; ' . (theme eq 'dark' ? 'bright' : 'dark') . \
    ': it may be seen' at screen 0.53, screen 0.035 center textcolor rgb ink

x0(m) = 0.085 + 0.31 * ((m - 1) % 3)
y0(m) = m <= 3 ? 0.555 : 0.095
set output figure
set multiplot
do for [m=1:6] {
    set lmargin at screen x0(m)
    set rmargin at screen x0(m) + 0.255
    set bmargin at screen y0(m)
    set tmargin at screen y0(m) + 0.325
    set label 3 words[m] at graph 0.5, graph 1 center offset screen 0, screen 0.075 \
        textcolor rgb ink font ',21'
    do for [i=0:T - 1] {
        unset object 10 + i
        if (keys[(m - 1) * T + i + 1] == 0) {
            set object 10 + i rectangle from first -0.47, first i - 0.44 \
                to first T - 0.53, first i + 0.44 front fillstyle empty \
                border linecolor rgb word(colours, 2) linewidth 3
        }
    }
    first_empty = -1
    do for [i=T:1:-1] { if (keys[(m - 1) * T + i] == 0) { first_empty = i - 1 } }
    unset label 4
    if (first_empty >= 0) {
        set label 4 'no key at all' at graph 0.5, first first_empty center front \
            textcolor rgb word(colours, 2) font ',18'
    }
    plot table using (key(m, 0)):'query':(0.46):(0.44) with boxxyerror \
             fillstyle solid noborder linecolor rgb shut notitle, \
         table using (key(m, 1)):'query':(0.46):(0.44) with boxxyerror \
             fillstyle solid noborder linecolor rgb open notitle
    unset label 1
    unset label 2
}
unset multiplot
