import type { Feature } from "../../session/feature.ts";

/** Reports of background tasks, and tasks on a schedule (ENG-24). */
export const tasksFeature: Feature = {
  name: "tasks",
  checks: [{ area: "tasks", load: () => import("./doctor-tasks.ts") }],
  async whileServing({ engine, checkProfile, ...options }) {
    const scheduler = (await import("./open-scheduler.ts")).openScheduler(options, engine, { checkProfile });
    scheduler.start();
    return scheduler;
  },
  isUsed: () => true,
  open: async (host) => (await import("./tasks.ts")).openTasks(host),
};
