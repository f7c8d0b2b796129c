import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { diagnosticsSection } from "./config.ts";

/** Language servers and checkers that report after an edit (TOOL-11). */
export const diagnosticsFeature: Feature = {
  name: "diagnostics",
  config: [diagnosticsSection],
  isUsed: (plan) => settingsOf(diagnosticsSection, plan).length > 0,
  open: async (host) => (await import("./open.ts")).openDiagnostics(host),
};
