import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { AnyCommand } from "../../args/parsed-call.ts";
import { PERMISSIONS_FLAGS, PERMISSIONS_VERBS } from "./flags.ts";

export const permissionsCommand: AnyCommand = {
  name: "permissions",
  brief: "see what would be allowed",
  summary: "Tells what would be allowed here, and why, without running it.",
  flags: PERMISSIONS_FLAGS,
  settings: [...COMMON_SETTINGS, "level", "strict-permissions", "plan", "allow", "add-dir"],
  verbs: PERMISSIONS_VERBS,
  examples: [
    { line: "cinch permissions explain 'rm -rf build'", does: "judges a command" },
    { line: "cinch permissions list", does: "lists the rules in force" },
  ],
  load: () => import("./run.ts"),
};
