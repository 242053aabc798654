#include "tests/graders/experiment.h"

static const struct Question questions[] = {
    {.name = "scaled",
     .run = "A",
     .place = {"08-faults", "Loss and accuracy", "reference", 1},
     .others = {{{"08-faults", "Loss and accuracy", "reference", 2},
                 "chapter",
                 "That is what the chapter reports, in brackets; your run stands before them."}}},
    {.name = "unscaled", .run = "B", .place = {"08-faults", "Loss and accuracy", "no-scale", 1}},
    {.name = "unscaled_fastest",
     .run = "C",
     .place = {"08-seeds", "Loss and accuracy", "no-scale", 2},
     .others = {{{"08-seeds", "Loss and accuracy", "no-scale", 1},
                 "median",
                 "That is the median of the ten seeds; the range stands behind it, in brackets."}}},
    {.name = "wide",
     .run = "D",
     .place = {"experiments/14-scaled", "Loss and accuracy", "reference", 1}},
    {.name = "wide_slowly",
     .run = "E",
     .place = {"experiments/14-scaled-slowly", "Loss and accuracy", "reference", 1}},
    {.name = "wide_slowly_unscaled",
     .run = "F",
     .place = {"experiments/14-unscaled-slowly", "Loss and accuracy", "no-scale", 1}},
    {.name = "buys",
     .choices = {{"nothing", "In run C the middle of ten seeds gets there, but at a step more than "
                             "three times as late as run A; one seed in luck is no rule."},
                 {"must", "In run C some seeds get below 0.01 without the division: look at the "
                          "first number in brackets. And most strings come out right."},
                 {.sentence = NULL},
                 {"rate", "Runs E and F have the same small learning rate, and only the one with "
                          "the division gets there: smaller steps do not take its place."}}},
    {.name = "when",
     .choices = {{"useless", "Runs E and F are as wide, and there the division decides: one gets "
                             "below 0.01 and the other does not."},
                 {"short", "Run E has the same 750 steps as run D and gets there: the number of "
                           "steps was enough."},
                 {"large", "Run E is as large as run D and ends with nearly all strings right: the "
                           "model is not too large for the task."},
                 {.sentence = NULL}}},
};

const struct Experiment experiment_scaling = {
    .name = "14-scaling",
    .lesson = "lessons 02 and 08",
    .questions = questions,
    .n_questions = sizeof questions / sizeof *questions,
};
