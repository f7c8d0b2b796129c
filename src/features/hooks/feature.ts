import type { Feature } from "../../session/feature.ts";

/** Programs that run at moments of a session: before and after calls, with a prompt, at the end of a turn (HOOK-01, HOOK-02). */
export const hooksFeature: Feature = {
  name: "hooks",
  steeringFiles: async (at) => (await import("./open.ts")).hookFiles(at),
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openHooks(host),
};
