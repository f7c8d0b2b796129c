import { closeSync, writeSync } from "node:fs";
import { codeOf } from "../../base/world.ts";
import { processOf } from "./process-group.ts";

/**
 * A process that ends registered process groups when the engine is killed (REL-03).
 *
 * It reads a pipe whose other end only the engine holds: the end of that pipe means the end of the engine, for any
 * reason. It leads a new session, so that a signal to the engine's group does not reach it.
 */
export interface Watchdog {
  /**
   * Registers a group before its leader is started: from now on processes with the group's mark are ended.
   * @throws a system error if the watchdog cannot be started.
   */
  watch(group: WatchedGroup): Watching;
  /**
   * Registers a terminal in raw mode: when this process is killed, line editing is restored, without bracketed paste
   * (TUI-01; Linux). If another program has taken over the terminal, it is left alone. Disposing ends the guard, unless
   * another one has replaced it.
   * @param path of a device file.
   * @param modes control sequences of ASCII, for a program on the whole screen. They are written at the
   * prompt of the shell too, which ends bracketed paste by itself.
   */
  guardTerminal(path: string, modes?: string): Disposable;
}

export interface WatchedGroup {
  /** `NAME=value` in the environment of every process of the group, also of those that left it (Linux). */
  readonly mark?: string;
  /** True if it gets time to end by itself first, because its input ends with the engine. */
  readonly graceful: boolean;
}

export interface Watching {
  /** @param leader id of the leader, which is also the id of its group. */
  started(leader: number): void;
  leave(): void;
}

/** Time for graceful groups to end by themselves. */
const GRACE_S = 1;

/** Time for a shell to notice that its job was killed. */
const SHELL_S = 0.3;

/** Pipe that the watchdog reads. */
const DESCRIPTOR = 3;

/** Variable with the first entries: a watchdog that has started has them, whenever this process is killed. */
const FIRST = "CINCH_WATCHED";
/** Entries that one variable holds, far below what Linux takes (128 KiB). More of them go through the pipe. */
const FIRST_CHARACTERS_MAX = 65_536;

/** Entries are separated by whitespace, so a mark that contains some is left out. */
const WORD = /^[!-~]+$/;

/**
 * Kills a group, then twice all processes with its mark: a process that is about to be killed may start another one.
 * Without /proc, or a grep that can read it, only the group is found.
 */
const SCRIPT = `set -f
trap '' TERM HUP INT
live=
tty=
modes=
place() {
  state= own= above= session= front=
  IFS= read -r stat <"/proc/$1/stat" || return 0
  set -- \${stat##*) }
  state=$1 above=$2 own=$3 session=$4 front=$6
}
follow() {
  while read -r verb id how mark; do
    case $verb in
      watch)
        case $id in
          terminal)
            tty=$how; raw=$(stty -g <"$tty")
            set -- $mark; group=$1 parent=$2 leader=$3 modes=$4 ;;
          *) live="$live $id:$how:$mark" ;;
        esac ;;
      lead)
        kept=
        for each in $live; do case $each in "$id":*) kept="$kept $how:\${each#*:}" ;; *) kept="$kept $each" ;; esac; done
        live=$kept ;;
      leave)
        [ "$id" != terminal ] || tty=
        kept=
        for each in $live; do case $each in "$id":*) ;; *) kept="$kept $each" ;; esac; done
        live=$kept ;;
    esac
  done
}
follow <<END
$${FIRST}
END
unset ${FIRST}
follow <&${DESCRIPTOR}
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
    case $each in m*) ;; *) kill -s KILL -- "-\${each%%:*}" ;; esac
    sweep "\${rest#*:}"
    sweep "\${rest#*:}"
  done
}
restore() {
  [ -n "$tty" ] || return 0
  sleep ${SHELL_S} # an interactive shell sets its terminal right by itself
  place "$leader"
  # The session of the terminal has ended: the terminal is closed, and its path may be that of another one by now.
  case $state in "" | Z) return 0 ;; esac
  own=$group front=$group
  # One job of such a shell, whose first process has ended: another one may be in front by now.
  [ -d "/proc/$group" ] || place "$parent"
  case $(stty -a <"$tty") in
    *" icanon"*) ;;
    *)
      case $front in "$group" | "$own") ;; *) return 0 ;; esac # the next program may have the same raw mode
      if [ "$(stty -g <"$tty")" != "$raw" ]; then
        # The shell stands at its prompt, and its bracketed paste is on.
        [ "$front" = "$group" ] || printf %b "$modes" >"$tty"
        return 0
      fi
      stty sane <"$tty" ;;
  esac
  printf '\\033[?2004l%b' "$modes" >"$tty"
}
finish now
restore
case "$live" in *:later:*) sleep ${GRACE_S}; finish later ;; esac
`;

/** Characters that would end a word of an entry, or that `printf %b` reads in another way. */
const UNPRINTED = /[^!-[\]-~]/g;

/** Returns a character as `printf %b` takes it. */
function octal(character: string): string {
  return `\\0${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

const PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * Returns the group of this process, the parent of the group's leader, and the session (Linux), undefined elsewhere.
 * The watchdog may read its pipe only after this process has ended, and could not look them up then.
 */
function placeOfThisProcess(): string | undefined {
  const self = processOf(process.pid);
  return self === undefined
    ? undefined
    : `${self.group} ${processOf(self.group)?.parent ?? 0} ${self.session}`;
}

interface Running {
  readonly child: Bun.Subprocess;
  /** This side of its pipe. */
  readonly pipe: number;
  /** Text that did not fit into the pipe yet. */
  waiting: string;
}

let ofThisProcess: Watchdog | undefined;

/** Returns the one watchdog of this process, which is started for the first group. */
export function watchdog(): Watchdog {
  ofThisProcess ??= openWatchdog();
  return ofThisProcess;
}

function openWatchdog(): Watchdog {
  /** By id: that of a leader, `m` and a number before there is one, or `terminal`. */
  const live = new Map<string, { readonly line: string }>();
  let running: Running | undefined;
  let count = 0;

  /**
   * Adds an entry and returns its removal. If the watchdog was killed, a new one gets all entries.
   * @param news text for a running watchdog, which reads byte by byte. Default: the whole entry.
   */
  function add(id: string, rest: string, news?: string): () => void {
    const entry = { line: `watch ${id} ${rest}\n` };
    live.set(id, entry);
    if (running === undefined || !tell(running, news ?? entry.line)) {
      if (running !== undefined) closeSync(running.pipe);
      running = undefined;
      running = start([...live.values()].map(({ line }) => line).join(""));
    }
    return () => {
      if (live.get(id) !== entry) return; // the id now belongs to another leader
      live.delete(id);
      if (running !== undefined) tell(running, `leave ${id}\n`);
    };
  }

  return {
    watch({ mark, graceful }) {
      const rest = `${graceful ? "later" : "now"} ${mark !== undefined && WORD.test(mark) ? mark : ""}`;
      count += 1;
      const id = `m${count}`;
      let leave = add(id, rest);
      return {
        started(leader) {
          live.delete(id);
          leave = add(String(leader), rest, `lead ${id} ${leader}\n`);
        },
        leave: () => leave(),
      };
    },
    guardTerminal(path, modes = "") {
      const place = WORD.test(path) ? placeOfThisProcess() : undefined;
      if (place === undefined) return { [Symbol.dispose]: () => undefined };
      const leave = add("terminal", `${path} ${place} ${modes.replaceAll(UNPRINTED, octal)}`);
      return { [Symbol.dispose]: leave };
    },
  };
}

function start(entries: string): Running {
  const fits = entries.length <= FIRST_CHARACTERS_MAX;
  const child = Bun.spawn(["/bin/sh", "-c", SCRIPT, "cinch-watchdog"], {
    cwd: "/",
    env: { PATH, [FIRST]: fits ? entries : "" },
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  child.unref();
  const pipe: unknown = child.stdio[DESCRIPTOR];
  if (typeof pipe !== "number") throw new TypeError("the runtime gave the watchdog no pipe");
  const running = { child, pipe, waiting: "" };
  if (!fits) tell(running, entries);
  return running;
}

/**
 * Writes at once, since this process may be killed the next moment. Text that does not fit into the pipe goes with
 * the next line. Returns false if the watchdog has ended.
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
