import { decode } from "../../base/text/text.ts";
import type { Files } from "../../base/world.ts";

const COMMAND_LINE_BYTES_MAX = 65_536;
const TERMINAL = /^\/dev\/(?:pts\/|tty)\w+$/;

/** Text about an engine that runs, and what ends it. */
interface EngineDescription {
  readonly process: string;
  readonly remedy: string;
}

/**
 * Describes the engine that listens on a Unix socket: its process, what started it, and since when it listens.
 * @param pid undefined on a system that does not tell who listens.
 */
export async function describeEngine(
  socketPath: string,
  pid: number | undefined,
  files: Pick<Files, "lstat" | "read" | "realpath">,
): Promise<EngineDescription> {
  const listens = await files.lstat(socketPath);
  const since = listens === undefined ? [] : [`since ${renderSecond(listens.modifiedMs)}`];
  if (pid === undefined)
    return { process: ["process unknown", ...since].join(", "), remedy: "Ctrl-C where it runs." };
  return {
    process: [`process ${pid}`, ...(await startedBy(pid, files)), ...since].join(", "),
    remedy: `kill ${pid}`,
  };
}

/** Returns what started a process, in words; nothing if the system does not tell (`/proc` of Linux). */
async function startedBy(pid: number, files: Pick<Files, "read" | "realpath">): Promise<readonly string[]> {
  try {
    const words = decode(await files.read(`/proc/${pid}/cmdline`, COMMAND_LINE_BYTES_MAX)).split("\0");
    // `cinch` and `cinch -p` start their shared engine with this flag; it ends once no client uses it.
    if (words.includes("--until-idle")) return ["started by cinch or cinch -p for its clients"];
    const input = await files.realpath(`/proc/${pid}/fd/0`);
    const command = words.includes("serve") ? "cinch serve" : "a program that uses cinch";
    return [TERMINAL.test(input) ? `${command} in the terminal ${input}` : command];
  } catch {
    return []; // it has ended, or there is no /proc
  }
}

function renderSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
