#!/bin/sh
# Runs a script of this repository with the pinned Bun, setting the repository up first where needed.
# No install script runs, and nothing in the current folder (.env, bunfig.toml) is executed or read.
set -eu
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
root=$(CDPATH='' cd -- "$here/.." && pwd -P)
. "$root/scripts/set-up.sh"
set_up "$root" "${CINCH_SET_UP:-all}"
forget_bun_settings
# A time limit of a test is for hangs: Bun's own of 5 s falls on a busy machine. A test may still set another.
if [ "${1:-}" = test ]; then
  shift
  set -- test --timeout=300000 "$@"
fi
exec "$BUN" --no-install --no-env-file --config=/dev/null --tsconfig-override="$root/tsconfig.json" "$@"
