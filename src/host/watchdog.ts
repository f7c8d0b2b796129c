/**
 * One process of this engine's own that ends registered process groups when the engine is killed (REL-03).
 *
 * It reads the pipe whose other end only this process holds: the end of that pipe is the end of the engine, however that
 * came. It has a session of its own, so that a signal to the engine's group does not reach it.
 */
export interface Watchdog {
  /** Registers a group until what is returned is called. */
  watch(group: WatchedGroup): () => void;
}

export interface WatchedGroup {
  /** Id of the leader, which is also the id of its group. */
  readonly leader: number;
  /** `NAME=value` in the environment of every process of the group, also of those that have left it (Linux). */
  readonly mark?: string;
  /** Gets time to end by itself first, because its input ends with the engine. */
  readonly graceful: boolean;
}

/** Time for graceful groups to end by themselves. */
const GRACE_S = 1;

/** Entries are separated by whitespace, so a mark that holds some is left out. */
const WORD = /^[^\s\0]+$/;

/**
 * Kills a group, then twice what bears its mark: a process that is about to be killed may start another one. Without /proc,
 * or without a grep that can read it, only the group is found.
 */
const SCRIPT = `set -f
trap '' TERM HUP INT
live=
while read -r verb id how mark; do
  case $verb in
    watch) live="$live $id:$how:$mark" ;;
    leave)
      kept=
      for each in $live; do case $each in "$id":*) ;; *) kept="$kept $each" ;; esac; done
      live=$kept ;;
  esac
done
sweep() {
  [ -n "$1" ] || return 0
  for found in $(set +f; grep -lzxF -- "$1" /proc/[0-9]*/environ); do
    found=\${found#/proc/}
    kill -s KILL "\${found%/environ}"
  done
}
finish() {
  for each in $live; do
    rest=\${each#*:}
    [ "\${rest%%:*}" = "$1" ] || continue
    kill -s KILL -- "-\${each%%:*}"
    sweep "\${rest#*:}"
    sweep "\${rest#*:}"
  done
}
finish now
case "$live" in *:later:*) sleep ${GRACE_S}; finish later ;; esac
`;

const PATH = "/usr/local/bin:/usr/bin:/bin";

type Process = Bun.Subprocess<"pipe", "ignore", "ignore">;

/** Opens a watchdog, whose process is started with the first group. */
export function openWatchdog(): Watchdog {
  const live = new Map<number, WatchedGroup>();
  let running: Process | undefined;

  /** The process that reads, and whether it was started just now. One that was ended by somebody is replaced. */
  function reader(): { readonly child: Process; readonly isNew: boolean } {
    if (running !== undefined && running.exitCode === null && running.signalCode === null)
      return { child: running, isNew: false };
    running = Bun.spawn(["/bin/sh", "-c", SCRIPT, "cinch-watchdog"], {
      cwd: "/",
      env: { PATH },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    running.unref();
    return { child: running, isNew: true };
  }

  return {
    watch(group) {
      live.set(group.leader, group);
      const { child, isNew } = reader();
      tell(child, (isNew ? [...live.values()] : [group]).map(watchLine));
      return () => {
        if (live.get(group.leader) !== group) return;
        live.delete(group.leader);
        if (running !== undefined) tell(running, [`leave ${group.leader}\n`]);
      };
    },
  };
}

function watchLine({ leader, mark, graceful }: WatchedGroup): string {
  const known = mark !== undefined && WORD.test(mark) ? mark : "";
  return `watch ${leader} ${graceful ? "later" : "now"} ${known}\n`;
}

/** A watchdog that has ended reads nothing; the next group starts another one, which is told all of them. */
function tell({ stdin }: Process, lines: readonly string[]): void {
  try {
    stdin.write(lines.join(""));
    Promise.resolve(stdin.flush()).catch(() => undefined);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
  }
}
