#include "tests/graders/experiment.h"

static const struct Question questions[] = {
    {.name = "below",
     .run = "A",
     .place = {"08-faults", "Loss and accuracy", "query-axis", 1},
     .others = {{{"08-faults", "Loss and accuracy", "query-axis", 2},
                 "chapter",
                 "That is what the chapter reports, in brackets; your run stands before them."},
                {{"08-faults", "Loss and accuracy", "reference", 1},
                 "reference",
                 "That is the step of the reference, whose softmax runs over keys."}}},
    {.name = "written",
     .run = "A",
     .place = {"08-faults", "Loss and accuracy", "query-axis", 4},
     .all = {"08-faults", "Loss and accuracy", "mean of", 1},
     .others = {{{"08-faults", "Loss and accuracy", "query-axis", 5},
                 "chapter",
                 "That is what the chapter reports, in brackets; your run stands before them."},
                {{"08-faults", "Loss and accuracy", "query-axis", 3},
                 "loss",
                 "That is the mean of the last 250 losses; the question is how many strings are "
                 "right."},
                {{"08-faults", "Loss and accuracy", "no-mask", 4},
                 "no-mask",
                 "That is the accuracy of the run without a mask."}}},
    {.name = "told",
     .run = "A",
     .place = {"08-faults", "Loss and accuracy", "query-axis", 6},
     .all = {"08-faults", "Loss and accuracy", "mean of", 1}},
    {.name = "three_letters",
     .run = "A",
     .place = {"08-faults", "Which lengths are right", "query-axis", 1}},
    {.name = "before",
     .run = "A",
     .place = {"08-faults", "The softmax over queries", "f last", 7},
     .others = {{{"08-faults", "The softmax over queries", "f last", 6},
                 "key",
                 "That is the weight of the key e; the key | stands at the end of the line."}}},
    {.name = "after",
     .run = "A",
     .place = {"08-faults", "The softmax over queries", "j last", 7},
     .others = {{{"08-faults", "The softmax over queries", "j last", 6},
                 "key",
                 "That is the weight of the key e; the key | stands at the end of the line."}}},
    {.name = "how",
     .choices = {{"later-key",
                  "The mask holds in this run: no weight is put on a later key, as the "
                  "page says above the two lines. Yet the row moves."},
                 {.sentence = NULL},
                 {"values", "A value counts as much as its weight, and no weight is put on a later "
                            "key. Look at what is printed: it is the weights that move."},
                 {"position",
                  "The strings of both lines are as long, so all positions are the same "
                  "in both; one letter differs, and the row moves."}}},
    {.name = "why",
     .choices = {{"learned-by-heart",
                  "The strings of the test are fresh, and told the truth it has "
                  "them right: it learned nothing by heart."},
                 {"steps", "The mean of the last 250 losses is near zero: there is nothing left to "
                           "learn in training."},
                 {.sentence = NULL},
                 {"first-error",
                  "A wrong letter does spoil the rest, but there must be a first one. "
                  "Told the truth it makes none, so something else is amiss."}}},
};

const struct Experiment experiment_query_axis = {
    .name = "15-query-axis",
    .lesson = "lessons 03 and 08",
    .questions = questions,
    .n_questions = sizeof questions / sizeof *questions,
};
