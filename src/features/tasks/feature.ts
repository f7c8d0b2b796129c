import type { Feature } from "../../session/feature.ts";

/** Reports of background tasks, and tasks on a schedule (ENG-24). */
export const tasksFeature: Feature = {
  name: "tasks",
  isUsed: () => true,
  open: async (host) => (await import("./tasks.ts")).openTasks(host),
};
