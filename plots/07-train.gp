# Training loss against step: a faint dot for each step, a line for the mean of the last 25.
# Table: loss.tsv with the columns step and loss.

name = '07-train'
load 'plots/style.gp'

table   = data . '/loss.tsv'
window  = 25                        # steps in the running mean
guess   = log(12)                   # loss of an even guess over the 12 tokens
learned = 0.01                      # the mark that the mean has to pass

if (rows(table) < 1) { printerr table . ': no rows to plot; train first'; exit status 2 }

# The running mean keeps the last `window` losses in a ring; the first steps average what there is.
array ring[window]
seen = 0
mean(x) = (ring[seen % window + 1] = x, seen = seen + 1, \
           n = seen < window ? seen : window, (sum [i=1:n] ring[i]) / n)

# A first pass notes the step where the mean passes each mark, for the words beside the curve.
fell = 0; done = 0
note(step, m) = (fell = fell == 0 && m < 0.5 ? step : fell, \
                 done = done == 0 && m < learned && seen >= window ? step : done, m)
stats table using 'step' name 'step' nooutput
stats table using 'loss' name 'loss' nooutput
stats table using (note(column('step'), mean(column('loss')))) name 'mean' nooutput
seen = 0

set logscale y
lowest = loss_min > 0 && loss_min < learned ? loss_min : learned / 2
set yrange [10 ** floor(log10(lowest)):10]
set xrange [0:step_max < 10 ? 10 : step_max]
set ytics format '%g' add ('0.00001' 1e-5)
set xlabel 'training step'
set ylabel 'loss (nats per token)'

# Words next to what they name: beside the fall, or below a curve that has not fallen yet.
high = fell > 0 ? 0.9 : 0.07
set label 1 sprintf('mean of the last %d steps', window) at fell, high \
    offset screen 0.02, screen 0 front textcolor rgb word(colours, 1)
set label 2 'each step' at fell, high offset screen 0.02, screen -0.045 \
    front textcolor rgb quiet
set label 3 sprintf('ln 12 = %.3f: guessing evenly over twelve tokens', guess) \
    at graph 0.99, first guess right offset screen 0, screen 0.03 textcolor rgb ink
set label 4 sprintf("%g: first below\n%s", learned, \
                    done > 0 ? sprintf('at step %d', done) : 'not in these steps') \
    at graph 0.015, first learned left offset screen 0, screen -0.03 front textcolor rgb ink
set output figure
plot table using 'step':'loss' with points pt 7 ps 0.3 linecolor rgb faint notitle, \
     table using 'step':(mean(column('loss'))) with lines linestyle 1 notitle, \
     guess   with lines linestyle 2 linewidth 2 notitle, \
     learned with lines linestyle 3 linewidth 2 notitle
