#!/bin/sh
# sh halves.sh TESTS: all suites of this test program, in two processes at once.
"$1" table >"$1.txt" 2>&1 &
"$1" table-rest experiments hostile learner report gradebook
status=$?
wait $! || status=1
cat "$1.txt"
exit $status
