# The bytes of a cache, by who shares keys and values.
# Table: bytes.tsv with the columns variant, kv_heads (0: a latent), token (bytes of one token) and
# total.

name = '10-bytes'
if (!exists('data')) data = 'out/10-cache'
load 'plots/style.gp'

table = data . '/bytes.tsv'
if (rows(table) < 1) { printerr table . ': no rows to plot; run the lesson first'; exit status 2 }
stats table using 'total' name 'total' nooutput

# 536870912 as "512 MiB".
unit(x) = int(log(x) / log(1024) + 1e-9)
bytes(x) = sprintf('%.4g %s', x / 1024.0 ** unit(x), word('B KiB MiB GiB TiB PiB EiB', unit(x) + 1))
who(heads) = heads == 0 ? 'a latent' : heads == 1 ? '1 head for all' : sprintf('%d heads', heads)
label(variant) = variant . ', ' . who(column('kv_heads'))

set lmargin at screen 0.24
set bmargin at screen 0.13
set xrange [0:1.62]
set yrange [rows(table) - 0.5:-0.5]
unset xtics
set border 2
set ytics scale 0 noenhanced
unset grid
set xlabel 'bytes of the cache in all, and of one token'
set output figure
plot table using (column('total') / total_max / 2):0:(column('total') / total_max / 2):(0.32):ytic(label(strcol('variant'))) \
         with boxxyerror fillstyle solid noborder linecolor rgb word(colours, 1) notitle, \
     table using (column('total') / total_max):0:('  ' . bytes(column('total')) . ',  ' . bytes(column('token')) . ' a token') \
         with labels left textcolor rgb ink notitle
