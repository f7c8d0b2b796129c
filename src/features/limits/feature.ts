import type { Feature } from "../../session/feature.ts";

/** Progress guard, cost cap, cost meter and price lookup of a session (ENG-13, ENG-27, PROV-11). */
export const limitsFeature: Feature = {
  name: "limits",
  inPrograms: {},
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openLimits(host),
};
