import type { TerminalFeature } from "../../layout/feature.ts";
import type { Services } from "../../layout/services.ts";
import { HelpPanel } from "./help-panel.ts";
import { openPalette } from "./palette.ts";

/** The panel of all keys and the palette: the table of actions is their only source. */
export function help(services: Services): TerminalFeature {
  return {
    actions: {
      "app.help": () => services.open(new HelpPanel(services)),
      "app.helpIfEmpty": () => services.open(new HelpPanel(services)),
      "app.palette": () => openPalette(services),
    },
  };
}
