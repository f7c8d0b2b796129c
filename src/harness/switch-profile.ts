import { HarnessError } from "../base/errors.ts";
import { importedTurns, TURNS_IMPORTED_DEFAULT, TURNS_IMPORTED_MAX } from "../compaction/imported.ts";
import type { PreparedSwitch } from "../control/multiplex/profile-switch.ts";
import type { CommandOf } from "../protocol/commands.ts";
import type { Message } from "../protocol/message.ts";
import { importedBlocks, importedEvent } from "./imported-turns.ts";
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
  const {
    session: previous,
    logId: current,
    profile: before,
    slot,
    workspace,
    defaults,
    told: shown,
  } = sources;
  const { world, store } = defaults;
  if (importTurns > TURNS_IMPORTED_MAX) {
    const why = `importTurns: at most ${TURNS_IMPORTED_MAX}`;
    throw new HarnessError("InvalidCommand", { kind: "SwitchProfile", why });
  }
  const { reference: name, profile } = await wantedProfile(sources, wanted);
  if (inPlace) mustBeAnother(profile, sources);
  const [next, logId] = [world.ids.next("sess"), inPlace ? current : world.ids.next("log")];
  const names = { from: before.name, to: profile.name };
  const way = inPlace ? { inPlace } : {};
  const { name: model } = slot;
  const told = { ...names, logId, next, ...way };
  const begun = { kind: "ProfileSwitched", payload: { ...names, logId, previous, ...way } } as const;
  const previousLog = current;
  if (!inPlace) {
    const spentBefore = await sources.spentTogether();
    const first = { ...begun, payload: { ...begun.payload, spentBefore } };
    const imported = importedTurns(messages, importTurns, before.name);
    const events = imported === undefined ? [first] : [first, importedEvent(imported.turns, imported.text)];
    const blocks = imported === undefined ? {} : { imported: importedBlocks(imported.text) };
    const succession = {
      session: next,
      logId,
      model,
      previousLog,
      spentBefore,
      events,
      told: shown,
      ...blocks,
    };
    const request = { profile: name, workingDir: workspace.root };
    return { told, open: () => sources.reopen(request, succession) };
  }
  return {
    told,
    async open() {
      const succession = { session: next, logId, model, previousLog, events: [begun], told: shown };
      try {
        return await sources.reopen({ profile: name, resume: logId }, succession);
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        // The session was left by then: it goes on as it was, and those who followed it find it where they were told.
        const session = (await store.find(next)) === undefined ? next : world.ids.next("sess");
        const back = { ...names, from: names.to, to: names.from, logId, previous, inPlace };
        const { reason, message } = thrown;
        const events = [
          { kind: "Error", payload: { reason, message } },
          { kind: "ProfileSwitched", payload: back },
        ] as const;
        const again = { ...succession, session, events };
        const opened = await sources.reopen({ profile: sources.reference, resume: logId }, again);
        return { ...opened, refused: thrown };
      }
    },
  };
}
