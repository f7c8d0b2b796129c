import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Message } from "../../protocol/message.ts";
import type { Handover, PreparedSwitch, Reopen, TurnsSummary } from "../../session/handover.ts";
import type { SessionFeatures, SessionHost } from "../../session/host.ts";
import type { CarriedState } from "../../session/moments.ts";
import { importedBlocks, importedEvent } from "./imported-turns.ts";

/** Default for the turns that a new session takes over from the previous one. */
const TURNS_IMPORTED_DEFAULT = 5;
const TURNS_IMPORTED_MAX = 50;

/** A client's request for a switch, with the conversation so far. */
export interface SwitchRequest<Opened> {
  readonly command: CommandOf<"SwitchProfile">;
  readonly messages: readonly Message[];
  readonly reopen: Reopen<Opened>;
}

/**
 * Prepares the session that follows this one under another profile: a new log with the last turns as a summary, or in
 * place the same log. Level, strictness and limits that were set for the session stay.
 *
 * @throws HarnessError if the profile cannot be used; nothing has changed then.
 */
export async function prepareSwitch<Opened>(
  host: SessionHost,
  features: SessionFeatures,
  { command, messages, reopen }: SwitchRequest<Opened>,
): Promise<PreparedSwitch<Opened>> {
  const { profile: wanted, importTurns = TURNS_IMPORTED_DEFAULT, inPlace = false } = command;
  if (importTurns > TURNS_IMPORTED_MAX) {
    const why = `at most ${TURNS_IMPORTED_MAX} turns can go along (importTurns, --import)`;
    throw new HarnessError("InvalidCommand", { kind: "SwitchProfile", why });
  }
  const { profile: used } = host.plan();
  const { reference, profile } = await host.planUnder(wanted);
  if (inPlace && profile.path === used.path) throw new HarnessError("ProfileInUse", { name: used.name });
  const { ids } = host.world;
  const way: Way<Opened> = {
    reference,
    next: ids.next("sess"),
    logId: inPlace ? host.logId : ids.next("log"),
    names: { from: used.name, to: profile.name },
    carried: carriedBy(host, features),
    reopen,
  };
  if (inPlace) return onSameLog(host, way);
  return await onNewLog(host, way, await features.summary(messages, importTurns));
}

type Carried = CarriedState & { readonly effort?: NonNullable<SessionHost["model"]["chosenEffort"]> };

function carriedBy({ model: { chosenEffort: effort } }: SessionHost, features: SessionFeatures): Carried {
  return { ...features.carries(), ...defined({ effort }) };
}

/** Target of a switch. */
interface Way<Opened> {
  /** Name or path by which the profile is loaded. */
  readonly reference: string;
  readonly next: SessionId;
  readonly logId: LogId;
  /** Names of the profiles. */
  readonly names: { readonly from: string; readonly to: string };
  readonly carried: Carried;
  readonly reopen: Reopen<Opened>;
}

async function onNewLog<Opened>(
  host: SessionHost,
  { reference, next, logId, names, carried, reopen }: Way<Opened>,
  imported: TurnsSummary | undefined,
): Promise<PreparedSwitch<Opened>> {
  const { session: previous, logId: previousLog, workspace, shown, model } = host;
  const spentBefore = await host.budget.together();
  const payload = { ...names, logId, previous, spentBefore };
  const switchEvent = { kind: "ProfileSwitched", payload } as const;
  const handover: Handover = {
    session: next,
    logId,
    model: model.name,
    previousLog,
    spentBefore,
    events:
      imported === undefined ? [switchEvent] : [switchEvent, importedEvent(imported.turns, imported.text)],
    shown,
    ...(imported === undefined ? {} : { imported: importedBlocks(imported.text) }),
  };
  const request = { profile: reference, workingDir: workspace.root };
  return {
    event: { ...names, logId, next },
    open: async () => ({ opened: await reopen(request, handover, carried) }),
  };
}

function onSameLog<Opened>(
  host: SessionHost,
  { reference, next, logId, names, carried, reopen }: Way<Opened>,
): PreparedSwitch<Opened> {
  const { session: previous, shown, world, store } = host;
  const { name: model } = host.model;
  const { reference: currentReference } = host.plan();
  const switched = (from: string, to: string) =>
    ({ kind: "ProfileSwitched", payload: { from, to, logId, previous, inPlace: true } }) as const;
  return {
    event: { ...names, logId, next, inPlace: true },
    async open() {
      const handover: Handover = {
        session: next,
        logId,
        model,
        previousLog: logId,
        events: [switched(names.from, names.to)],
        shown,
      };
      try {
        return { opened: await reopen({ profile: reference, resume: logId }, handover, carried) };
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        // The session has been left by then: it continues as it was, under the id that its subscribers know.
        const session = (await store.find(next)) === undefined ? next : world.ids.next("sess");
        const { reason, message } = thrown;
        const failed = { kind: "Error", payload: { reason, message } } as const;
        const back = { ...handover, session, events: [failed, switched(names.to, names.from)] };
        const opened = await reopen({ profile: currentReference, resume: logId }, back, carried);
        return { opened, refused: thrown };
      }
    },
  };
}
