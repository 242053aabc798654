# Four ways to mask: the weights of each, a row for each query, a column for each key. Beyond the
# heavy line stands what may not be seen. Row sums on the right, column sums below.
# Table: weights.tsv with the columns way, query, key (from 0) and weight.

name = '03-mask'
load 'plots/style.gp'

table = data . '/weights.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run the lesson first'; exit status 2 }
stats table using 'query' name 'query' nooutput
T = int(query_max) + 1

array ways[4]  = ['right', 'score 0', 'mask after', 'over queries']
array words[4] = ['right: −∞ before the softmax', 'wrong: 0 instead of −∞', \
                  'wrong: mask after the softmax', 'wrong: softmax over queries']

# One pass adds up rows and columns; a figure wants the weights only.
array across[4 * T]
array down[4 * T]
do for [i=1:4 * T] { across[i] = 0; down[i] = 0 }
panel(way) = way eq ways[1] ? 0 : way eq ways[2] ? 1 : way eq ways[3] ? 2 : 3
add(first, query, key, weight) = (across[first + query] = across[first + query] + weight, \
                                  down[first + key] = down[first + key] + weight, weight)
stats table using (add(panel(strcol('way')) * T + 1, int(column('query')), int(column('key')), \
                       column('weight'))) nooutput

# The key of a cell that belongs to the panel being drawn; other rows of the table are left out.
key(w) = strcol('way') eq ways[w] ? column('key') : NaN
text(x) = x > 0 ? sprintf('%.2f', x) : ''
dim = theme eq 'dark' ? 0xf0f0f0 : 0x1a1a1a                # letters on weight 0, and on weight 1
bright = theme eq 'dark' ? 0x14181d : 0xffffff
on(x) = x > (theme eq 'dark' ? 0.43 : 0.6) ? bright : dim

small = sprintf(',%d', T > 7 ? 14 : 18)
set xrange [-0.5:T - 0.5]
set yrange [T - 0.5:-0.5]
set xtics scale 0 font ',18' ('' 0)
set ytics scale 0 font ',18' ('' 0)
unset xtics
set x2range [-0.5:T - 0.5]
set x2tics scale 0 textcolor rgb ink font ',18' offset 0, -0.4 noenhanced ('' 0)
set for [i=0:T - 1] x2tics add (substr('abcdefghij', i + 1, i + 1) i)
set for [i=0:T - 1] ytics add (substr('abcdefghij', i + 1, i + 1) i)
unset grid
unset border
set palette defined (0 word(heat, 1), 1 word(heat, 2), 2 word(heat, 3), 3 word(heat, 4), \
                     4 word(heat, 5))
set cbrange [0:1]
unset colorbox

# The line between what may be seen and what may not: one step for each token.
do for [i=0:T - 2] {
    set arrow 2 * i + 1 from first i + 0.5, first i - 0.5 to first i + 0.5, first i + 0.5 \
        nohead front linecolor rgb word(colours, 2) linewidth 4
    set arrow 2 * i + 2 from first i + 0.5, first i + 0.5 to first i + 1.5, first i + 0.5 \
        nohead front linecolor rgb word(colours, 2) linewidth 4
}

set label 1 'query: the token that looks' at screen 0.022, screen 0.5 center rotate by 90 \
    textcolor rgb ink
set label 2 'key: the token that is looked at' at screen 0.53, screen 0.03 center textcolor rgb ink

x0(w) = w % 2 == 1 ? 0.085 : 0.555
y0(w) = w <= 2 ? 0.595 : 0.13
set output figure
set multiplot
do for [w=1:4] {
    set lmargin at screen x0(w)
    set rmargin at screen x0(w) + 0.36
    set bmargin at screen y0(w)
    set tmargin at screen y0(w) + 0.29
    set label 3 words[w] at graph 0.5, graph 1 center offset screen 0, screen 0.085 \
        textcolor rgb ink font ',22'
    set label 4 'sum' at graph 1, graph 1 center offset screen 0.04, screen 0.027 \
        textcolor rgb quiet font ',18'
    do for [i=0:T - 1] {
        set label 10 + i sprintf('%.2f', across[(w - 1) * T + i + 1]) at graph 1, first i center \
            offset screen 0.04, screen 0 font small \
            textcolor rgb (abs(across[(w - 1) * T + i + 1] - 1) < 0.005 ? ink : word(colours, 2))
        set label 30 + i sprintf('%.2f', down[(w - 1) * T + i + 1]) at first i, graph 0 center \
            offset screen 0, screen -0.025 font small \
            textcolor rgb (abs(down[(w - 1) * T + i + 1] - 1) < 0.005 ? ink : quiet)
    }
    plot table using (key(w)):'query':(0.48):(0.47):'weight' with boxxyerror \
             fillstyle solid noborder fillcolor palette notitle, \
         table using (key(w)):'query':(text(column('weight'))):(on(column('weight'))) with labels \
             font small textcolor rgb variable notitle
    unset label 1
    unset label 2
}
unset multiplot
