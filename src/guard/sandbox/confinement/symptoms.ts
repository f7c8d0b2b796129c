import { resolve } from "node:path";
import { isBelow, isWithin, relativeWithin } from "../../../base/files/below.ts";
import type { ProxyRefusal } from "../../../session/guard/hosts.ts";
import { isPublicName, networkSetting } from "../../../session/guard/hosts.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";

/** A restriction of the sandbox that a command ran into, and what the model can do about it. */
export interface Symptom {
  readonly what: string;
  readonly remedy: string;
}

/** An ended command, with what is known about its run in the sandbox. */
export interface EndedCommand {
  readonly command: string;
  readonly output: string;
  /** Working directory at the start of the command. */
  readonly cwd: string;
  readonly home: string | undefined;
  readonly network: "off" | readonly string[];
  /** Requests that the proxy refused during the run. */
  readonly refused: readonly ProxyRefusal[];
  /** True if it sent something for which the sandbox's network has no route. */
  readonly unrouted: boolean;
}

const OUTSIDE =
  "If it needs that, call Bash again with outside_sandbox: true, which asks a person; else work in the workspace or /tmp.";
const LISTED =
  "A person can list hosts under [sandbox] network in config.toml; else call Bash again with outside_sandbox: true, which asks a person.";
const TEXT_BYTES_MAX = 65_536;
const LINES_MAX = 1_000;
const WORDS_MAX = 64;

const WRITES = /Read-only file system|EROFS\b/;
const BUSY = /Device or resource busy|EBUSY\b/;
const DENIED = /Operation not permitted|EPERM\b|effective uid is not 0|no new privileges/;
const MISSED = /No such file|ENOENT|Permission denied|EACCES\b|cannot open|not found/;
/** Matches the end of a process that the system call filter killed: the note of the exit code is the last line. */
const ENDED_BY_FILTER = /\[exit code 159\]\s*$/;

/**
 * Programs that need what the system call filter refuses: sockets of the host, tracing, mounts, rights, other users.
 */
const PRIVILEGED =
  /(?:^|[\s;&|(/])(?:sudo|su|doas|mount|umount|unshare|nsenter|chroot|strace|ltrace|gdb|lldb|perf|docker|podman|systemctl|journalctl|dbus-send|gpg|ssh-add|tmux|screen|ping|tcpdump|ip|iptables|nft|sysctl|dmesg|setcap|mknod|chmod|install)(?=$|\s)/;

/**
 * Returns the restriction that a failed command ran into, if there is evidence beside the words that it printed
 * (SBX-04): a refusal of the proxy, a counter of the kernel, a hidden or closed path. Nothing is allowed because of it.
 */
export function findSymptom(ran: EndedCommand, confine: Confine): Symptom | undefined {
  return (
    findHiddenSymptom(ran, confine) ??
    refusedSymptom(ran) ??
    placeSymptom(ran, confine) ??
    networkSymptom(ran) ??
    filterSymptom(ran)
  );
}

/** Renders a refusal of the proxy for the result of the command. */
export function refusalNote(why: string): string {
  return `[proxy: ${why}]`;
}

/** Names what the proxy refused during the command, and the setting that allows it. */
function refusedSymptom({ refused, network }: EndedCommand): Symptom | undefined {
  const [first, ...others] = refused;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const hosts = refused.flatMap(({ host }) => host ?? []).filter(isPublicName);
  const setting = networkSetting([...(network === "off" ? [] : network), ...hosts]);
  const remedy =
    hosts.length === 0
      ? LISTED
      : `A person can let it through: [sandbox] ${setting} in config.toml; else call Bash again with outside_sandbox: true, which asks a person.`;
  return { what: `the proxy refused a request: ${first.why}${more}`, remedy };
}

function networkSymptom({ network, unrouted }: EndedCommand): Symptom | undefined {
  if (!unrouted) return undefined;
  const hosts = network === "off" ? [] : network;
  const what = hosts.length === 0 ? "there is no network" : `the network reaches only ${hosts.join(", ")}`;
  return { what, remedy: LISTED };
}

/** Finds a path in a line about a refusal, if the sandbox refuses exactly that path. */
function placeSymptom(
  { output, cwd, home }: EndedCommand,
  { readOnly = [], writable }: Confine,
): Symptom | undefined {
  const lines = output.slice(-TEXT_BYTES_MAX).split("\n").slice(-LINES_MAX);
  for (const line of lines) {
    const [isWrite, isBusy] = [WRITES.test(line), BUSY.test(line)];
    if (!isWrite && !isBusy) continue;
    const words = line.split(/[\s'"`‘’“”,;()<>=[\]]+/).slice(0, WORDS_MAX);
    const paths = words.flatMap((word) => pathsOf(word, cwd, home));
    const closed = readOnly.find((place) =>
      paths.some((path) => isWithin(place, path) || (isBusy && path !== cwd && isBelow(path, place))),
    );
    if (closed !== undefined) {
      return {
        what: `${closed} cannot be changed in the sandbox, nor moved or removed with its folder`,
        remedy: OUTSIDE,
      };
    }
    if (
      isWrite &&
      writable !== undefined &&
      paths.some((path) => !writable.some((each) => isWithin(each, path)))
    )
      return { what: "only the workspace and /tmp can be written", remedy: OUTSIDE };
  }
  return undefined;
}

/** Returns a word of a message as a path, with and without a trailing colon. */
function pathsOf(word: string, cwd: string, home: string | undefined): readonly string[] {
  const path = word.replace(/[:.]+$/, "");
  if (path === "") return [];
  const inHome = home !== undefined && path.startsWith("~/") ? resolve(home, path.slice(2)) : undefined;
  return [inHome ?? resolve(cwd, path)];
}

function filterSymptom({ command, output }: EndedCommand): Symptom | undefined {
  const text = output.slice(-TEXT_BYTES_MAX);
  if (!ENDED_BY_FILTER.test(text) && !(DENIED.test(text) && PRIVILEGED.test(command))) return undefined;
  return {
    what: "Unix sockets, debugging other processes, mounts, namespaces, devices, setuid and setgid bits are closed",
    remedy: OUTSIDE,
  };
}

/** Returns the hidden path that a command named, or that its output names: what it found there was not the host's. */
export function findHiddenSymptom(
  { command, output, home }: Pick<EndedCommand, "command" | "output" | "home">,
  { hidden = [] }: Confine,
): Symptom | undefined {
  const text = output.slice(-TEXT_BYTES_MAX);
  const inHome = (path: string) => {
    const rest = home === undefined ? undefined : relativeWithin(home, path);
    return (rest ?? "") === "" ? [] : ["~", "$HOME", "${HOME}"].map((each) => `${each}/${rest}`);
  };
  const named = (path: string) =>
    [path, ...inHome(path)].some((spelled) => namesPath(command, spelled)) ||
    (MISSED.test(text) && namesPath(text, path));
  const place = hidden.filter(named).sort((one, other) => other.length - one.length)[0];
  return place === undefined ? undefined : { what: `${place} is hidden in the sandbox`, remedy: OUTSIDE };
}

/** True if a text contains the path as a whole, or as the beginning of a path below it. */
function namesPath(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + path.length]];
    if (!/[\w./-]/.test(before) && !/[\w.-]/.test(after)) return true;
  }
  return false;
}
