#!/bin/sh
# Reviews what would be pushed, and fails where the reviewer says so: a step for CI or a pre-push hook.
#
#     examples/headless-review.sh [BASE] [further flags of cinch]
#
# Nothing can be changed: commands and edits need a level that is not given, and nobody is asked.
# Where the project has an AGENTS.md, add --lockfile FILE (what a person has acknowledged) or --without-project.
# Exit codes: 0 no objection, 1 an objection or no verdict, 2 no such BASE, else what cinch ended with.
set -u
base=${1:-main}
[ "$#" -gt 0 ] && shift

prompt='Review the diff on standard input. Look files up where you need more than the diff.
Name only what is wrong, one line each, as path:line: what, and why. The last line is OK, or OBJECTION.'

# Not in a pipe: a git that failed would hand over nothing, and nothing is easy to approve.
changes=$(git diff "$base...HEAD" --) || {
  echo "review: git cannot compare with $base" >&2
  exit 2
}
if [ -z "$changes" ]; then
  echo "review: there is nothing to review since $base" >&2
  exit 0
fi

answer=$(printf '%s\n' "$changes" | "${CINCH:-cinch}" -p "$prompt" --level ReadOnly --max-turns 20 --output-format json "$@")
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
case $(printf '%s\n' "$review" | tail -n 1) in
OBJECTION) exit 1 ;;
OK) exit 0 ;;
*)
  echo "review: the last line is neither OK nor OBJECTION" >&2
  exit 1
  ;;
esac
