import type { TerminalFeature } from "../layout/feature.ts";
import type { Services } from "../layout/services.ts";
import { HelpPanel } from "./help-panel.ts";
import { openPalette } from "./palette.ts";

/** The panels that the key table alone is the source of. */
export function panels(services: Services): TerminalFeature {
  return {
    actions: {
      "app.help": () => services.open(new HelpPanel(services)),
      "app.helpIfEmpty": () => services.open(new HelpPanel(services)),
      "app.palette": () => openPalette(services),
    },
  };
}
