#!/bin/sh
# `npm test`: sets the repository up where needed, then checks and tests everything (see scripts/test.ts).
set -eu
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
exec /bin/sh "$here/bun.sh" "$here/test.ts" "$@"
