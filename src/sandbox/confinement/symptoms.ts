import { below } from "../../base/below.ts";
import type { Confine } from "../sandbox.ts";

/** What a command ran into, and what the model can do about it. */
export interface Symptom {
  readonly what: string;
  readonly remedy: string;
}

const OUTSIDE =
  "If it needs that, call Bash again with outside_sandbox: true, which asks a person; else work in the workspace or /tmp.";
const LISTED =
  "A person can list hosts under [sandbox] network in config.toml; else call Bash again with outside_sandbox: true, which asks a person.";
const TEXT_BYTES_MAX = 65_536;

const WRITES = /Read-only file system|EROFS/;
const NETWORK =
  /Could not resolve host|Temporary failure in name resolution|Name or service not known|getaddrinfo|EAI_AGAIN|ENOTFOUND|Network is unreachable|ENETUNREACH|failed to lookup address|dial tcp|No address associated with hostname|unable to resolve host|Failed to connect to|Could not connect to/i;
const DENIED =
  /Operation not permitted|EPERM\b|effective uid is not 0|no new privileges|Bad system call|\[exit code 159\]/;
const BUSY = /Device or resource busy|EBUSY\b/;
const MISSED = /No such file|ENOENT|Permission denied|EACCES\b|cannot open|not found/;
const HIDDEN = /Permission denied|EACCES\b/;

/** What the proxy knows that it refused while the command ran. */
export function refusedSymptom(refused: readonly string[]): Symptom | undefined {
  const [first, ...others] = refused;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return { what: `the proxy let a request not through: ${first}${more}`, remedy: LISTED };
}

/**
 * Recognises a failure that the sandbox may have caused, by what programs print (SBX-04). A guess for people and the model:
 * nothing is allowed because of it.
 */
export function symptomOf(output: string, network: "off" | readonly string[]): Symptom | undefined {
  const text = output.slice(-TEXT_BYTES_MAX);
  if (WRITES.test(text)) {
    return {
      what: "only the workspace and /tmp can be written, and there not .git/hooks, .git/config and .cinch",
      remedy: OUTSIDE,
    };
  }
  if (network !== "off" && NETWORK.test(text))
    return { what: `the network reaches only ${network.join(", ")}`, remedy: LISTED };
  if (NETWORK.test(text)) return { what: "there is no network", remedy: LISTED };
  if (BUSY.test(text)) {
    return {
      what: "what git executes of a repository (.git, its hooks and configuration) cannot be moved or removed",
      remedy: OUTSIDE,
    };
  }
  if (DENIED.test(text)) {
    return {
      what: "Unix sockets, debugging other processes, mounts, namespaces and devices are closed",
      remedy: OUTSIDE,
    };
  }
  if (HIDDEN.test(text)) return { what: "credentials and sockets of the host are hidden", remedy: OUTSIDE };
  return undefined;
}

export interface Ran {
  readonly command: string;
  readonly output: string;
  readonly home: string | undefined;
}

/** Tells the hidden place that a command named, or that its programs complained of: what it found there was not the host's. */
export function hiddenSymptom({ command, output, home }: Ran, { hidden = [] }: Confine): Symptom | undefined {
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
