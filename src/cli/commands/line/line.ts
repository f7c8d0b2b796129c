import { whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError } from "../../../base/errors.ts";
import { sharedTerminal } from "../../../client/line/input/shared-terminal.ts";
import type { LineTerminal } from "../../../client/line/input/terminal.ts";
import type { LineOutcome } from "../../../client/line/options.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { NOTIFIED_EVENTS } from "../../../view/notified-events.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { NO_SESSION_TEXT } from "../../args/parse-command.ts";
import { exitCodeOfTurn } from "../../exit-codes.ts";
import { FIRST_KEYS_MS } from "../../first-frame/first-keys.ts";
import type { StartingEngine } from "../../first-frame/starting-engine.ts";
import { startingEngine } from "../../first-frame/starting-engine.ts";
import { PersonLeft, TypedAhead } from "../../first-frame/typed-ahead.ts";
import { printStartNotices } from "../../io/start-notices.ts";
import { pipeTerminal } from "../../io/terminal/pipe-terminal.ts";
import type { ProcessContext } from "../../process-context.ts";
import type { Stop } from "../../processes/stop.ts";
import type { EngineNotices } from "../../shared-engine/engine-notices.ts";
import { engineNotices } from "../../shared-engine/engine-notices.ts";
import type { ReachedEngine, ReachOptions } from "../../shared-engine/reach-engine.ts";
import { lineShares } from "../../shared-engine/sharing.ts";
import { VERSION } from "../../version.ts";
import type { Line } from "./flags.ts";
import { noticeWays } from "./notice-ways.ts";
import type { ScreenKind } from "./settings-file.ts";
import { screenSetting } from "./settings-file.ts";

/**
 * Runs the line client on the terminal or on a pipe. At a terminal it works with the engine that all clients of this
 * user share, and leaving ends nothing there (CTL-18); on a pipe it runs an engine for itself.
 *
 * At a terminal the first frame waits for nothing: its prompt takes lines while the engine starts (PERF-01).
 * Exit code 0 after /quit, 130 after Ctrl-C twice or a signal; on a pipe, that of the last turn.
 */
export async function runLine(line: Line, at: ProcessContext): Promise<ExitCode> {
  const { stop } = at;
  const notices = engineNotices({ isOwn: line.connect === undefined });
  const { onState, onResumed, onNotRestarted, onUpgrade } = notices;
  const screen = await screenOf(line, at);
  const isFull = hasPanels(line, screen, at);
  // Nothing is started for words that are refused.
  if (line.settings.choosesSession === true && !isFull)
    throw new HarnessError("UsageInvalid", { problem: NO_SESSION_TEXT });
  const begins = Promise.withResolvers<void>();
  await using starting = startingEngine(async (signal) => {
    await whileAlive(begins.promise, signal);
    return await engineOf(line, { at, onState, onResumed, onNotRestarted, onUpgrade, signal });
  }, stop.signal);
  if (line.connect !== undefined) {
    begins.resolve();
    await starting.reached; // it may ask for its token on the terminal
  }
  if (isFull) {
    const { runFullScreen } = await import("./full-screen.ts");
    const shown = (): void => void at.world.clock.timer(FIRST_KEYS_MS, begins.resolve);
    return await runFullScreen(line, starting, { at, isInline: screen === "inline", notices, shown });
  }
  begins.resolve();
  using own = await openTerminal(at, stop);
  const leave = new AbortController();
  const terminal = sharedTerminal(own, AbortSignal.any([stop.signal, leave.signal]));
  const seen = aboveTheLine(at, terminal);
  if (terminal.interactive) await seen.stderr.write(`cinch ${VERSION} · ${neutraliseLine(at.workingDir)}\n`);
  const ahead = new TypedAhead(terminal);
  try {
    return await workWith(line, starting, {
      at: seen,
      terminal,
      ahead,
      notices,
      isReader: screen === "reader",
    });
  } catch (thrown) {
    if (thrown instanceof PersonLeft) return EXIT.done;
    throw thrown;
  } finally {
    leave.abort();
    stop.interrupts(undefined);
  }
}

/** The terminal of one line client. */
interface LineStart {
  /** Its standard error is printed above the line that is being edited. */
  readonly at: ProcessContext;
  readonly terminal: LineTerminal;
  readonly ahead: TypedAhead;
  readonly notices: EngineNotices;
  /** True: labelled lines, for a screen reader. */
  readonly isReader: boolean;
}

async function workWith(line: Line, starting: StartingEngine, place: LineStart): Promise<ExitCode> {
  const { at, ahead } = place;
  const reached = await whileAlive(printingNotices(starting.reached, place), ahead.signal);
  try {
    return await workIn(line, reached, place);
  } catch (thrown) {
    if (!reached.owned) throw line.connect === undefined ? withVariableHint(thrown) : thrown;
    if (!line.listen) throw thrown;
    const { engineThatHolds } = await import("../../shared-engine/held-session.ts");
    await using port = await engineThatHolds(thrown, line.settings, at);
    if (port === undefined) throw thrown;
    return await workIn(line, { port, owned: false }, place);
  }
}

/** Prints what is to be said about an engine while it starts. Returns what `reached` returns. */
async function printingNotices<Reached>(
  reached: Promise<Reached>,
  { at, notices }: Pick<LineStart, "at" | "notices">,
): Promise<Reached> {
  const end = new AbortController();
  const printing = (async () => {
    for await (const { text } of notices.read(end.signal)) await at.stderr.write(`cinch: ${text}\n`);
  })();
  try {
    return await reached;
  } finally {
    end.abort();
    await printing;
  }
}

/** Prints what goes to standard error through the terminal, if it is the same screen. */
function aboveTheLine(at: ProcessContext, terminal: LineTerminal): ProcessContext {
  if (!terminal.interactive || !at.stderr.isTerminal || !at.stdout.isTerminal) return at;
  return { ...at, stderr: { ...at.stdout, write: (text) => terminal.write(text) } };
}

/** Adds a hint to an error if a variable here holds the key that the running engine was started without. */
function withVariableHint(thrown: unknown): unknown {
  if (!(thrown instanceof HarnessError) || thrown.reason !== "ProviderKeyMissing") return thrown;
  const { provider = "", variable = "" } = thrown.fields;
  if ((process.env[variable] ?? "") === "") return thrown;
  const where =
    " where the engine is started: the one that runs was started without it, and ends by itself once nobody uses it. cinch --no-listen starts one of its own";
  return new HarnessError("ProviderKeyMissing", { provider, variable, kept: where }, { cause: thrown });
}

async function engineOf(
  line: Line,
  reachOptions: Pick<
    ReachOptions,
    "at" | "onState" | "onResumed" | "onNotRestarted" | "onUpgrade" | "signal"
  >,
): Promise<ReachedEngine> {
  const { settings, connect } = line;
  if (connect !== undefined) {
    const { connectEngine } = await import("../../shared-engine/connect.ts");
    return await connectEngine({ ...reachOptions, connect });
  }
  const { reachEngine } = await import("../../shared-engine/reach-engine.ts");
  return await reachEngine({ ...reachOptions, settings, listen: lineShares(line) });
}

async function workIn(
  { settings, connect, prompt }: Line,
  { port, owned }: Pick<ReachedEngine, "port" | "owned">,
  { at, terminal, ahead, notices, isReader }: LineStart,
): Promise<ExitCode> {
  const { signal } = at.stop;
  const here = AbortSignal.any([signal, ahead.signal]);
  await using connection = port.attach({
    ...{ identityClass: "human", label: "cinch line client" },
    ...(owned ? { wire: "process" } : {}), // another engine sees by itself how this client comes
  });
  await whileAlive(connection.handshake(PROTOCOL_VERSION), here);
  const { openLineSession } = await import("./line-session.ts");
  const wanted = { port, connection, settings, at, elsewhere: connect !== undefined };
  const person = terminal.interactive ? { person: { terminal, ahead } } : {};
  const opened = await whileAlive(openLineSession({ ...wanted, ...person }), here);
  await printStartNotices(opened, at);
  const { session, profile, model, history, past, fresh } = opened;
  const { runLineClient } = await import("../../../client/line/line-client.ts");
  // Before the session is shown: from then on Ctrl-C is for it.
  const typed = [...(prompt === undefined ? [] : [prompt]), ...(await ahead.take())];
  ahead.signal.throwIfAborted();
  const start = [session, profile, model].map(neutraliseLine).join(" · ");
  await at.stderr.write(`${start}${terminal.interactive ? " · /help lists commands" : ""}\n`);
  const { clock } = at.world;
  const outcome = await runLineClient({
    connection,
    session,
    terminal,
    model,
    history,
    past,
    typed,
    fresh,
    shared: !owned,
    overNetwork: connect !== undefined && !connect.url.startsWith("unix:"),
    quietCost: settings.quietCost === true,
    notices: notices.read,
    isLabelled: isReader,
    rings: terminal.ring === undefined ? [] : isReader ? NOTIFIED_EVENTS : (await noticeWays(at)).bell,
    clock,
    signal,
  });
  return exitCodeOfOutcome(outcome, terminal.interactive);
}

/** Returns the screen that the command line names, else the one that the person has set for a terminal. */
async function screenOf({ screen }: Line, at: ProcessContext): Promise<ScreenKind> {
  if (screen !== undefined) return screen;
  return process.stdin.isTTY === true ? await screenSetting(at.paths.config) : "full";
}

/** Returns true for the terminal client; the line client has no panels. */
function hasPanels({ plain }: Line, screen: ScreenKind, { stdout }: ProcessContext): boolean {
  if (plain === true || screen === "reader") return false;
  // A terminal that can move its cursor, on both sides.
  return process.stdin.isTTY === true && stdout.isTerminal && (process.env["TERM"] ?? "dumb") !== "dumb";
}

async function openTerminal(at: ProcessContext, stop: Stop): Promise<LineTerminal & Disposable> {
  if (process.stdin.isTTY !== true) {
    const terminal = pipeTerminal(at.stdout, () => Bun.stdin.stream());
    return { ...terminal, [Symbol.dispose]: () => undefined };
  }
  const { ttyTerminal } = await import("../../io/terminal/tty-terminal.ts");
  const canMove = at.stdout.isTerminal && (process.env["TERM"] ?? "dumb") !== "dumb";
  const inTmux = (process.env["TMUX"] ?? "") !== "";
  const terminal = ttyTerminal({ output: at.stdout, clock: at.world.clock, canMove, inTmux });
  stop.interrupts(terminal.interrupt);
  // The terminal is restored, whatever ends the process (R39).
  process.once("exit", () => terminal[Symbol.dispose]());
  return terminal;
}

function exitCodeOfOutcome({ why, lastTurn, refused = 0 }: LineOutcome, interactive: boolean): ExitCode {
  if (why === "interrupt") return EXIT.cancelled;
  if (interactive || lastTurn === undefined) return EXIT.done;
  return exitCodeOfTurn({ refused, reason: lastTurn });
}
