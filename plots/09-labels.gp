# The same training with labels that are not shifted, shifted once and shifted twice, and the least
# loss that the data allow each of them.
# Tables: labels.tsv with the columns step, unshifted, once and twice; least.tsv with the same names
# and one row.

name = '09-labels'
if (!exists('data')) data = 'out/09-masks'
load 'plots/style.gp'

table = data . '/labels.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; train first'; exit status 2 }
least = data . '/least.tsv'
stats table using 'step' name 'step' nooutput
stats least using 'once' name 'once' nooutput
stats least using 'twice' name 'twice' nooutput

set xrange [0:step_max < 10 ? 10 : step_max]
set yrange [-0.05:3]
set ytics 0.5
set xlabel 'training step'
set ylabel 'loss (nats per label)'
set label 1 sprintf('shifted twice; least possible: %.3f', twice_mean) \
    at graph 0.98, first twice_mean right offset screen 0, screen 0.045 \
    textcolor rgb word(colours, 3)
set label 2 sprintf('shifted once; least possible: %.3f', once_mean) \
    at graph 0.98, first once_mean right offset screen 0, screen -0.05 \
    textcolor rgb word(colours, 1)
set label 3 'not shifted: it copies, and the loss goes to 0' \
    at graph 0.98, first 0 right offset screen 0, screen 0.055 \
    textcolor rgb word(colours, 2)
set output figure
plot table using 'step':'twice' with lines linecolor rgb word(colours, 3) linewidth 3 notitle, \
     table using 'step':'once' with lines linecolor rgb word(colours, 1) linewidth 3 notitle, \
     table using 'step':'unshifted' with lines linecolor rgb word(colours, 2) linewidth 3 notitle, \
     twice_mean with lines linecolor rgb ink dashtype '.' linewidth 2 notitle, \
     once_mean with lines linecolor rgb ink dashtype '.' linewidth 2 notitle
