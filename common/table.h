/* table: the numbers behind a figure, as tab-separated text with one header line. Rows are
   gathered in memory and the file is written whole at the end, so that Ctrl-C leaves nothing
   half-written. */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

struct Table;

/* A table that will be directory/name.tsv, with columns named by one space between each two
   names: table_new("out/07-train", "loss", "step loss"). Makes the directory. Dies now if the
   file could not be written later. table_save gives the memory back. */
struct Table *table_new(const char *directory, const char *name, const char *columns);

/* Add one row: table_row(table, "%d\t%g", step, loss). The format holds the tabs and no newline;
   dies unless the row has as many fields as there are columns. */
void table_row(struct Table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write the file (file_replace: whole or not at all) and free the table. */
void table_save(struct Table *table);

#endif
