# The loss with a table of positions and without one, step by step.
# Table: loss.tsv with the columns step, with and without.

name = '06-loss'
if (!exists('data')) data = 'out/06-position'
load 'plots/style.gp'

table = data . '/loss.tsv'
guess = log(12)                     # loss of an even guess over the 12 tokens
if (rows(table) < 1) { printerr table . ': no rows to plot; train first'; exit status 2 }
stats table using 'step' name 'step' nooutput
stats table using 'with' name 'with' nooutput
between(from, to, what) = column('step') > from * step_max && column('step') <= to * step_max \
    ? column(what) : NaN
stats table using (between(0.2, 0.3, 'with')) name 'early' nooutput
stats table using (between(0.7, 1.0, 'without')) name 'late' nooutput

set logscale y
set yrange [10 ** floor(log10(with_min)):10]
set xrange [0:step_max < 10 ? 10 : step_max]
set ytics format '%g'
set xlabel 'training step'
set ylabel 'loss (nats per token)'
set label 1 'without a table: only the mask tells of order' at graph 0.98, first late_mean right \
    offset screen 0, screen -0.06 front textcolor rgb word(colours, 2)
set label 2 'with a table of positions' at graph 0.03, first early_min left \
    offset screen 0, screen -0.08 front textcolor rgb word(colours, 1)
set label 3 sprintf('ln 12 = %.3f: guessing evenly over twelve tokens', guess) \
    at graph 0.98, first guess right offset screen 0, screen 0.03 textcolor rgb ink
set output figure
plot table using 'step':'without' with lines linecolor rgb word(colours, 2) linewidth 3 notitle, \
     table using 'step':'with' with lines linecolor rgb word(colours, 1) linewidth 3 notitle, \
     guess with lines linestyle 6 linewidth 2 notitle
