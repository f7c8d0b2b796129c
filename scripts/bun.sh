#!/bin/sh
# Runs a script of this repository with the pinned Bun, setting the repository up first where needed.
# No install script runs, and nothing in the current folder (.env, bunfig.toml) is executed or read.
set -eu
root=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/scripts/set-up.sh"
set_up "$root" "${CINCH_SET_UP:-all}"
unset BUN_OPTIONS BUN_BE_BUN NODE_OPTIONS BUN_INSPECT BUN_INSPECT_PRELOAD
exec "$BUN" --no-install --no-env-file --config=/dev/null "$@"
