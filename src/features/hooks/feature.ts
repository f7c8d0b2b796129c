import type { Feature } from "../../session/feature.ts";
import { hooksSection } from "./config.ts";

/**
 * Programs that run at moments of a session: before and after calls, with a prompt, at the end of a turn (HOOK-01,
 * HOOK-02).
 */
export const hooksFeature: Feature = {
  name: "hooks",
  config: [hooksSection],
  steeringFiles: async (at) => (await import("./open.ts")).hookScriptPaths(at),
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openHooks(host),
};
