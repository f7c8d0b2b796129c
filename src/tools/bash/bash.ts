import { join } from "node:path";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { readOnlyEnvironment } from "../../base/child-environment.ts";
import { defined } from "../../base/defined.ts";
import type { Exit, Files } from "../../base/world.ts";
import type { InputOf } from "../arguments.ts";
import { addedMarker } from "../chain/redaction-marker.ts";
import { textOutput } from "../output.ts";
import type { Aliases, CallPlan, CallTarget, Tool, ToolContext, ToolOutput, Workspace } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import { bashTaskTool } from "./bash-task.ts";
import { OutputCapture } from "./capture.ts";
import { ProgressFeed } from "./progress-feed.ts";
import { letBegin, startShell } from "./shell.ts";
import {
  isUnchangedDirectory,
  nextDirectory,
  reportPath,
  updateWorkingDirectory,
} from "./working-directory.ts";

export const BASH_MS_DEFAULT = 120_000;
export const BASH_MS_MAX = 600_000;
/** A `timeout` below this means seconds: a limit below one second is useless. */
const SECONDS_MAX = 1_000;
const ALIASES: Aliases = {
  cmd: "command",
  script: "command",
  timeout: {
    argument: "timeout_ms",
    read: (value) => (typeof value === "number" && value < SECONDS_MAX ? inMs(value) : value),
  },
  timeout_s: { argument: "timeout_ms", read: inMs },
  timeout_sec: { argument: "timeout_ms", read: inMs },
  timeout_seconds: { argument: "timeout_ms", read: inMs },
  run_in_background: "background",
};

function inMs(seconds: unknown): unknown {
  return typeof seconds === "number" ? Math.ceil(seconds * 1_000) : seconds;
}

/** Limit of a command's wait for the record of its call, which is none of its own time. */
export const INTENT_MS_MAX = 30_000;
/** Added to the limits of a call: time to start its shell, to end its processes and to render its output. */
const AROUND_MS_MAX = 15_000;
/** Linux accepts at most 128 KiB in one argument. */
const COMMAND_BYTES_MAX = 100_000;

export const BASH_FACTS: ToolFacts = {
  name: "Bash",
  packs: ["shell", "git"],
  effect: "runs-commands",
  subject: "command",
  mutating: true,
  level: "DangerFullAccess",
  autoAllowed: "known-reads",
  output: "own",
  kind: "execute",
  inSubAgents: "granted",
};

const INPUT = {
  type: "object",
  properties: {
    command: { type: "string" },
    timeout_ms: { type: "integer", maximum: BASH_MS_MAX },
    background: { type: "boolean" },
    outside_sandbox: { type: "boolean" },
  },
  required: ["command"],
} as const;

interface BashPlan extends CallPlan {
  readonly target: Extract<CallTarget, { readonly kind: "command" }>;
  readonly msMax: number | undefined;
  readonly background: boolean;
  /** Directory of the shell, if it no longer exists. */
  readonly lost?: string;
}

type BashInput = InputOf<typeof INPUT>;

/** Returns Bash and BashTask, which share one session's background runs. */
export function bashTools(runs: BackgroundRuns): readonly Tool[] {
  return [bashTool(runs), bashTaskTool(runs)];
}

/**
 * Runs one command in bash, in the session's working directory, which follows its `cd` (TOOL-02).
 *
 * At the end of the call, for any reason, every process that it started ends within 2 s (ENG-09). Only a background
 * run continues, at most until the session ends. A cancel then throws the signal's reason.
 */
function bashTool(runs: BackgroundRuns): Tool<BashPlan> {
  return {
    ...BASH_FACTS,
    description:
      "Runs a bash command. cd is kept; processes end with the call unless background. outside_sandbox asks a person.",
    aliases: ALIASES,
    inputSchema: INPUT,
    awaitsIntent: true,
    msMax: INTENT_MS_MAX + BASH_MS_MAX + AROUND_MS_MAX,
    plan: (input, context) => plan(input as BashInput, context),
    run: (call, context) => (call.background ? startInBackground(call, context, runs) : run(call, context)),
  };
}

async function plan(input: BashInput, { world, workspace }: ToolContext): Promise<BashPlan> {
  const { command, timeout_ms, background = false, outside_sandbox = false } = input;
  const problem = problemOf(command, timeout_ms);
  if (problem !== undefined) throw new ToolFailure(problem);
  const { cwd, lost } = await nextDirectory(world.files, workspace);
  return {
    summary: command,
    target: {
      kind: "command",
      command,
      cwd,
      ...(outside_sandbox ? { outside: true } : {}),
      ...(background ? { background: true } : {}),
    },
    msMax: timeout_ms ?? (background ? undefined : BASH_MS_DEFAULT),
    background,
    ...defined({ lost }),
  };
}

function problemOf(command: string, timeoutMs: number | undefined): string | undefined {
  if (command.trim() === "") return "The command is empty.";
  if (command.includes("\0")) return "A command cannot hold a NUL character.";
  if (!command.isWellFormed()) return "The command holds half a character (a lone surrogate).";
  if (Buffer.byteLength(command) > COMMAND_BYTES_MAX) {
    return `The command is longer than ${COMMAND_BYTES_MAX} bytes. Write a script to a file and run that.`;
  }
  const marker = addedMarker("", command);
  if (marker !== undefined) {
    return `The command holds ${marker}, which stands for a secret that is not shown here. Let the command take the secret from where it is kept.`;
  }
  if (timeoutMs !== undefined && (timeoutMs < 1 || timeoutMs > BASH_MS_MAX)) {
    return `timeout_ms must be between 1 and ${BASH_MS_MAX}.`;
  }
  return undefined;
}

async function run(call: BashPlan, context: ToolContext): Promise<ToolOutput> {
  const { world, workspace, callId } = context;
  const { cwd } = call.target;
  const capture = new OutputCapture(world.files, outputPath(workspace, callId), workspace.redacting);
  await makeReady(call, context);
  const stays = await staysInDirectory(call.target.command);
  const report = stays ? undefined : await prepareReport(world.files, reportPath(workspace, callId));
  let ending: Ending;
  try {
    ending = await runToEnd(call, context, { capture, ...defined({ report }) });
  } catch (thrown) {
    if (report !== undefined) await world.files.remove(report);
    throw thrown;
  }
  const { exit, timedOut } = ending;
  if (exit?.kind === "failed") throw new ToolFailure(exit.error.message, { cause: exit.error });
  const notes = [
    ...(call.lost === undefined ? [] : [`[The directory ${call.lost} is gone; this ran in ${cwd}]`]),
    ...(timedOut ? [timeoutNote(call.msMax ?? BASH_MS_DEFAULT)] : []),
    ...(exit === undefined ? [] : exitNotes(exit)),
    ...(ending.left ? ["[Processes it left running were ended; start such with background: true]"] : []),
    ...(await updateWorkingDirectory(context, {
      ...defined({ report }),
      cwd,
      ...{ stays, replaced: exit?.kind === "code" },
    })),
  ];
  return {
    ...textOutput(withNotes(await capture.text(), notes)),
    ...(timedOut || exit?.kind !== "code" || exit.code !== 0 ? { isError: true } : {}),
    ...(timedOut ? { timedOut: true } : {}),
  };
}

/** Returns true for a command after which its shell is where it began: it needs no report. */
async function staysInDirectory(command: string): Promise<boolean> {
  const shell = await import("../../shell/stays-in-directory.ts");
  return shell.staysInDirectory(command);
}

/**
 * Creates the report before the shell starts, so that a sandbox can expose this one file. Returns undefined if that
 * fails, for example on a full disk: the command then runs without it, and its last directory stays unknown.
 */
async function prepareReport(files: Files, report: string): Promise<string | undefined> {
  try {
    await files.append(report, "", 0o600);
    return report;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return undefined;
  }
}

interface Ending {
  /** Undefined if the time limit came first. */
  readonly exit: Exit | undefined;
  readonly timedOut: boolean;
  /** True if it left processes running, which were ended. */
  readonly left: boolean;
}

interface Ends {
  readonly capture: OutputCapture;
  readonly report?: string;
}

/** @throws the signal's reason when the call was cancelled; its processes have ended by then. */
async function runToEnd(call: BashPlan, context: ToolContext, { capture, report }: Ends): Promise<Ending> {
  const { world, callId, signal } = context;
  signal.throwIfAborted();
  const env = environmentOf(context);
  await using child = await startShell(world, {
    ...call.target,
    env,
    callId,
    ...(context.intentSafe === undefined ? {} : { held: true }),
    ...defined({ report }),
  });
  using progress = new ProgressFeed(world.clock, context.progress);
  const msMax = call.msMax ?? BASH_MS_DEFAULT;
  let hasBegun = context.intentSafe === undefined;
  if (hasBegun) progress.begin();
  using limit = deadline(world.clock, hasBegun ? msMax : INTENT_MS_MAX, signal);
  const read = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      progress.received(chunk);
      progress.push(await capture.write(chunk));
    }
  };
  /** The shell starts beside the sync of the call's intent, and its command after it. */
  const begin = async () => {
    if (context.intentSafe === undefined) return;
    await context.intentSafe();
    limit.signal.throwIfAborted();
    hasBegun = true; // before the line is written: from here on, nobody knows how far the command is
    limit.restart(msMax);
    progress.begin();
    await letBegin(child);
  };
  const done = Promise.all([child.exited, read(child.stdout), read(child.stderr)]);
  try {
    const [[exit]] = await whileAlive(Promise.all([done, begin()]), limit.signal);
    return { exit, timedOut: false, left: child.leftBehind() };
  } catch (thrown) {
    if (!limit.reached) throw thrown;
    if (!hasBegun) throw new ToolFailure(NOT_BEGUN);
    return { exit: undefined, timedOut: true, left: false };
  } finally {
    child.input?.end();
    await child[Symbol.asyncDispose]();
    await done; // the final output of its processes belongs to the result too
  }
}

const NOT_BEGUN = `nothing was run: cinch's log did not take the record of this call within ${INTENT_MS_MAX / 1_000} s. Check that the disk of cinch's data folder takes writes, then try again.`;

/** @throws ToolFailure if the record of the call is not safe in time, or the signal's reason. */
async function untilIntentSafe({ world, intentSafe, signal }: ToolContext): Promise<void> {
  using limit = deadline(world.clock, INTENT_MS_MAX, signal);
  try {
    await whileAlive(intentSafe?.() ?? Promise.resolve(), limit.signal);
  } catch (thrown) {
    throw limit.reached ? new ToolFailure(NOT_BEGUN) : thrown;
  }
}

async function startInBackground(
  call: BashPlan,
  context: ToolContext,
  runs: BackgroundRuns,
): Promise<ToolOutput> {
  const { world, workspace, callId } = context;
  const { command, cwd } = call.target;
  const problem = runs.startProblem();
  if (problem !== undefined) throw new ToolFailure(problem);
  await makeReady(call, context);
  await untilIntentSafe(context);
  const child = await startShell(world, { command, cwd, env: environmentOf(context), callId });
  const capture = new OutputCapture(world.files, outputPath(workspace, callId), workspace.redacting);
  const id = runs.start(world, {
    what: command,
    child,
    capture,
    msMax: call.msMax,
    ...(context.hasSecrets === true ? { hasSecrets: true } : {}),
  });
  return textOutput(
    `Started ${id} in ${cwd}. CallTool BashTask {id, action: "poll" | "stop"} looks at it or stops it; its output goes to ${capture.path}`,
  );
}

/**
 * Returns the environment of a command. One that is known to only read gets the environment that it was judged in.
 */
function environmentOf({ workspace, onlyReads }: ToolContext): Workspace["env"] {
  return onlyReads === true ? readOnlyEnvironment(workspace.env) : workspace.env;
}

/** @throws ToolFailure if the planned directory has been replaced (PERM-10). */
async function makeReady(call: BashPlan, { world, workspace }: ToolContext): Promise<void> {
  const { cwd } = call.target;
  const [isThere] = await Promise.all([
    isUnchangedDirectory(world.files, cwd),
    world.files.makeDirectory(workspace.scratch, 0o700),
  ]);
  if (isThere) return;
  throw new ToolFailure(`${cwd} is no longer the directory it was when this was planned. Nothing was run.`);
}

function outputPath(workspace: Workspace, callId: string): string {
  return join(workspace.scratch, `${callId}.output.txt`);
}

function timeoutNote(msMax: number): string {
  return `[Timed out after ${msMax / 1000} s; all its processes were ended. timeout_ms may be up to ${BASH_MS_MAX}, or use background: true]`;
}

/** Describes the end of a command, unless it succeeded. */
export function exitNotes(exit: Exit): readonly string[] {
  switch (exit.kind) {
    case "code":
      return exit.code === 0 ? [] : [`[exit code ${exit.code}]`];
    case "signal":
      return [`[ended by ${exit.signal}]`];
    case "failed":
      return [`[${exit.error.message}]`];
  }
}

function withNotes(output: string, notes: readonly string[]): string {
  const shown = output.replace(/\n+$/, "");
  const text = [...(shown === "" ? [] : [shown]), ...notes].join("\n");
  return text === "" ? "(no output)" : text;
}
