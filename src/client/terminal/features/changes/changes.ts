import { openChanges } from "../../changes/changes-panel.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import type { Services } from "../../layout/services.ts";

/** The files that the session, or a turn of it, has changed. */
export function changes(services: Services): TerminalFeature {
  return {
    actions: { "changes.open": () => openChanges(services) },
    panels: { "/diff": "changes.open" },
  };
}
