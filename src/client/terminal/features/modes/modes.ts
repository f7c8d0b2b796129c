import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { ModeSwitch } from "./mode-switch.ts";

/** The mode of the session, in the status line and at the line above the draft, and a key that goes to the next one. */
export function modes(services: Services): TerminalFeature {
  const modeSwitch = new ModeSwitch(services);
  return {
    actions: { "mode.next": () => inBackground(modeSwitch.next(), services) },
    mode: () => modeSwitch.mode,
    opened: () => inBackground(modeSwitch.read(), services),
    changed({ id, kind, parentCall }) {
      // The rules of a profile and answers of a person may allow edits.
      const isAboutRules =
        kind === "ProfileSwitched" || kind === "PermissionAnswered" || kind === "RuleRevoked";
      const isPast = id <= (services.session.open?.past ?? 0);
      if (isAboutRules && parentCall === undefined && !isPast) inBackground(modeSwitch.read(), services);
    },
  };
}
