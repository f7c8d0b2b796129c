#!/bin/sh
# Runs a command on a machine where the named programs do not exist: sh scripts/without.sh "bwrap git" COMMAND ...
# In a mount namespace, each folder of the PATH that holds one is covered by a copy in memory that lacks it. The machine
# itself is not changed. Needs root, or the right to make user namespaces.
set -eu
programs=$1
shift
if [ "${CINCH_WITHOUT:-}" != inside ]; then
  namespace=-m
  [ "$(id -u)" = 0 ] || namespace=-Urm
  CINCH_WITHOUT=inside exec unshare "$namespace" sh "$0" "$programs" "$@"
fi
unset CINCH_WITHOUT
copies=$(mktemp -d)
mount -t tmpfs none "$copies"
count=0
remaining=$PATH:
while [ -n "$remaining" ]; do
  folder=${remaining%%:*}
  remaining=${remaining#*:}
  covered=no
  for program in $programs; do
    [ -e "$folder/$program" ] && covered=yes
  done
  [ "$covered" = yes ] || continue
  count=$((count + 1))
  real=$(readlink -f "$folder")
  cp -a "$real" "$copies/$count"
  for program in $programs; do
    rm -f "$copies/$count/$program"
  done
  mount --bind "$copies/$count" "$real"
done
for program in $programs; do
  if command -v "$program" >/dev/null; then
    echo "without.sh: $program is still on the PATH: $(command -v "$program")" >&2
    exit 2
  fi
done
exec "$@"
