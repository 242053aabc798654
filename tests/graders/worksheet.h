/* worksheet: fills in the grading worksheet that was downloaded from Moodle (an assignment with the
   feedback type "Offline grading worksheet"; mod/assign/feedback/offline/importgradeslib.php). It
   is never made anew: Moodle takes back only what it gave out.

   The copy goes to the same name in another directory. Only two columns change, and only in rows
   that match a submission: "Grade", and "Feedback comments" where it is empty or was written here
   before. Every other byte stays: columns, order, quotes, line ends, a byte order mark.

   A submission matches a row by the number of the participant: Moodle's own download names its
   directories "Full name_1234567_assignsubmission_file_", the row says "Participant 1234567". A
   directory that is named otherwise matches if its name is that number, the Identifier, the full
   name or the e-mail address. Where that leaves a choice nothing is filled in, and it is said.

   Grade is the total's share of "Maximum grade", rounded down to hundredths (the total itself if
   there is no such column), with a comma where that column has one. Feedback is HTML. */
#ifndef GRADERS_WORKSHEET_H
#define GRADERS_WORKSHEET_H

#include <stdio.h>

struct Gradebook;
struct Worksheet;

/* Dies if path is no worksheet, or if its copy in directory would replace another file of ours or
   the worksheet itself. */
struct Worksheet *worksheet_read(const char *path, const char *directory);
void worksheet_free(struct Worksheet *worksheet);

/* Fill it in, write the copy, say on `say` which rows and which submissions matched nothing. Frees
   the worksheet. */
void worksheet_fill(struct Worksheet *worksheet, const struct Gradebook *book, FILE *say);

#endif
