import type { TerminalFeature } from "../../layout/feature.ts";
import type { Services } from "../../layout/services.ts";
import { openCosts } from "./cost-panel.ts";

/** The costs of the session as tables. */
export function costs(services: Services): TerminalFeature {
  return {
    actions: { "costs.open": () => openCosts(services) },
    panels: { "/cost": "costs.open" },
  };
}
