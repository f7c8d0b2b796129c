import { resolve } from "node:path";
import { below, isBelow, isWithin } from "../../../base/files/below.ts";
import type { Refusal } from "../../../session/guard/hosts.ts";
import { isPublicName, networkSetting } from "../../../session/guard/hosts.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";

/** What a command ran into, and what the model can do about it. */
export interface Symptom {
  readonly what: string;
  readonly remedy: string;
}

/** A command that has ended, with what is known of how the sandbox met it. */
export interface Ran {
  readonly command: string;
  readonly output: string;
  /** Directory in which the command began. */
  readonly cwd: string;
  readonly home: string | undefined;
  readonly network: "off" | readonly string[];
  /** Requests that the proxy refused meanwhile. */
  readonly refused: readonly Refusal[];
  /** It sent something that the network of the sandbox has no way for. */
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
/** A process that the filter has ended: the note of the exit code is the last line. */
const ENDED_BY_FILTER = /\[exit code 159\]\s*$/;

/** Programs that do what the filter of system calls refuses: sockets of the host, tracing, mounts, rights, other users. */
const PRIVILEGED =
  /(?:^|[\s;&|(/])(?:sudo|su|doas|mount|umount|unshare|nsenter|chroot|strace|ltrace|gdb|lldb|perf|docker|podman|systemctl|journalctl|dbus-send|gpg|ssh-add|tmux|screen|ping|tcpdump|ip|iptables|nft|sysctl|dmesg|setcap|mknod|chmod|install)(?=$|\s)/;

/**
 * Says what of the sandbox a failed command ran into, as far as there is evidence beside the words that it printed (SBX-04):
 * a refusal of the proxy, a count of the kernel, a place that is hidden or closed. Nothing is allowed because of it.
 */
export function symptomOf(ran: Ran, confine: Confine): Symptom | undefined {
  return (
    hiddenSymptom(ran, confine) ??
    refusedSymptom(ran) ??
    placeSymptom(ran, confine) ??
    networkSymptom(ran) ??
    filterSymptom(ran)
  );
}

/** Notes a refusal in the result of the command. */
export function refusalNote(why: string): string {
  return `[proxy: ${why}]`;
}

/** Names what the proxy refused while the command ran, and the setting that lets it through. */
function refusedSymptom({ refused, network }: Ran): Symptom | undefined {
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

function networkSymptom({ network, unrouted }: Ran): Symptom | undefined {
  if (!unrouted) return undefined;
  const hosts = network === "off" ? [] : network;
  const what = hosts.length === 0 ? "there is no network" : `the network reaches only ${hosts.join(", ")}`;
  return { what, remedy: LISTED };
}

/** A path in a line about a refusal, where the sandbox refuses that at this very path. */
function placeSymptom({ output, cwd, home }: Ran, { readOnly = [], writable }: Confine): Symptom | undefined {
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

/** A word of a message as a path, with and without a colon behind it. */
function pathsOf(word: string, cwd: string, home: string | undefined): readonly string[] {
  const path = word.replace(/[:.]+$/, "");
  if (path === "") return [];
  const inHome = home !== undefined && path.startsWith("~/") ? resolve(home, path.slice(2)) : undefined;
  return [inHome ?? resolve(cwd, path)];
}

function filterSymptom({ command, output }: Ran): Symptom | undefined {
  const text = output.slice(-TEXT_BYTES_MAX);
  if (!ENDED_BY_FILTER.test(text) && !(DENIED.test(text) && PRIVILEGED.test(command))) return undefined;
  return {
    what: "Unix sockets, debugging other processes, mounts, namespaces, devices, setuid and setgid bits are closed",
    remedy: OUTSIDE,
  };
}

/** Names the hidden place that a command named, or that its programs complained of: what it found there was not the host's. */
export function hiddenSymptom(
  { command, output, home }: Pick<Ran, "command" | "output" | "home">,
  { hidden = [] }: Confine,
): Symptom | undefined {
  const text = output.slice(-TEXT_BYTES_MAX);
  const inHome = (path: string) => {
    const rest = home === undefined ? undefined : below(home, path);
    return (rest ?? "") === "" ? [] : ["~", "$HOME", "${HOME}"].map((each) => `${each}/${rest}`);
  };
  const named = (path: string) =>
    [path, ...inHome(path)].some((spelled) => namesPath(command, spelled)) ||
    (MISSED.test(text) && namesPath(text, path));
  const place = hidden.filter(named).sort((one, other) => other.length - one.length)[0];
  return place === undefined ? undefined : { what: `${place} is hidden in the sandbox`, remedy: OUTSIDE };
}

/** Whether a path stands in a text as a whole, or as the beginning of one below it. */
function namesPath(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + path.length]];
    if (!/[\w./-]/.test(before) && !/[\w.-]/.test(after)) return true;
  }
  return false;
}
