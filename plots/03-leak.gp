# Who moves whom: how far each output moves when one token is changed, under the right mask and with
# the softmax over queries. Beyond the heavy line the token that changed comes later, and a number
# there, framed, is a leak.
# Table: leak.tsv with the columns way, output, changed (from 0) and moved.

name = '03-leak'
if (!exists('data')) data = 'out/03-mask'
load 'plots/style.gp'

table = data . '/leak.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run the lesson first'; exit status 2 }
stats table using 'output' name 'output' nooutput
T = int(output_max) + 1

array ways[2]  = ['right', 'over queries']
array words[2] = ['right mask: no leak', 'softmax over queries: leaks']

# The token of a cell that belongs to the panel being drawn; other rows of the table are left out.
token(w) = strcol('way') eq ways[w] ? column('changed') : NaN
leak(w) = column('changed') > column('output') && column('moved') > 0 ? token(w) : NaN
shown(x) = strcol('way') eq ways[1] || strcol('way') eq ways[2] ? x : NaN
stats table using (shown(column('moved'))) name 'moved' nooutput
text(x) = x <= 0 ? '' : x < 0.0005 ? '>0' : sprintf(x < 0.005 ? '%.3f' : '%.2f', x)
dim = theme eq 'dark' ? 0xf0f0f0 : 0x1a1a1a                # letters on little, and on much
bright = theme eq 'dark' ? 0x14181d : 0xffffff
on(x) = x > (theme eq 'dark' ? 0.43 : 0.6) * moved_max ? bright : dim

set xrange [-0.5:T - 0.5]
set yrange [T - 0.5:-0.5]
set x2range [-0.5:T - 0.5]
unset xtics
set x2tics scale 0 textcolor rgb ink offset 0, -0.2 noenhanced ('' 0)
set ytics scale 0 noenhanced ('' 0)
set for [i=0:T - 1] x2tics add (substr('abcdefghij', i + 1, i + 1) i)
set for [i=0:T - 1] ytics add (substr('abcdefghij', i + 1, i + 1) i)
unset grid
unset border
set palette defined (0 word(heat, 1), 1 word(heat, 2), 2 word(heat, 3), 3 word(heat, 4), \
                     4 word(heat, 5))
set cbrange [0:moved_max]
unset colorbox

# The line between a token's own outputs and those before it: one step for each token.
do for [i=0:T - 2] {
    set arrow 2 * i + 1 from first i + 0.5, first i - 0.5 to first i + 0.5, first i + 0.5 \
        nohead front linecolor rgb word(colours, 2) linewidth 5
    set arrow 2 * i + 2 from first i + 0.5, first i + 0.5 to first i + 1.5, first i + 0.5 \
        nohead front linecolor rgb word(colours, 2) linewidth 5
}

set label 1 'the output that moves' at screen 0.025, screen 0.48 center rotate by 90 \
    textcolor rgb ink
set label 2 'the token that is changed; in a cell: how far the output moves' at screen 0.53, screen 0.05 center textcolor rgb ink

set output figure
set multiplot
do for [w=1:2] {
    set lmargin at screen w == 1 ? 0.095 : 0.55
    set rmargin at screen w == 1 ? 0.51 : 0.965
    set bmargin at screen 0.13
    set tmargin at screen 0.845
    set label 3 words[w] at graph 0.5, graph 1 center offset screen 0, screen 0.11 \
        textcolor rgb ink
    plot table using (token(w)):'output':(0.48):(0.48):'moved' with boxxyerror \
             fillstyle solid noborder fillcolor palette notitle, \
         table using (leak(w)):'output':(0.44):(0.43) with boxxyerror \
             linecolor rgb word(colours, 2) linewidth 3 fillstyle empty notitle, \
         table using (token(w)):'output':(text(column('moved'))):(on(column('moved'))) with labels \
             font (T > 7 ? ',15' : ',22') textcolor rgb variable notitle
    unset label 1
    unset label 2
}
unset multiplot
