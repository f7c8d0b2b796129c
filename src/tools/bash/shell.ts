import { childEnvironment } from "../../base/child-environment.ts";
import type { CallId } from "../../base/ids.ts";
import type { Child, Files, World } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { CALL_MARK } from "../chain/call-mark.ts";
import { ToolFailure } from "../tool.ts";

/** Absolute, so that no project folder can supply another program. */
const SHELLS: readonly [string, ...string[]] = [
  "/bin/bash",
  "/usr/bin/bash",
  "/usr/local/bin/bash",
  "/run/current-system/sw/bin/bash",
  "/opt/homebrew/bin/bash",
];

export interface ShellStart {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly callId: CallId;
  /** True if the shell waits for `letBegin`. It ends, and runs nothing, if this process ends before that. */
  readonly held?: true;
  /** An empty file that the shell writes its last directory to. */
  readonly report?: string;
}

/**
 * Starts one command in `bash --norc --noprofile`, whatever the user's shell (S13).
 *
 * Every call gets a new environment (S10). Standard error goes to standard output, in order; standard input is empty.
 * With `report`, the shell writes its last directory to that file, which output cannot forge.
 * @throws ToolFailure if this machine has no bash.
 */
export async function startShell(world: World, start: ShellStart): Promise<Child> {
  const shell = await findShell(world.files);
  return world.spawn({
    argv: [
      shell,
      "--norc",
      "--noprofile",
      "-c",
      `${start.held === true ? HOLD : ""}${wrapper(start.report)}`,
      "bash",
      start.command,
    ],
    cwd: start.cwd,
    env: {
      ...childEnvironment(start.env),
      PWD: start.cwd,
      [CALL_MARK]: `${start.callId}.${world.machine.pid}`,
    },
    mark: CALL_MARK,
    ...(start.held === true ? { held: true } : {}),
    ...(start.report === undefined ? {} : { writes: [start.report] }),
  });
}

/** Waits for a line, and takes the empty standard input of every command afterwards. */
const HOLD = "read -r REPLY || exit; exec </dev/null; ";
const LINE = new Uint8Array([10]);

/** Lets a shell begin that is held. One that has ended already is left to its exit. */
export async function letBegin({ input }: Child): Promise<void> {
  try {
    await input?.write(LINE);
  } catch (thrown) {
    if (codeOf(thrown) !== "EPIPE") throw thrown;
  }
}

/** Path of the shell. If it is removed later, starting it fails. */
const shells = new WeakMap<Files, string>();

async function findShell(files: Files): Promise<string> {
  const known = shells.get(files);
  if (known !== undefined) return known;
  for (const path of SHELLS) {
    if ((await files.stat(path))?.kind !== "file") continue;
    shells.set(files, path);
    return path;
  }
  throw new ToolFailure(`Bash needs bash, and this machine has none of ${SHELLS.join(", ")}.`);
}

/**
 * Builds the script around a command, which is passed in `$1` and evaluated unchanged, without parameters.
 *
 * The directory is written twice: by a trap, for commands that end the shell, and after the command, for those that
 * set a trap. A command that does both, or replaces the shell by `exec`, leaves no report.
 */
function wrapper(report: string | undefined): string {
  const run = 'REPLY=$1; set --; eval -- "$REPLY"';
  if (report === undefined) return `exec 2>&1; ${run}`;
  const file = quoted(report);
  // Only once: a file that is truncated and written again is flushed to disk at once.
  const tell = `{ set +x; } 2>/dev/null; [[ -s ${file} ]] || { command pwd -P || command echo; } >|${file} 2>/dev/null`;
  return [
    `exec 2>&1; trap ${quoted(tell)} EXIT; ${run}`,
    `{ REPLY=$?; set +x; } 2>/dev/null; ${tell}; exit "$REPLY"`,
  ].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
