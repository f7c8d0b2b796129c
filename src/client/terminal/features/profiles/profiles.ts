import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { openProfileList } from "./profile-panel.ts";

/** The choice of another profile. The client goes along into the session that continues, whichever client switched. */
export function profiles(services: Services): TerminalFeature {
  const { session } = services;
  return {
    actions: { "profile.open": () => openProfileList(services) },
    panels: { "/profiles": "profile.open" },
    changed({ kind, payload, id, parentCall }) {
      if (kind !== "ProfileSwitched" || parentCall !== undefined || payload.next === undefined) return;
      // An earlier switch stands in the log: the session that is shown is the one that was left then.
      if (session.isPast(id)) return;
      const info = { session: payload.next };
      inBackground(session.goTo({ kind: "stored", info, continues: true }), services);
      if (payload.inPlace !== true)
        services.say(
          `Now in a new session under ${payload.to}. The one before is paused: the session list continues it.`,
        );
    },
  };
}
