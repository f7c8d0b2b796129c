import type { Feature } from "../../session/feature.ts";
import { PLAN_COMMANDS } from "./commands.ts";
import { PLAN_MODE_TOOLS } from "./tools.ts";

/** Plan mode: the model reads and plans, and a person approves before anything changes (ENG-21). */
export const planModeFeature: Feature = {
  name: "plan-mode",
  tools: PLAN_MODE_TOOLS,
  commands: PLAN_COMMANDS,
  serving: { handshake: [{ name: "plan_mode", order: 10 }] },
  stored: { readBack: async () => new (await import("./read-back.ts")).PlanModeReader() },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openPlanMode(host),
};
