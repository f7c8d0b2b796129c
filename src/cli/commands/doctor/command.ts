import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { AnyCommand } from "../../args/parsed-call.ts";
import { DOCTOR_FLAGS } from "./flags.ts";

export const doctorCommand: AnyCommand = {
  name: "doctor",
  brief: "look for damage",
  summary: "Looks for damage in what cinch keeps on this machine, and says what to do about it.",
  about: "Changes nothing. Exit code 1 if something is damaged.",
  flags: DOCTOR_FLAGS,
  settings: COMMON_SETTINGS,
  needs: "engine",
  examples: [
    { line: "cinch doctor", does: "looks at configuration and sessions" },
    { line: "cinch doctor --full --json", does: "opens every content, for a program" },
  ],
  load: () => import("./run.ts"),
};
