import { saidOf } from "../../config/settings/read-section.ts";
import type { Feature } from "../../session/feature.ts";
import { telemetrySection } from "./config.ts";
import type { EngineTelemetry } from "./open.ts";

/** Traces and metrics for OpenTelemetry. Nothing is loaded while it is off. */
export const telemetryFeature: Feature<EngineTelemetry> = {
  name: "telemetry",
  config: [telemetrySection],
  openEngine: async (host) => (await import("./open.ts")).openEngineTelemetry(host),
  isUsed: ({ config }) => saidOf(config.sections, telemetrySection) !== undefined,
  open: async (host, engine) => (await import("./open.ts")).openTelemetry(host, engine),
};
