# The look of every figure: one page, one font, one set of colours, whatever the format and theme.
# A figure sets `name`, loads this file, reads its tables, and says `set output figure` just before
# it plots, so that a failure on the way there leaves no file behind.
#
# From the top of the checkout:
#   gnuplot plots/07-train.gp
#   gnuplot -e "format='pdf'; theme='dark'; figure='slide.pdf'" plots/07-train.gp

if (!exists('format')) format = 'svg'                     # svg, png or pdf
if (!exists('theme'))  theme  = 'light'                   # light or dark
if (!exists('data'))   data   = 'out/' . name             # the directory with the tables
if (!exists('figure')) figure = 'figures/' . name . (theme eq 'dark' ? '-dark.' : '.') . format
if (strstrt(' svg png pdf ', ' ' . format . ' ') == 0 || (theme ne 'light' && theme ne 'dark')) {
    printerr 'format can be svg, png or pdf and theme light or dark, not ' . format . ' ' . theme
    exit status 2
}

# Tables: one header line, columns by name. `rows` asks the shell, because a plot of a table
# without rows fails with a riddle.
set datafile separator tab
set datafile columnheaders
rows(file) = int(system(sprintf("tail -n +2 '%s' 2>/dev/null | grep -c .", file)))

# Colours after Okabe and Ito, safe for colour-blind eyes. `heat` goes from weight 0 to weight 1,
# away from the paper and in even steps of lightness, so that it survives a grey print.
if (theme eq 'dark') {
    paper = '#14181d'; ink = '#f0f0f0'; grid = '#39414b'; faint = '#596675'; quiet = '#9fb0c0'
    colours = '#72c3f4 #ff8c42 #2fc79a #f0e442 #e39cc4 #c8c8c8'
    heat = '#262f3a #3d5c7c #5b8fbd #9bc8ea #f4faff'
} else {
    paper = '#ffffff'; ink = '#1a1a1a'; grid = '#d9d9d9'; faint = '#8fb4d1'; quiet = '#4f7fa3'
    colours = '#005a94 #d55e00 #009e73 #e69f00 #cc79a7 #666666'
    heat = '#eaf0f6 #a9c9e3 #6199c8 #255f9e #08203f'
}

# The page is 1280x720. The odd factors make letters, lines, dashes and dots come out alike.
if (format eq 'svg') {
    set terminal svg size 1280,720 font 'DejaVu Sans,Verdana,sans-serif,24' \
        dashlength 0.5 background paper
}
if (format eq 'png') {
    set terminal pngcairo size 1920,1080 font 'DejaVu Sans,24' \
        fontscale 1.125 linewidth 1.5 pointscale 4.6 background paper
}
if (format eq 'pdf') {
    set terminal pdfcairo size 13.334in,7.5in font 'DejaVu Sans,24' \
        fontscale 0.5625 linewidth 1.5 pointscale 2.35 background paper
}

# Series are told apart by colour, by dash and by lightness: `with lines linestyle 2`.
set style line 1 linewidth 4 linecolor rgb word(colours, 1)
set style line 2 linewidth 4 linecolor rgb word(colours, 2) dashtype '-'
set style line 3 linewidth 4 linecolor rgb word(colours, 3) dashtype '_.'
set style line 4 linewidth 4 linecolor rgb word(colours, 4) dashtype '.'
set style line 5 linewidth 4 linecolor rgb word(colours, 5) dashtype '_..'
set style line 6 linewidth 4 linecolor rgb word(colours, 6) dashtype '_'

# The plot keeps its place whatever its labels are; svg would put those of the axes further out.
set lmargin at screen 0.145
set rmargin at screen 0.965
set tmargin at screen 0.95
set bmargin at screen 0.16
set border 3 linecolor rgb ink linewidth 1.5
set tics nomirror out scale 0.6 textcolor rgb ink
set grid linetype 1 dashtype solid linecolor rgb grid linewidth 1
set key textcolor rgb ink noenhanced
set title textcolor rgb ink
set ylabel textcolor rgb ink
set xlabel textcolor rgb ink
if (format eq 'svg') {
    set xtics offset 0, 0.25
    set xlabel offset 0, 0.6
    set ylabel offset 2, 0
}
