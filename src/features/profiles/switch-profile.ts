import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Message } from "../../protocol/message.ts";
import { importedTurns, TURNS_IMPORTED_DEFAULT, TURNS_IMPORTED_MAX } from "../compaction/summary/imported.ts";
import { importedBlocks, importedEvent } from "./imported-turns.ts";
import type { PreparedSwitch } from "./profile-switch.ts";
import type { SwitchSources } from "./succession.ts";
import { mustBeAnother, wantedProfile } from "./wanted-profile.ts";

/**
 * Makes ready what takes the place of a session under another profile: a new run on a new log, with the last turns as a
 * summary, or in place a new run on the same one. Level, strictness and limits that were said for the session stay.
 *
 * @throws HarnessError where the profile cannot be used: nothing has changed then.
 */
export async function prepareSwitch(
  sources: SwitchSources,
  { profile: wanted, importTurns = TURNS_IMPORTED_DEFAULT, inPlace = false }: CommandOf<"SwitchProfile">,
  messages: readonly Message[],
): Promise<PreparedSwitch> {
  if (importTurns > TURNS_IMPORTED_MAX) {
    const why = `at most ${TURNS_IMPORTED_MAX} turns can go along (importTurns, --import)`;
    throw new HarnessError("InvalidCommand", { kind: "SwitchProfile", why });
  }
  const { reference, profile } = await wantedProfile(sources, wanted);
  if (inPlace) mustBeAnother(profile, sources);
  const { ids } = sources.defaults.world;
  const way: Way = {
    reference,
    next: ids.next("sess"),
    logId: inPlace ? sources.logId : ids.next("log"),
    names: { from: sources.profile.name, to: profile.name },
  };
  if (inPlace) return onSameLog(sources, way);
  return await onNewLog(
    sources,
    way,
    importedTurns(messages, importTurns, { profile: sources.profile.name, tools: sources.defaults.tools }),
  );
}

/** Where a session goes on. */
interface Way {
  /** What the profile is loaded by. */
  readonly reference: string;
  readonly next: SessionId;
  readonly logId: LogId;
  /** Of the profiles. */
  readonly names: { readonly from: string; readonly to: string };
}

async function onNewLog(
  sources: SwitchSources,
  { reference, next, logId, names }: Way,
  imported: ReturnType<typeof importedTurns>,
): Promise<PreparedSwitch> {
  const { session: previous, workspace, told } = sources;
  const spentBefore = await sources.spentTogether();
  const payload = { ...names, logId, previous, spentBefore };
  const begun = { kind: "ProfileSwitched", payload } as const;
  const succession = {
    session: next,
    logId,
    model: sources.slot.name,
    previousLog: sources.logId,
    spentBefore,
    events: imported === undefined ? [begun] : [begun, importedEvent(imported.turns, imported.text)],
    shown: told,
    ...(imported === undefined ? {} : { imported: importedBlocks(imported.text) }),
  };
  const request = { profile: reference, workingDir: workspace.root };
  return { told: { ...names, logId, next }, open: () => sources.reopen(request, succession) };
}

function onSameLog(sources: SwitchSources, { reference, next, logId, names }: Way): PreparedSwitch {
  const { session: previous, told } = sources;
  const { name: model } = sources.slot;
  const { world, store } = sources.defaults;
  const switched = (from: string, to: string) =>
    ({ kind: "ProfileSwitched", payload: { from, to, logId, previous, inPlace: true } }) as const;
  return {
    told: { ...names, logId, next, inPlace: true },
    async open() {
      const succession = {
        session: next,
        logId,
        model,
        previousLog: sources.logId,
        events: [switched(names.from, names.to)],
        shown: told,
      };
      try {
        return await sources.reopen({ profile: reference, resume: logId }, succession);
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        // The session was left by then: it goes on as it was, and those who followed it find it where they were told.
        const session = (await store.find(next)) === undefined ? next : world.ids.next("sess");
        const { reason, message } = thrown;
        const failed = { kind: "Error", payload: { reason, message } } as const;
        const back = { ...succession, session, events: [failed, switched(names.to, names.from)] };
        const opened = await sources.reopen({ profile: sources.reference, resume: logId }, back);
        return { ...opened, refused: thrown };
      }
    },
  };
}
