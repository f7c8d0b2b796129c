import type { Feature } from "../../session/feature.ts";

/** Plan mode: the model reads and plans, and a person approves before anything changes (ENG-21). */
export const planModeFeature: Feature = {
  name: "plan-mode",
  readBack: async () => new (await import("./read-back.ts")).PlanModeReader(),
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openPlanMode(host),
};
