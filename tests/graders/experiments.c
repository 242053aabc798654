/* The experiments, in the order in which they are to be done. */
#include "experiment.h"

extern const struct Experiment experiment_scaling, experiment_query_axis, experiment_no_mask,
    experiment_one_head, experiment_longer;

const struct Experiment *const experiments[] = {&experiment_scaling, &experiment_query_axis,
                                                &experiment_no_mask, &experiment_one_head,
                                                &experiment_longer};
const int n_experiments = sizeof experiments / sizeof *experiments;
