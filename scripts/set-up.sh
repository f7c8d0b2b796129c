# Sourced by the launchers. `set_up ROOT production|all` leaves the path of the pinned Bun in $BUN.
# The binary inside Bun's platform package works without an install script, so none is ever run.

find_bun() {
  for BUN in "$1"/node_modules/@oven/bun-*/bin/bun; do
    [ -x "$BUN" ] && return 0
  done
  return 1
}

# What was installed is marked with the lock file's checksum, so that a changed lock is installed again.
is_set_up() {
  find_bun "$1" || return 1
  want=$(cksum <"$1/package-lock.json")
  [ "$(cat "$1/node_modules/.cinch-all" 2>/dev/null)" = "$want" ] && return 0
  [ "$2" = production ] && [ "$(cat "$1/node_modules/.cinch-production" 2>/dev/null)" = "$want" ]
}

set_up() {
  is_set_up "$1" "$2" && return 0
  command -v npm >/dev/null 2>&1 || {
    echo "cinch: setting up needs Node and npm on the PATH, and npm was not found." >&2
    exit 2
  }
  lock="$1/.cinch-set-up"
  tries=0
  until mkdir "$lock" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -gt 600 ] && { echo "cinch: another set-up holds $lock; remove it if none is running." >&2; exit 2; }
    sleep 0.2
  done
  trap 'rmdir "$lock" 2>/dev/null' EXIT
  trap 'exit 130' INT TERM
  if ! is_set_up "$1" "$2"; then
    omit=""
    [ "$2" = production ] && omit="--omit=dev"
    echo "cinch: setting up (npm ci --ignore-scripts $omit) ..." >&2
    # shellcheck disable=SC2086
    (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error $omit) >&2 || {
      echo "cinch: npm ci failed in $1; mend what it says above and run the command again." >&2
      exit 2
    }
    find_bun "$1" || { echo "cinch: no Bun for this platform in node_modules/@oven." >&2; exit 2; }
    cksum <"$1/package-lock.json" >"$1/node_modules/.cinch-$2"
  fi
  rmdir "$lock"
  trap - EXIT INT TERM
}
