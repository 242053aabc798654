/* Run the tests of the lessons. */
#include "tests/lessons/suites.h"

#include <stdlib.h>

#include "tests/helpers.h"

int main(void)
{
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    SRunner *runner = srunner_create(every_lesson_suite());
    srunner_add_suite(runner, lesson_01_suite());
    srunner_add_suite(runner, lesson_02_suite());
    srunner_add_suite(runner, lesson_03_suite());
    srunner_add_suite(runner, lesson_04_suite());
    srunner_add_suite(runner, lesson_05_suite());
    srunner_add_suite(runner, lesson_06_suite());
    srunner_add_suite(runner, lesson_07_suite());
    srunner_add_suite(runner, lesson_08_suite());
    srunner_add_suite(runner, lesson_09_suite());
    srunner_add_suite(runner, lesson_10_suite());
    srunner_add_suite(runner, lesson_11_suite());
    srunner_add_suite(runner, lesson_12_suite());
    srunner_add_suite(runner, lesson_13_suite());
    return run_suites(runner);
}
