#include "tests/graders/experiment.h"

#include "common/cli.h"
#include "longer.h"
#include "trial.h"

/* Run A is lesson 07's, run B that of the learner's change. */
static const struct Question questions[] = {
    {.name = "idle_before",
     .run = "A",
     .place = {"07-train", "Positions that were never trained", "zero at every step:", 1},
     .others = {{{"07-train", "Positions that were never trained", "zero at every step:", 2},
                 "last",
                 "That is the last of them; the question is about the first."}}},
    {.name = "idle_after",
     .run = "B",
     .place = {"yours", "Positions that were never trained", "zero at every step:", 1}},
    {.name = "longer_before",
     .run = "A",
     .place = {"07-train", "every letter must be right", "9 to 12 letters:", 1}},
    {.name = "longer_after",
     .run = "B",
     .place = {"yours", "every letter must be right", "9 to 12 letters:", 1}},
    {.name = "fresh_after",
     .run = "B",
     .place = {"yours", "every letter must be right", "3 to 8 letters:", 1},
     .all = {"yours", "every letter must be right", "  ", 1}},
    {.name = "known_after",
     .run = "B",
     .place = {"yours", "Letters of the longer strings", "known row, known offset", 1}},
    {.name = "story",
     .choices =
         {{"rows", "In run B all rows that 12 letters need had a gradient, and still most of "
                   "the longer strings are wrong."},
          {"nothing",
           "In lesson 07's study, ./lesson-07 --study longer, letters in new rows and at new "
           "offsets come out right far more often once the rows are trained."},
          {.sentence = NULL},
          {"too-small", "Lesson 07 trains the same model on 3 to 12 letters, and it reverses "
                        "the longer strings: ./lesson-07 --study longer."}}},
    {.name = "next",
     .choices = {{"steps",
                  "More of the same examples show no string longer than 8 either, whatever "
                  "the number of steps."},
                 {.sentence = NULL},
                 {"seed",
                  "Another seed says how much was luck, not what the model is able to. With "
                  "any seed the examples say nothing of longer strings."},
                 {"test", "A string of 12 letters has one place only, as it fills the context. And "
                          "moving a test does not teach a model anything."}}},
};

static struct Change change(const char *answer_c, const char *build)
{
    struct Examples examples;
    struct Change c = longer_change(&examples, answer_c, build, DEFAULT_SEED);
    if (c.how == FAIR) {
        c.page = trial_page(&examples, DEFAULT_SEED, true);
    }
    examples_free(&examples);
    return c;
}

const struct Experiment experiment_longer = {
    .name = "18-longer",
    .lesson = "lessons 06 and 07",
    .questions = questions,
    .n_questions = sizeof questions / sizeof *questions,
    .change = change,
};
