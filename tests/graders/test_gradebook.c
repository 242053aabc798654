#include "test_suites.h"
Suite *gradebook_suite(void)
{
    return suite_create("gradebook");
}
