import { findSession } from "../../../app/sessions/find.ts";
import { eventsOf } from "../../../app/sessions/read.ts";
import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { LogInfo } from "../../../session/store/store.ts";
import { rewindText } from "../../../view/texts/rewind-text.ts";
import { isTurnStarted } from "../../../view/turn-marks.ts";
import { printStartNotices } from "../../io/start-notices.ts";
import { harnessOptions } from "../../process-context.ts";
import { CLOSE_MS_MAX, within } from "../../processes/within.ts";
import type { Settings } from "../../settings.ts";
import type { SessionsVerbContext } from "./sessions-verb-context.ts";

/**
 * Rewinds a stored session without a model: its files, its conversation or both (SES-15). Files that were changed by
 * others since stay, unless --force is given.
 */
export async function rewindSession({ words, sessions, at, stop }: SessionsVerbContext): Promise<ExitCode> {
  const info = await findSession(words.target, sessions.store, sessions.workingDir);
  const to = await eventAt(info, { words, sessions, signal: stop.signal });
  const { openHarness } = await import("../../../app/harness.ts");
  // No model reads anything here, so nothing of the project has to be trusted.
  const settings: Settings = {
    ...words.settings,
    resume: { kind: "id", id: info.logId },
    withoutProject: true,
  };
  const harness = await openHarness(await harnessOptions(settings, at, { attended: false }), stop.signal);
  try {
    await printStartNotices(harness, at);
    const connection = await harness.attach({ identityClass: "human", label: "cinch sessions rewind" });
    await connection.handshake(PROTOCOL_VERSION);
    const accepted = await connection.send({
      kind: "RewindSession",
      sessionId: harness.session,
      to,
      what: words.what,
      ...(words.preview ? { preview: true } : {}),
      overwrite: words.force ? ["contested", "foreign"] : [],
    });
    const { readAccepted } = await import("../../../protocol/commands/results.ts");
    const { result } = readAccepted("RewindSession", accepted);
    const undo = (event: number) =>
      `cinch sessions rewind ${info.session} --to e${event}${partOf(words.what)}`;
    await at.stdout.write(
      `${words.json || result === undefined ? JSON.stringify(accepted.result) : rewindText(result, { undo })}\n`,
    );
    return result !== undefined && (words.preview || result.done) ? EXIT.done : EXIT.failed;
  } finally {
    await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(harness[Symbol.asyncDispose]()));
  }
}

/** Returns the part that the flags name. Default: both. */
function partOf(what: SessionsVerbContext["words"]["what"]): string {
  return what === "both" ? "" : ` --${what}`;
}

type Looking = Pick<SessionsVerbContext, "words" | "sessions"> & { readonly signal: AbortSignal };

/**
 * Returns the event to go back to: the start of the named turn.
 * @throws HarnessError UsageInvalid if it does not exist.
 */
async function eventAt(info: LogInfo, { words, sessions, signal }: Looking): Promise<number> {
  const { to } = words;
  if (to === undefined) return 0;
  if (to.kind === "event") return to.event;
  for await (const event of eventsOf(sessions.store, info, { signal, clock: sessions.world.clock })) {
    if (isTurnStarted(event, to.turn)) return event.id;
  }
  const problem = `the session ${info.session} has no turn ${to.turn}; it has ${count(info.turns, "turn")}`;
  throw new HarnessError("UsageInvalid", { problem });
}
