import { placeOf } from "../../../../app/sessions/branch.ts";
import { findSession } from "../../../../app/sessions/find.ts";
import { eventsOf } from "../../../../app/sessions/read.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { ExitCode } from "../../../../session/commands/cli-command.ts";
import { EXIT } from "../../../../session/commands/cli-command.ts";
import { redactedEvents } from "../../../../session/transcript/redacted.ts";
import { envelopeJson } from "../../../../view/wire-json.ts";
import type { SessionsVerbContext } from "../sessions-verb-context.ts";
import { ReplayPrinter } from "./replay-printer.ts";

/** Longest pause that is played, in milliseconds. */
const PAUSE_MS_MAX = 5_000;

/**
 * Runs `cinch sessions replay`: shows a session again from its log alone. Nothing runs again: no model, tool or
 * network (SES-09).
 *
 * At a terminal it steps by keys. Elsewhere, or with --speed, it prints everything, each line with its time.
 */
export async function replaySession(context: SessionsVerbContext): Promise<ExitCode> {
  const { words, sessions, at, stop } = context;
  const { store, world, workingDir } = sessions;
  const info = await findSession(words.target, store, workingDir);
  const since = words.from === undefined ? 0 : (await placeOf(store, info, words.from)) - 1;
  const canStep = process.stdin.isTTY === true && at.stdout.isTerminal;
  if (words.step && !canStep) {
    throw new HarnessError("UsageInvalid", { problem: "--step needs a terminal for keys and output" });
  }
  if (canStep && !words.json && words.speed === undefined) {
    const { stepThrough } = await import("./replay-steps.ts");
    return await stepThrough(context, info, since);
  }
  const printer = new ReplayPrinter(world.ids, { times: true });
  let before: Envelope | undefined;
  for await (const event of redactedEvents(
    eventsOf(store, info, { since, signal: stop.signal, clock: world.clock }),
    sessions.secrets,
  )) {
    if (words.json) {
      await at.stdout.write(envelopeJson(event));
      continue;
    }
    if (words.speed !== undefined) await world.clock.sleep(pauseMs(before, event, words.speed), stop.signal);
    before = event;
    await at.stdout.write(printer.print(event));
  }
  if (!words.json) await at.stdout.write(printer.end());
  return EXIT.done;
}

function pauseMs(before: Envelope | undefined, event: Envelope, speed: number): number {
  const ms = before === undefined ? 0 : Date.parse(event.ts) - Date.parse(before.ts);
  return Math.min(PAUSE_MS_MAX, Math.max(0, ms / speed));
}
