import type { OpenHarness } from "../../../app/harness.ts";
import { unreachable } from "../../../base/assert.ts";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { defined } from "../../../base/defined.ts";
import { Cancelled, HarnessError, hasReason, messageOf } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { durationText } from "../../../base/text/duration.ts";
import { EventPrinter } from "../../../client/line/output/event-printer.ts";
import { hostClock } from "../../../platform/clock.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import { NO_COST, priceOf, printPrice } from "../../../view/costs/cost.ts";
import { NEW_SESSION, sessionStep } from "../../../view/session/session-view.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import type { TurnResult } from "../../../view/turn-result.ts";
import { envelopeJson } from "../../../view/wire-json.ts";
import { exitCodeOfTurn } from "../../exit-codes.ts";
import type { Output } from "../../io/output.ts";
import { OutputClosed, standardError, standardOutput } from "../../io/output.ts";
import { printStartNotices } from "../../io/start-notices.ts";
import type { ProcessContext } from "../../process-context.ts";
import { harnessOptions } from "../../process-context.ts";
import type { Stop } from "../../processes/stop.ts";
import { CLOSE_MS_MAX, within } from "../../processes/within.ts";
import type { Settings } from "../../settings.ts";
import type { RunningPrompt } from "../../shared-prompt/prompt-connection.ts";
import { showsDeltas, showsProgress } from "../../shared-prompt/shows-deltas.ts";
import type { OutputFormat } from "./flags.ts";
import type { PromptMeaning } from "./prompt-command.ts";
import { promptContent } from "./prompt-content.ts";
import type { RunSoFar } from "./prompt-output.ts";
import { failureJson, resultJson } from "./prompt-output.ts";
import { runPromptTurn } from "./turn.ts";

const LAST_WRITE_MS_MAX = 2_000;
/** Time limit for a running engine to end a session that this process has given up. */
const GIVEN_UP_MS_MAX = 1_000;

/** A command line with -p. */
export interface Print {
  readonly settings: Settings;
  /** Undefined: standard input is the prompt. */
  readonly prompt?: string;
  readonly format: OutputFormat;
}

/**
 * Answers one prompt: opens an unattended harness, follows the turn, prints the answer (PERM-12).
 *
 * In text form standard output gets the text of the last message that has any, after the end of the turn. Progress
 * goes to standard error if that is a terminal, or with --log-to-stderr.
 */
export async function runPrompt(invocation: Print, open: () => ProcessContext): Promise<ExitCode> {
  const soFar: RunSoFar = {};
  try {
    const at = open();
    return await answer({ ...invocation, soFar }, at, at.stop);
  } catch (thrown) {
    if (invocation.settings.orphans?.kind === "abort" && hasReason(thrown, "SessionEnding")) {
      await standardError().write(
        "cinch: the session was ended (--orphans abort); the prompt was not sent. What became of the call stays open: the next --continue or --resume asks again.\n",
      );
      return EXIT.cancelled;
    }
    if (!(thrown instanceof OutputClosed)) await writeSoFar(invocation.format, thrown, soFar);
    throw thrown;
  }
}

/**
 * Writes the text so far of a turn that did not end, or the report of the failure. A reader that has stopped reading
 * delays the end for `LAST_WRITE_MS_MAX`. A failure to write is reported, and `thrown` stays the outcome of the run.
 */
async function writeSoFar(format: OutputFormat, thrown: unknown, soFar: RunSoFar): Promise<void> {
  const stdout = standardOutput();
  const text = textSoFar(format, thrown, soFar, stdout);
  if (text === "") return;
  try {
    await within(hostClock, LAST_WRITE_MS_MAX, stdout.write(text));
  } catch (unwritable) {
    if (!(unwritable instanceof OutputClosed || hasReason(thrown, "OutputUnwritable")))
      await standardError().write(`cinch: ${neutraliseLine(messageOf(unwritable))}\n`);
  }
}

function textSoFar(
  format: OutputFormat,
  thrown: unknown,
  soFar: RunSoFar,
  stdout: Pick<Output, "isTerminal">,
): string {
  if (format === "json") return failureJson(thrown, soFar);
  const { turn } = soFar;
  if (format !== "text" || turn === undefined || turn.reason !== undefined) return "";
  return plainText(turn.text, stdout);
}

/** A command line that runs, and its progress for the report of a failure. */
interface Run extends Print {
  readonly soFar: RunSoFar;
}

/** Limits the time of the whole run: the start and the turn (ENG-29). */
async function answer(invocation: Run, at: ProcessContext, stop: Stop): Promise<ExitCode> {
  const { maxTimeMs } = invocation.settings;
  if (maxTimeMs === undefined) return await answerWithin(invocation, at, { signal: stop.signal });
  const { clock } = at.world;
  const sinceMs = stop.running?.sinceMs ?? stop.sinceMs ?? clock.monotonic();
  const endsAtMs = sinceMs + maxTimeMs;
  using limit = deadline(clock, Math.max(endsAtMs - clock.monotonic(), 0), stop.signal);
  try {
    return await answerWithin(invocation, at, { signal: limit.signal, endsAtMs });
  } catch (thrown) {
    if (!limit.reached || hasReason(thrown, "TimeLimitReached")) throw thrown;
    throw new HarnessError("TimeLimitReached", { limit: durationText(maxTimeMs) }, { cause: thrown });
  }
}

interface Within {
  /** Aborts at the time limit, too. */
  readonly signal: AbortSignal;
  readonly endsAtMs?: number;
}

async function answerWithin(
  invocation: Run,
  at: ProcessContext,
  { signal, ...ends }: Within,
): Promise<ExitCode> {
  const { running } = at.stop;
  if (running !== undefined) return await answerInRunning({ ...invocation, running }, at, signal);
  const content = await whileAlive(promptContent(invocation.prompt, at), signal);
  await checkSlash(content);
  const { openHarness } = await import("../../../app/harness.ts");
  const options = await harnessOptions(invocation.settings, at, { attended: false, ...ends });
  const { clock } = at.world;
  let harness: OpenHarness;
  try {
    harness = await openHarness(options, signal);
  } catch (thrown) {
    const { engineThatHolds } = await import("../../shared-engine/held-session.ts");
    await using port = await engineThatHolds(thrown, invocation.settings, at);
    if (port === undefined) throw thrown;
    const code = await answerThere(invocation, port, content, { ...at, stop: { ...at.stop, signal } });
    if (!at.stop.signal.aborted) signal.throwIfAborted();
    return code;
  }
  try {
    await printStartNotices(harness, at);
    const connection = await harness.attach(CLIENT);
    await connection.handshake(PROTOCOL_VERSION);
    return await answerIn(invocation, { connection, session: harness.session }, content, at);
  } finally {
    await within(clock, CLOSE_MS_MAX, Promise.resolve(harness[Symbol.asyncDispose]()));
  }
}

interface RunInRunning extends Run {
  readonly running: RunningPrompt;
}

/** Runs the prompt in its own session of a running engine, as in an engine of this process (PERF-07). */
async function answerInRunning(
  invocation: RunInRunning,
  at: ProcessContext,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { running } = invocation;
  try {
    return await answerAndClose(invocation, at, signal);
  } catch (thrown) {
    if (!running.wasStopped || !hasReason(thrown, "EngineStopping")) throw thrown;
    throw new Cancelled("engine", "the running engine was stopped");
  } finally {
    if (running.wasStopped) await at.stderr.write(STOPPED);
  }
}

const STOPPED =
  "cinch: the running engine that carried out the prompt was stopped. To continue: cinch --continue, or with a prompt: cinch -p … --continue\n";

async function answerAndClose(
  { running, ...invocation }: RunInRunning,
  at: ProcessContext,
  signal: AbortSignal,
): Promise<ExitCode> {
  let closeMs = CLOSE_MS_MAX;
  try {
    const content =
      running.input?.content ?? (await whileAlive(promptContent(invocation.prompt, at), signal));
    await checkSlash(content);
    running.begin(slashPrompt(content) === undefined ? { content } : undefined);
    const opened = await whileAlive(running.opened, signal);
    await printStartNotices(opened, at);
    const where = { connection: running.connection, ...opened, overdue: signal };
    return await answerIn(invocation, where, content, at);
  } catch (thrown) {
    if (signal.aborted) closeMs = GIVEN_UP_MS_MAX; // the engine may hang; it ends the session when we are gone
    throw thrown;
  } finally {
    await within(at.world.clock, closeMs, Promise.resolve(running[Symbol.asyncDispose]()));
  }
}

const CLIENT = { identityClass: "human", label: "cinch -p" } as const;

/** Runs the prompt in the engine that has the session open: questions go to its attached people. */
async function answerThere(
  invocation: Run,
  port: EnginePort,
  content: readonly InputBlock[],
  at: ProcessContext,
): Promise<ExitCode> {
  const { openLineSession } = await import("../line/line-session.ts");
  await using connection = port.attach(CLIENT);
  await connection.handshake(PROTOCOL_VERSION);
  const { settings } = invocation;
  const opened = await openLineSession({ port, connection, settings, at, elsewhere: false });
  await printStartNotices(opened, at);
  const where = { connection, session: opened.session };
  if (settings.orphans !== undefined) {
    const { settleOrphans } = await import("../../settle-orphans.ts");
    await settleOrphans(settings.orphans, where, at.stop.signal);
  }
  return await answerIn(invocation, where, content, at);
}

interface Where {
  readonly connection: Connection;
  readonly session: SessionId;
  /** Aborts at the time limit, for a turn whose engine may hang. Default: none. */
  readonly overdue?: AbortSignal;
}

/** Sends the prompt to an open session, follows its turn, and prints the result. */
export async function answerIn(
  invocation: Pick<Run, "format" | "settings"> & Partial<Run>,
  { connection, session, overdue }: Where,
  content: readonly InputBlock[],
  at: ProcessContext,
): Promise<ExitCode> {
  const { signal } = at.stop;
  const { clock } = at.world;
  const { soFar = {} } = invocation;
  soFar.session = session;
  const asking = meaningOf(content, { connection, session });
  const meaning = await (overdue === undefined ? asking : whileAlive(asking, overdue));
  if (meaning.kind === "answered") {
    await writeAnswer(invocation.format, session, { ...COMMAND_ENDED, text: meaning.text }, at);
    return EXIT.done;
  }
  const show = shower(invocation, connection, at);
  const deltasMayWait = !showsDeltas(invocation.format, invocation.settings, at.stderr);
  const { quietCost = false } = invocation.settings;
  const result = await withSessionOnFailure(session, at, async () => {
    const onTurn = (turn: TurnResult) => {
      soFar.turn = turn;
    };
    const turn = { ...meaning, connection, session, clock, signal, deltasMayWait, show, onTurn };
    const whole = await runPromptTurn({ ...turn, ...defined({ overdue }) });
    await writeAnswer(invocation.format, session, whole, at);
    return whole;
  });
  await tellEnd(result, at, { quietCost });
  return signal.aborted ? EXIT.cancelled : exitCodeOfTurn(result);
}

/** End of a prompt that was a command and began no turn. */
const COMMAND_ENDED = { reason: "complete", rounds: 0, cost: NO_COST, tools: [], refused: 0 } as const;

/** Reads a prompt that begins with a slash, as every client does (CMD-01). The engine never gets one. */
async function checkSlash(content: readonly InputBlock[]): Promise<void> {
  const prompt = slashPrompt(content);
  if (prompt === undefined) return;
  const { checkPromptCommand } = await import("./prompt-command.ts");
  checkPromptCommand(prompt);
}

async function meaningOf(content: readonly InputBlock[], where: Where): Promise<PromptMeaning> {
  if (slashPrompt(content) === undefined) return { kind: "input", content, wants: {} };
  const { meantByPrompt } = await import("./prompt-command.ts");
  return await meantByPrompt(content, where);
}

function slashPrompt([first]: readonly InputBlock[]): string | undefined {
  return first?.type === "text" && first.text.startsWith("/") ? first.text : undefined;
}

function shower(invocation: Shown, connection: Connection, at: ProcessContext) {
  const progress = showsProgress(invocation.settings, at.stderr);
  const printer = new EventPrinter({ client: () => connection.clientId, answers: false });
  let view = NEW_SESSION;
  return async function show(envelope: Envelope): Promise<void> {
    const step = sessionStep(view, envelope);
    view = step.after;
    if (invocation.format === "stream-json") await at.stdout.write(envelopeJson(envelope));
    if (envelope.kind === "Error" && envelope.parentCall === undefined) {
      const { reason, message, severity } = envelope.payload;
      const named = severity === "notice" ? "" : ` (${neutraliseLine(reason)})`;
      await at.stderr.write(`cinch: ${neutralise(message)}${named}\n${typedWhere(envelope)}`);
    } else if (progress) {
      await at.stderr.write(printer.print(envelope, step));
    } else if (isAlwaysReported(envelope)) {
      await at.stderr.write(`cinch: ${printer.print(envelope, step)}`);
    }
  };
}

type Shown = Pick<Print, "format" | "settings">;

/** Returns a hint if an error of an MCP server names a slash command: it is typed in a session, not here. */
function typedWhere({ payload: { reason, message }, session }: EnvelopeOf<"Error">): string {
  const named = /(?<= )\/mcp:\S+/.exec(message)?.[0];
  if (named === undefined || !/^mcp/i.test(reason)) return "";
  return `cinch: ${neutraliseLine(named)} is typed in a session at a terminal: cinch, or this one: cinch --resume ${session}\n`;
}

/** Events that are always reported: hooks that did not run, and changes that outlast the session. */
function isAlwaysReported({ kind }: Envelope): boolean {
  return kind === "HookTimeout" || kind === "HookError" || kind === "MemoryWritten";
}

/** Writes the answer. If that fails, names the session, which still has it. */
async function withSessionOnFailure<Value>(
  session: SessionId,
  at: ProcessContext,
  write: () => Promise<Value>,
): Promise<Value> {
  try {
    return await write();
  } catch (thrown) {
    if (hasReason(thrown, "OutputUnwritable")) {
      await at.stderr.write(`cinch: what was not written is in the session: cinch --resume ${session}\n`);
    }
    throw thrown;
  }
}

async function writeAnswer(
  format: OutputFormat,
  session: SessionId,
  result: TurnResult,
  at: ProcessContext,
): Promise<void> {
  const text = answerText(format, session, result, at);
  const written = at.stdout.write(text);
  // A reader that has stopped reading must not block a cancelled run.
  if (at.stop.signal.aborted) await within(at.world.clock, LAST_WRITE_MS_MAX, written);
  else await whileAlive(written, at.stop.signal);
}

function answerText(
  format: OutputFormat,
  session: SessionId,
  result: TurnResult,
  at: ProcessContext,
): string {
  switch (format) {
    case "stream-json":
      return "";
    case "json":
      return resultJson(session, result);
    case "text":
      return plainText(result.text, at.stdout);
    default:
      return unreachable(format);
  }
}

/** Returns an answer as text. A file or another program gets its bytes, a terminal only what cannot drive it. */
function plainText(text: string, { isTerminal }: Pick<Output, "isTerminal">): string {
  if (text === "") return "";
  const line = text.endsWith("\n") ? text : `${text}\n`;
  return isTerminal ? neutralise(line) : line;
}

async function tellEnd(
  result: TurnResult,
  at: ProcessContext,
  { quietCost }: { readonly quietCost: boolean },
): Promise<void> {
  const { reason, error, refused, cost } = result;
  const ending = reason === undefined ? undefined : endingText(reason);
  if (ending !== undefined && error === undefined) await at.stderr.write(`cinch: ${ending}\n`);
  if (refused > 0) {
    await at.stderr.write(`cinch: calls refused for want of permission: ${refused}\n`);
  }
  if (!quietCost && at.stderr.isTerminal && (priceOf(cost) !== 0 || cost.calls > 0)) {
    await at.stderr.write(`cinch: ${printPrice(cost)}\n`);
  }
}
