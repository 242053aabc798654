# Where each number lies: a cell for each place in memory, coloured by the token that it belongs to
# and marked with token t and head h. Before the split, after it, and with the exchange left out.
# Table: layout.tsv with the columns picture (1 to 3), place, token and slice (the head that it is
# meant for), all from 0 but the picture.

name = '04-heads'
load 'plots/style.gp'

table = data . '/layout.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run the lesson first'; exit status 2 }

stats table using 'place' name 'place' nooutput
stats table using 'token' name 'token' nooutput
stats table using 'slice' name 'slice' nooutput
places = int(place_max) + 1
tokens = int(token_max) + 1
heads  = int(slice_max) + 1
d_head = places / tokens / heads

# Three strips of memory, the first on top, each under its title.
strip(picture) = 3 - picture
half = 0.2
gap  = places / 1200.           # about a pixel
names = heads > 3 ? ',17' : ',20'
marks = tokens * heads > 24 ? ',15' : tokens * heads > 18 ? ',18' : ',22'
set lmargin at screen 0.03
set rmargin at screen 0.97
set tmargin at screen 0.985
set bmargin at screen 0.13
set xrange [-0.5 - gap:places - 0.5 + gap]
set yrange [-0.45:2.43]
unset grid
unset ytics
set border 0
set xtics 0, tokens > 1 ? heads * d_head : d_head, places
set xlabel 'place in memory (a box is the slice of one head, a tick one number)'
set palette defined (0 word(heat, 1), 1 word(heat, 2), 2 word(heat, 3), 3 word(heat, 4), \
                     4 word(heat, 5))
set cbrange [0:tokens > 1 ? tokens - 1 : 1]
unset colorbox

titles = "'before: token after token, (T,D)' 'after the split: head after head, (H,T,d)' \
'the exchange left out: memory as before, cut into (H,T,d) where it lies'"
set for [p=1:3] label p word(titles, p) at graph 0, first strip(p) + half + 0.12 left \
    textcolor rgb ink font ',24'

# A line under what belongs together, and which tokens it holds. All of them is right for a head.
under(p) = strip(p) - half - 0.05
names_of(p, i, first, last) = p == 1 ? sprintf('token %d', i) : \
    first == last ? sprintf('head %d: token %d', i, first) : \
    sprintf('head %d: tokens %d to %d', i, first, last)
do for [p=1:3] {
    parts = p == 1 ? tokens : heads
    do for [i=0:parts - 1] {
        from = 1. * i * places / parts - 0.5
        to   = 1. * (i + 1) * places / parts - 0.5
        first_token = p == 3 ? i * tokens / heads : 0
        last_token  = p == 3 ? ((i + 1) * tokens - 1) / heads : tokens - 1
        wrong = last_token - first_token < tokens - 1
        set arrow 10 * p + i from from + 3 * gap, under(p) to to - 3 * gap, under(p) nohead \
            linecolor rgb (wrong ? word(colours, 2) : ink) linewidth (wrong ? 5 : 3)
        set label 10 * p + i names_of(p, i, first_token, last_token) \
            at (from + to) / 2, under(p) - 0.11 center textcolor rgb ink font names
    }
}

# Notches show the cells, lines the slices. The first cell of a slice bears its marks; dark cells
# have light letters.
starts(place) = int(place) % d_head == 0
first(place)  = starts(place) ? place + (d_head - 1) / 2. : NaN
deep(token)   = tokens > 1 && token / (tokens - 1.) > 0.6
letter(dark)  = deep(column('token')) == dark ? first(column('place')) : NaN
notch(place)  = starts(place) ? 2 * half : 0.05

set output figure
plot table using 'place':(strip(column('picture'))):(0.51):(half):'token' \
         with boxxyerror fillstyle solid noborder fillcolor palette notitle, \
     for [side=-1:1:2] table using (column('place') - 0.5): \
         (strip(column('picture')) + side * half):(0):(-side * notch(column('place'))) \
         with vectors nohead linecolor rgb paper linewidth 1.5 notitle, \
     for [dark=0:1] table using (letter(dark)):(strip(column('picture')) + 0.075): \
         (sprintf('t%d', column('token'))) with labels center font marks \
         textcolor rgb (dark ? paper : ink) notitle, \
     for [dark=0:1] table using (letter(dark)):(strip(column('picture')) - 0.075): \
         (sprintf('h%d', column('slice'))) with labels center font marks \
         textcolor rgb (dark ? paper : ink) notitle
