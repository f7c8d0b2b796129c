import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { planModeBy } from "../../../../view/session/plan-mode.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { ModeSwitch } from "./mode-switch.ts";

/** The mode of the session, in the status line and at the line above the draft, and a key that goes to the next one. */
export function modes(services: Services): TerminalFeature {
  const modeSwitch = new ModeSwitch(services);
  const settled = async (): Promise<boolean> => {
    try {
      return await modeSwitch.settle();
    } catch (thrown) {
      services.showFailure(thrown);
      return false;
    }
  };
  return {
    actions: { "mode.next": () => inBackground(modeSwitch.next(), services) },
    mode: () => modeSwitch.mode,
    opened: () => modeSwitch.opened(),
    // What is sent counts in the mode that is shown.
    send: () => (modeSwitch.isPending ? settled() : false),
    changed(envelope) {
      const { id, kind, parentCall } = envelope;
      const isPast = services.session.isPast(id);
      if (parentCall !== undefined || isPast) return;
      // The rules of a profile and answers of a person may allow edits.
      const isAboutRules =
        kind === "ProfileSwitched" || kind === "PermissionAnswered" || kind === "RuleRevoked";
      if (isAboutRules) inBackground(modeSwitch.read(), services);
      // The transcript has no line about what the person changes, by a slash command too.
      const by = changedBy(envelope);
      if (by !== undefined && by === services.session.self && !modeSwitch.isPending) modeSwitch.say();
    },
    [Symbol.dispose]: () => modeSwitch[Symbol.dispose](),
  };
}

/** Returns the client that has changed the mode with an event; undefined if none did. */
function changedBy(envelope: Envelope): string | undefined {
  return envelope.kind === "LevelChanged" ? envelope.payload.by : planModeBy(envelope);
}
