import type { Feature } from "../layout/feature.ts";
import type { Services } from "../layout/services.ts";
import { openSessionList } from "./session-panel.ts";

/** Shows another session: the last one of this folder, one from the list, or a new one (CTL-11). */
export function sessionChoice(services: Services): Feature {
  const { session } = services;
  return {
    actions: {
      "session.open": () => openSessionList(services),
      "session.new": () => void session.goTo({ kind: "new" }),
      "session.continue"() {
        const { last } = session;
        if (last !== undefined && session.open === undefined)
          void session.goTo({ kind: "stored", info: last });
      },
    },
  };
}
