#include "suites.h"
#include "tests/helpers.h"

int main(void)
{
    SRunner *runner = srunner_create(table_suite());
    return run_suites(runner);
}
