#!/bin/sh
# Reviews what would be pushed, and fails where the reviewer says so: a step for CI or a pre-push hook.
#
#     examples/headless-review.sh [BASE] [further flags of cinch]
#
# Nothing can be changed: commands and edits need a level that is not given, and nobody is asked.
# Exit codes: 0 no objection, 1 an objection or no verdict, else what cinch ended with.
set -u
base=${1:-main}
[ "$#" -gt 0 ] && shift

prompt='Review the diff on standard input. Look files up where you need more than the diff.
Name only what is wrong, one line each, as path:line: what, and why. The last line is OK, or OBJECTION.'

answer=$(git diff "$base...HEAD" | "${CINCH:-cinch}" -p "$prompt" --level ReadOnly --max-turns 20 --output-format json "$@")
code=$?

case $code in
0 | 3) ;; # 3: it asked for something that it may not do, and ended all the same
*)
  printf '%s\n' "$answer" >&2 # one object: stop_reason, error.reason, error.message, …
  exit "$code"
  ;;
esac

review=$(printf '%s' "$answer" | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).result')
printf '%s\n' "$review"
case $review in
*OBJECTION) exit 1 ;;
*OK) exit 0 ;;
*)
  echo "review: the last line is neither OK nor OBJECTION" >&2
  exit 1
  ;;
esac
