# Six trainings: the loss that each reports beside what each can do.
# Tables: loss.tsv with the columns run, seed, step and loss; accuracy.tsv with run, seed, length,
# right and total. With several seeds every loss is drawn, and the accuracy with its range.

name = '08-faults'
load 'plots/style.gp'

losses   = data . '/loss.tsv'
accuracy = data . '/accuracy.tsv'
runs     = 'reference no-scale query-axis no-mask every-position stacked'
window   = 25                        # steps in the running mean

if (rows(losses) < 1 || rows(accuracy) < 1) {
    printerr losses . ': no rows to plot; train first'; exit status 2
}
seeds = int(system(sprintf("tail -n +2 '%s' | cut -f 2 | sort -u | grep -c .", accuracy)))
present(run) = int(system(sprintf("cut -f 1 '%s' | grep -cx '%s'", accuracy, run))) > 0

stats losses using 'step' name 'step' nooutput

# The running mean of one run; it begins anew with each seed, and a gap parts the curves.
array ring[window]
mean(step, x) = (ring[int(step) % window + 1] = x, step < window ? NaN : (sum [i=1:window] ring[i]) / window)
of(run, x) = strcol('run') eq run ? x : NaN
percent(run, n) = strcol('run') eq run && column('length') == n ? 100.0 * column('right') / column('total') : NaN

# Length, least, mean and most over the seeds: a block of lines for each run.
shift(i) = seeds > 1 ? 0.06 * (i - 3.5) : 0
set print $points
do for [i = 1:words(runs)] {
    if (present(word(runs, i))) {
        do for [n = 3:8] {
            stats accuracy using (percent(word(runs, i), n)) name 'these' nooutput
            print sprintf("%g\t%g\t%g\t%g\t%d", n + shift(i), these_min, these_mean, these_max, i)
        }
    }
}
unset print

set output figure
set multiplot
set key off

# The key stands over both panels, in two lines.
x(i) = 0.13 + 0.29 * ((i - 1) % 3)
y(i) = 0.955 - 0.065 * ((i - 1) / 3)
do for [i = 1:words(runs)] {
    set arrow i from screen x(i), screen y(i) to screen x(i) + 0.055, screen y(i) nohead linestyle i
    set label i word(runs, i) at screen x(i) + 0.065, screen y(i) textcolor rgb ink noenhanced
}

set lmargin at screen 0.105
set rmargin at screen 0.50
set tmargin at screen 0.83
set logscale y
set format y '10^{%T}'
set yrange [1e-5:10]
set xlabel 'training step'
set ylabel sprintf('loss, mean of %d steps', window) offset 0.8, 0
set xrange [0:step_max < 50 ? 50 : step_max]
if (step_max >= 1000) set xtics 500
plot for [i = 1:words(runs)] losses using (of(word(runs, i), column('step'))): \
    (of(word(runs, i), mean(column('step'), column('loss')))) \
    with lines linestyle i linewidth (seeds > 1 ? 2 : 4) notitle

unset arrow
unset label
set lmargin at screen 0.60
set rmargin at screen 0.975
unset logscale y
set format y '%g'
set xrange [2.6:8.4]
set yrange [-4:104]
set xlabel 'letters in the string'
set ylabel 'right when it writes itself (%)' offset 0.8, 0
set xtics 1
unset datafile columnheaders
plot for [i = 1:words(runs)] $points using (column(5) == i ? column(1) : NaN):3:2:4 \
         with yerrorbars linestyle i linewidth 2 dashtype solid ps 0 notitle, \
     for [i = 1:words(runs)] $points using (column(5) == i ? column(1) : NaN):3 \
         with linespoints linestyle i pt i + 3 ps 0.5 notitle
unset multiplot
