import { closeSync, writeSync } from "node:fs";
import { codeOf } from "../base/world.ts";

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

/** Where the watchdog reads. */
const DESCRIPTOR = 3;

/** Entries are separated by whitespace, so a mark that holds some is left out. */
const WORD = /^[!-~]+$/;

/**
 * Kills a group, then twice what bears its mark: a process that is about to be killed may start another one. Without /proc,
 * or without a grep that can read it, only the group is found.
 */
const SCRIPT = `set -f
trap '' TERM HUP INT
live=
while read -r verb id how mark <&${DESCRIPTOR}; do
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

interface Running {
  readonly child: Bun.Subprocess;
  /** Our end of its pipe. */
  readonly pipe: number;
  /** What the pipe had no room for yet. */
  waiting: string;
}

/** Opens a watchdog, whose process is started with the first group. */
export function openWatchdog(): Watchdog {
  const live = new Map<number, WatchedGroup>();
  let running: Running | undefined;

  return {
    watch(group) {
      live.set(group.leader, group);
      // One that somebody has ended is replaced, and the new one is given all that still live.
      if (running === undefined || !tell(running, watchLine(group))) {
        if (running !== undefined) closeSync(running.pipe);
        running = start();
        tell(running, [...live.values()].map(watchLine).join(""));
      }
      return () => {
        if (live.get(group.leader) !== group) return;
        live.delete(group.leader);
        if (running !== undefined) tell(running, `leave ${group.leader}\n`);
      };
    },
  };
}

function start(): Running {
  const child = Bun.spawn(["/bin/sh", "-c", SCRIPT, "cinch-watchdog"], {
    cwd: "/",
    env: { PATH },
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  child.unref();
  const pipe: unknown = child.stdio[DESCRIPTOR];
  if (typeof pipe !== "number") throw new TypeError("the runtime gave the watchdog no pipe");
  return { child, pipe, waiting: "" };
}

function watchLine({ leader, mark, graceful }: WatchedGroup): string {
  const known = mark !== undefined && WORD.test(mark) ? mark : "";
  return `watch ${leader} ${graceful ? "later" : "now"} ${known}\n`;
}

/**
 * Writes at once: this process may be killed the moment after. What a full pipe does not take goes with the next line.
 * False where nobody reads any more.
 */
function tell(running: Running, lines: string): boolean {
  if (running.child.exitCode !== null || running.child.signalCode !== null) return false;
  running.waiting += lines;
  try {
    running.waiting = running.waiting.slice(writeSync(running.pipe, running.waiting)); // ASCII: bytes are characters
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EAGAIN") return true;
    if (codeOf(thrown) === "EPIPE") return false;
    throw thrown;
  }
}
