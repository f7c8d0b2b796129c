import type { Feature } from "../../session/feature.ts";
import { tasksCommand } from "./cli/command.ts";
import { TASK_COMMANDS } from "./commands.ts";
import { tasksSection } from "./config.ts";
import { TASK_TOOLS } from "./tools.ts";

/** Reports of background tasks, and tasks on a schedule (ENG-24). */
export const tasksFeature: Feature = {
  name: "tasks",
  config: [tasksSection],
  tools: TASK_TOOLS,
  commands: TASK_COMMANDS,
  cli: tasksCommand,
  check: { doctor: [{ area: "tasks", load: () => import("./doctor-tasks.ts") }] },
  serving: {
    async beside({ engine, checkProfile, ...options }) {
      const scheduler = (await import("./open-scheduler.ts")).openScheduler(options, engine, {
        checkProfile,
      });
      scheduler.start();
      return scheduler;
    },
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openTasks(host),
};
