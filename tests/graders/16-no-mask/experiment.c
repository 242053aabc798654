#include "tests/graders/experiment.h"

static const struct Question questions[] = {
    {.name = "below",
     .run = "A",
     .place = {"08-faults", "Loss and accuracy", "no-mask", 1},
     .others = {{{"08-faults", "Loss and accuracy", "no-mask", 2},
                 "chapter",
                 "That is what the chapter reports, in brackets; your run stands before them."},
                {{"08-faults", "Loss and accuracy", "query-axis", 1},
                 "query-axis",
                 "That is the step of the run with the softmax over queries."}}},
    {.name = "loss", .run = "A", .place = {"08-faults", "Loss and accuracy", "no-mask", 3}},
    {.name = "written",
     .run = "A",
     .place = {"08-faults", "Loss and accuracy", "no-mask", 4},
     .all = {"08-faults", "Loss and accuracy", "mean of", 1},
     .others = {{{"08-faults", "Loss and accuracy", "no-mask", 5},
                 "chapter",
                 "That is what the chapter reports, in brackets; your run stands before them."},
                {{"08-faults", "Loss and accuracy", "query-axis", 4},
                 "query-axis",
                 "That is the accuracy of the run with the softmax over queries."}}},
    {.name = "told",
     .run = "A",
     .place = {"08-faults", "Loss and accuracy", "no-mask", 6},
     .all = {"08-faults", "Loss and accuracy", "mean of", 1}},
    {.name = "three_letters",
     .run = "A",
     .place = {"08-faults", "Which lengths are right", "no-mask", 1}},
    {.name = "look",
     .run = "A",
     .place = {"08-faults", "No mask", "block 1, head 1", 1},
     .others = {{{"08-faults", "No mask", "would give it", 1},
                 "even",
                 "That is what an even look at all places would give."}}},
    {.name = "why",
     .choices = {{"steps", "The mean of the last 250 losses is near zero: more steps have nothing "
                           "left to lower."},
                 {.sentence = NULL},
                 {"learned-by-heart",
                  "The strings of the test are fresh, and told the truth it has "
                  "them right: it learned nothing by heart."},
                 {"pads",
                  "The pads are there in both scores, and told the truth it is right. What is "
                  "missing when it writes is the letter in the next place."}}},
    {.name = "alarm",
     .choices = {{"loss", "The loss is what was fooled: it fell below 0.01 sooner than that of the "
                          "reference."},
                 {"held-out",
                  "Fed the truth, fresh strings are as easy as those of training: there "
                  "too the answer stands in the next place. See the last column."},
                 {"gradient",
                  "Gradients fade as the loss does, and the loss is near zero. It looks "
                  "like success."},
                 {.sentence = NULL}}},
};

const struct Experiment experiment_no_mask = {
    .name = "16-no-mask",
    .lesson = "lessons 03 and 08",
    .questions = questions,
    .n_questions = sizeof questions / sizeof *questions,
};
