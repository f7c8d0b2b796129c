# Sourced by the launchers. `set_up ROOT production|all` leaves the path of the pinned Bun in $BUN.
# The binary inside Bun's platform package works without an install script, so none is ever run.
#
# Programs are found by `command -p`, which looks where the system keeps them: a PATH with `.` in it must not run
# what lies in the folder that cinch is started in. npm alone comes from the PATH, and only while standing in ROOT.

WAIT_TRIES_MAX=3000 # of 0.2 s: ten minutes for the set-up of somebody else

find_bun() {
  for BUN in "$1"/node_modules/@oven/bun-*/bin/bun; do
    [ -x "$BUN" ] && return 0
  done
  return 1
}

# What was installed is marked with the lock file's checksum, so that a changed lock is installed again. npm removes
# node_modules before it installs, and the mark with it: an interrupted install leaves none, and the file that says that
# it began.
is_marked() {
  mark=""
  [ -r "$1/node_modules/.cinch-$2" ] && read -r mark <"$1/node_modules/.cinch-$2"
  [ "$mark" = "$want" ]
}

is_set_up() {
  find_bun "$1" || return 1
  want=$(command -p cksum <"$1/package-lock.json")
  is_marked "$1" all || { [ "$2" = production ] && is_marked "$1" production; }
}

# The lock is a symlink that names its owner: made in one step, so there is no lock without an owner.
take_lock() {
  tries=0
  until command -p ln -s "pid:$$" "$lock" 2>/dev/null; do
    owner=$(command -p readlink "$lock" 2>/dev/null) || owner=""
    tries=$((tries + 1))
    if [ -z "$owner" ] && { [ ! -w "$1" ] || [ "$tries" -gt 5 ]; }; then
      fail "$1 must be set up once and cannot be written. Run cinch once as the owner of that folder."
    fi
    [ "$tries" -gt "$WAIT_TRIES_MAX" ] && fail "another set-up holds $lock; remove it if none is running."
    [ "$tries" = 25 ] && echo "cinch: waiting for the set-up by process ${owner#pid:} ..." >&2
    if [ -n "$owner" ] && ! kill -0 "${owner#pid:}" 2>/dev/null; then
      drop_dead_lock
    else
      command -p sleep 0.2
    fi
  done
}

# Only one process at a time looks again and removes, or a second one could remove the lock that followed.
drop_dead_lock() {
  if command -p mkdir "$lock.drop" 2>/dev/null; then
    [ "$(command -p readlink "$lock" 2>/dev/null)" = "$owner" ] && command -p rm -f "$lock"
    command -p rmdir "$lock.drop"
  else
    command -p sleep 0.2
  fi
}

fail() {
  echo "cinch: $1" >&2
  exit 2
}

# npm ci removes node_modules. One that somebody else made is theirs to remove.
assert_ours() {
  [ -d "$1/node_modules" ] && [ ! -e "$begun" ] || return 0
  for mark in "$1"/node_modules/.cinch-*; do
    [ -e "$mark" ] && return 0
  done
  [ -n "$(command -p ls -A "$1/node_modules")" ] || return 0
  fail "$1/node_modules was made by another program, and setting up (npm ci) would replace all of it. Remove it and run the command again: rm -r '$1/node_modules'. To use it as it is: cksum <'$1/package-lock.json' >'$1/node_modules/.cinch-$2'"
}

# npm takes the packages away before its mark is gone, so a start meanwhile must wait.
is_being_set_up() {
  [ -L "$1/.cinch-set-up" ] || return 1
  owner=$(command -p readlink "$1/.cinch-set-up" 2>/dev/null) || return 1
  kill -0 "${owner#pid:}" 2>/dev/null
}

set_up() {
  is_being_set_up "$1" || { is_set_up "$1" "$2" && return 0; }
  # npm empties what it installs into, and would follow the link.
  [ -L "$1/node_modules" ] &&
    fail "$1/node_modules is a link, and installing would empty the folder that it leads to. Remove the link and run the command again."
  command -v npm >/dev/null 2>&1 || fail "setting up needs Node and npm on the PATH, and npm was not found."
  lock="$1/.cinch-set-up"
  take_lock "$1"
  trap 'command -p rm -f "$lock"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  begun="$1/.cinch-set-up.begun"
  if ! is_set_up "$1" "$2"; then
    assert_ours "$1" "$2"
    : >"$begun"
    omit=""
    [ "$2" = production ] && omit="--omit=dev"
    echo "cinch: setting up (npm ci --ignore-scripts${omit:+ $omit}) ..." >&2
    # shellcheck disable=SC2086
    (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error $omit) >&2 </dev/null ||
      fail "npm ci failed in $1; mend what it says above and run the command again."
    find_bun "$1" || fail "no Bun for this platform in node_modules/@oven."
    command -p cksum <"$1/package-lock.json" >"$1/node_modules/.cinch-$2"
    command -p rm -f "$begun"
  fi
  command -p rm -f "$lock"
  trap - EXIT HUP INT TERM
}

# What an environment could make Bun run, print or write before our own code starts.
forget_bun_settings() {
  unset BUN_OPTIONS BUN_BE_BUN BUN_INSPECT BUN_INSPECT_PRELOAD BUN_INSPECT_CONNECT_TO BUN_INSPECT_NOTIFY \
    BUN_CONFIG_VERBOSE_FETCH BUN_BYTECODE_ORDER_OUT NODE_OPTIONS NODE_PATH
}
