import { neutraliseLine } from "../client/kit/terminal-text.ts";
import { NEW_TURN } from "../client/kit/turn-record.ts";
import { runLineClient } from "../client/line/line-client.ts";
import type { LineOutcome } from "../client/line/options.ts";
import type { LineTerminal } from "../client/line/terminal.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import type { Invocation } from "./arguments.ts";
import { within } from "./bounded.ts";
import type { ExitCode } from "./exit-codes.ts";
import { EXIT, exitCodeOfTurn } from "./exit-codes.ts";
import { pipeTerminal } from "./pipe-terminal.ts";
import { CLOSE_MS_MAX, tellStart } from "./prompt.ts";
import type { Stop } from "./stop.ts";
import type { Surroundings } from "./surroundings.ts";
import { harnessOptions, surroundingsOf } from "./surroundings.ts";

/**
 * The line client on this process's terminal, or on a pipe.
 *
 * Leaving is exit code 0, Ctrl-C twice or a signal 130; from a pipe, how the last turn ended counts.
 */
export async function runLine(
  { settings, raw }: Extract<Invocation, { kind: "line" }>,
  stop: Stop,
): Promise<ExitCode> {
  const at = surroundingsOf(settings, stop, raw);
  // Lines of a pipe are a script: it may answer for calls, and has read no file of the project.
  const asksTrust = process.stdin.isTTY === true;
  const options = harnessOptions(settings, at, { attended: true, asksTrust });
  const { openHarness } = await import("../harness.ts");
  const harness = await openHarness(options, stop.signal);
  try {
    await tellStart(harness, at);
    const connection = await harness.attach({ identityClass: "human", label: "cinch line client" });
    await connection.handshake(PROTOCOL_VERSION);
    const { session, model, profile } = harness;
    using terminal = await openTerminal(at, stop);
    const start = [session, profile, model].map(neutraliseLine).join(" · ");
    await at.stderr.write(`${start}${terminal.interactive ? " · /help lists commands" : ""}\n`);
    const history = settings.resume !== undefined;
    const { signal } = stop;
    const { clock } = at.world;
    const outcome = await runLineClient({ connection, session, terminal, model, history, clock, signal });
    return exitCodeOfOutcome(outcome, terminal.interactive);
  } finally {
    stop.interrupts(undefined);
    await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(harness[Symbol.asyncDispose]()));
  }
}

async function openTerminal(at: Surroundings, stop: Stop): Promise<LineTerminal & Disposable> {
  if (process.stdin.isTTY !== true) {
    const terminal = pipeTerminal(at.stdout, () => Bun.stdin.stream());
    return { ...terminal, [Symbol.dispose]: () => undefined };
  }
  const { ttyTerminal } = await import("./tty-terminal.ts");
  const canMove = at.stdout.isTerminal && (process.env["TERM"] ?? "dumb") !== "dumb";
  const terminal = ttyTerminal({ output: at.stdout, clock: at.world.clock, canMove });
  stop.interrupts(terminal.interrupt);
  // Whatever ends the process, the terminal is given back as it was (R39).
  process.once("exit", () => terminal[Symbol.dispose]());
  return terminal;
}

function exitCodeOfOutcome({ why, lastTurn }: LineOutcome, interactive: boolean): ExitCode {
  if (why === "interrupt") return EXIT.cancelled;
  if (interactive || lastTurn === undefined) return EXIT.done;
  return exitCodeOfTurn({ ...NEW_TURN, ended: { reason: lastTurn, rounds: 0 } });
}
