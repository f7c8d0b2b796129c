#!/bin/sh
# Compares what in_words says with what it should say.
. ./lib/words.sh
failed=0

check() {
  got=$(in_words "$1")
  if [ "$got" = "$2" ]; then
    echo "ok   $1: $got"
  else
    echo "FAIL $1: $got"
    echo "     expected $2"
    failed=$((failed + 1))
  fi
}

check 0 "0 seconds"
check 1 "1 second"
check 59 "59 seconds"
check 60 "1 minute"
check 3600 "1 hour"
check 3725 "1 hour, 2 minutes, 5 seconds"
check 93784 "1 day, 2 hours, 3 minutes, 4 seconds"

echo "$failed failed"
[ "$failed" -eq 0 ]
