# What each head looks at: a row for each query, a column for each key, darker for more weight
# (brighter in the dark theme). Where the mask leaves nothing, the paper shows.
# Table: attention.tsv with the columns block, head (from 1), query, key (from 0) and weight; and, where
# there is one, strongest.tsv, whose column wanted is 1 where the strongest key of a row is the letter
# to be written next: those get a ring.

name = '07-attention'
if (!exists('data'))   data   = 'out/07-train'
if (!exists('tokens')) tokens = 'fgcabe|ebacgf'           # one letter for each position
load 'plots/style.gp'

table = data . '/attention.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; train first'; exit status 2 }

stats table using 'block' name 'block' nooutput
stats table using 'head'  name 'head'  nooutput
stats table using 'query' name 'query' nooutput
stats table using 'key'   name 'key'   nooutput
blocks = int(block_max)
heads  = int(head_max)
length = int(query_max > key_max ? query_max : key_max) + 1

# Panels share the page: blocks downwards, heads across, each between a square and 16:9.
min(a, b) = a < b ? a : b
left = 0.09; right = 0.88; top = 0.93; bottom = 0.14; gap_x = 0.05
gap_y = blocks > 2 ? 0.095 : 0.12
room_x = (right - left + gap_x) / heads - gap_x
room_y = (top - bottom + gap_y) / blocks - gap_y
height = min(room_y, room_x * 16 / 9.)
width  = min(room_x, height)
x0(h) = (left + right - gap_x) / 2. + (h - 1 - heads / 2.) * (width + gap_x) + gap_x
y0(b) = (top + bottom - gap_y) / 2. + (blocks / 2. - b) * (height + gap_y) + gap_y

# Axes: the tokens, as large as the cells allow, the first query on top.
letters = sprintf(',%d', min(20, min(1280 * width, 720 * height) / length))
set xrange [-0.5:length - 0.5]
set yrange [length - 0.5:-0.5]
set xtics scale 0 font letters noenhanced ('' 0)
set ytics scale 0 font letters noenhanced ('' 0)
set for [i=0:length - 1] xtics add (substr(tokens, i + 1, i + 1) i)
set for [i=0:length - 1] ytics add (substr(tokens, i + 1, i + 1) i)
unset grid
set border 15 linecolor rgb grid

# Thin lines before the separator: in the quarter below and left, the output looks at the input.
separator = strstrt(tokens, '|') - 1
if (separator >= 0) {
    set arrow 1 from graph 0, first separator - 0.5 to graph 1, first separator - 0.5 \
        nohead front linecolor rgb ink linewidth 1.5
    set arrow 2 from first separator - 0.5, graph 0 to first separator - 0.5, graph 1 \
        nohead front linecolor rgb ink linewidth 1.5
}

# One scale for all.
set palette defined (0 word(heat, 1), 1 word(heat, 2), 2 word(heat, 3), 3 word(heat, 4), \
                     4 word(heat, 5))
set cbrange [0:1]
set cbtics 0.25 scale 0 textcolor rgb ink font ',20'
set colorbox user origin screen 0.9, screen bottom size screen 0.018, screen top - bottom

set label 1 'query: the token that looks' at screen 0.025, screen (top + bottom) / 2 \
    center rotate by 90 textcolor rgb ink
set label 2 'key: the token that is looked at' at screen (left + right) / 2, screen 0.035 \
    center textcolor rgb ink
set label 3 'attention weight' at screen 0.98, screen (top + bottom) / 2 \
    center rotate by 90 textcolor rgb ink

# The key of a row that belongs to the panel being drawn; other rows are left out.
key(b, h) = column('block') == b && column('head') == h ? column('key') : NaN

strongest = data . '/strongest.tsv'
ringed    = rows(strongest) > 0
ring(b, h) = column('wanted') == 1 ? key(b, h) : NaN

set output figure
set multiplot
do for [b=1:blocks] {
    do for [h=1:heads] {
        set lmargin at screen x0(h)
        set rmargin at screen x0(h) + width
        set bmargin at screen y0(b)
        set tmargin at screen y0(b) + height
        set label 4 sprintf('block %d, head %d', b, h) at graph 0.5, graph 1 center \
            offset screen 0, screen 0.03 textcolor rgb ink font ',22'
        plot table using (key(b, h)):'query':(0.46):(0.46):'weight' with boxxyerror \
            fillstyle solid noborder fillcolor palette notitle, \
            for [i=1:ringed] strongest using (ring(b, h)):'query' \
            with points pt 6 ps 0.55 linewidth 3 linecolor rgb word(colours, 2) notitle
        unset label 1; unset label 2; unset label 3
        unset colorbox
    }
}
unset multiplot
