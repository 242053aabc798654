#include "tests/graders/experiment.h"

static const struct Question questions[] = {
    {.name = "short",
     .run = "A",
     .place = {"experiments/17-short", "every letter", "3 to 8 letters:", 1},
     .all = {"experiments/17-short", "every letter", "  ", 1},
     .others =
         {{{"experiments/17-short", "every letter", "never saw:", 1},
           "unseen",
           "That counts only the strings that training never saw."},
          {{"07-train", "every letter", "3 to 8 letters:", 1},
           "reference",
           "That is the model with two blocks of two heads: is --layers 1 --heads 1 there?"}}},
    {.name = "long",
     .run = "B",
     .place = {"experiments/17-long", "every letter", "3 to 8 letters:", 1},
     .all = {"experiments/17-long", "every letter", "  ", 1},
     .others = {{{"experiments/17-long", "every letter", "never saw:", 1},
                 "unseen",
                 "That counts only the strings that training never saw."}}},
    {.name = "eight_short",
     .run = "A",
     .place = {"experiments/17-short", "every letter", " 8:", 1},
     .all = {"experiments/17-short", "every letter", " 8:", 2}},
    {.name = "eight_long",
     .run = "B",
     .place = {"experiments/17-long", "every letter", " 8:", 1},
     .all = {"experiments/17-long", "every letter", " 8:", 2}},
    {.name = "two_heads",
     .run = "C",
     .place = {"experiments/17-two-heads", "every letter", "3 to 8 letters:", 1},
     .all = {"experiments/17-two-heads", "every letter", "  ", 1},
     .others = {{{"experiments/17-two-heads", "every letter", "never saw:", 1},
                 "unseen",
                 "That counts only the strings that training never saw."}}},
    {.name = "wide",
     .run = "D",
     .place = {"experiments/17-wide", "every letter", "3 to 8 letters:", 1},
     .all = {"experiments/17-wide", "every letter", "  ", 1},
     .others = {{{"experiments/17-wide", "every letter", "never saw:", 1},
                 "unseen",
                 "That counts only the strings that training never saw."}}},
    {.name = "lacks",
     .choices = {{"steps",
                  "More steps help, but look at the last five lines of run B's losses: they "
                  "hardly fall any more, and some of each length are still wrong."},
                 {"parameters",
                  "Run D has nearly as many parameters as the whole reverser, and gets "
                  "less right than run C, which has no more than run A."},
                 {.sentence = NULL},
                 {"learned-by-heart", "Section 5 of run A counts the strings that training never "
                                      "saw, and most of them are right: it does not recite."}}},
    {.name = "luck",
     .choices = {{"worse",
                  "In the README's table two blocks have the higher numbers in the middle; "
                  "this was one seed of ten."},
                 {"better",
                  "In the README's table the worst of the ten with two blocks is below the "
                  "best with one: no single run could tell."},
                 {"nothing", "In the README's table the ten with two blocks lie higher: many seeds "
                             "tell what one does not."},
                 {.sentence = NULL}}},
};

const struct Experiment experiment_one_head = {
    .name = "17-one-head",
    .lesson = "lessons 04 and 07",
    .questions = questions,
    .n_questions = sizeof questions / sizeof *questions,
};
