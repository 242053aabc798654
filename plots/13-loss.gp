# The loss of a model that can look and of one that cannot, while training and on the test set.
# Tables: loss.tsv with the columns step, loss and query_only; test.tsv with the same.

name = '13-loss'
if (!exists('data')) data = 'out/13-retrieval'
load 'plots/style.gp'

table = data . '/loss.tsv'
tests = data . '/test.tsv'
guess = log(8)                      # loss of an even guess over the 8 values
if (rows(table) < 1 || rows(tests) < 1) { printerr table . ': no rows to plot; train first'; exit status 2 }
stats table using 'step' name 'step' nooutput
stats table using 'loss' name 'loss' nooutput

set logscale y
set yrange [10 ** floor(log10(loss_min)):10]
set xrange [0:step_max < 10 ? 10 : step_max]
set ytics format '%g'
set xlabel 'training step'
set ylabel 'loss (nats per question)'
set label 1 sprintf('ln 8 = %.3f: guessing evenly over eight values', guess) \
    at graph 0.985, first 5.2 right textcolor rgb ink
set label 2 'sees the last row alone' at graph 0.985, first 1.4 right \
    textcolor rgb word(colours, 2)
set label 3 'sees all rows' at graph 0.42, first 0.012 left textcolor rgb word(colours, 1)
set label 4 'lines: in training; marks: on the test set' at graph 0.985, first 0.3 right \
    textcolor rgb ink font ',20'
set output figure
plot table using 'step':'query_only' with lines linecolor rgb word(colours, 2) linewidth 2 dashtype '-' notitle, \
     table using 'step':'loss' with lines linecolor rgb word(colours, 1) linewidth 3 notitle, \
     guess with lines linestyle 6 linewidth 2 notitle, \
     tests using 'step':'query_only' with points linecolor rgb word(colours, 2) pt 8 ps 0.5 notitle, \
     tests using 'step':'loss' with points linecolor rgb word(colours, 1) pt 7 ps 0.5 notitle
