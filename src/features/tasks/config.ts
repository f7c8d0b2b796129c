import type { TableSection } from "../../session/config-section.ts";

/** `[tasks]`: work in the background. */
export const tasksSection = {
  shape: "table",
  name: "tasks",
  about: "Work in the background and at a later time: [tasks.md](../tasks.md).",
  keys: {
    wake: {
      kind: "boolean",
      key: "wake",
      meaning: "Starts a turn when a background task ends and no turn runs (ENG-24).",
      default: false,
      example: true,
    },
    schedule: {
      kind: "boolean",
      key: "schedule",
      meaning: "Offers the tool ScheduleTask, which asks a person each time.",
      default: false,
      example: true,
    },
  },
} as const satisfies TableSection;
