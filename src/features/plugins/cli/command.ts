import type { CliCommand } from "../../../session/commands/cli-command.ts";
import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import { PLUGINS_FLAGS, PLUGINS_VERBS } from "./flags.ts";

export const pluginsCommand: CliCommand = {
  name: "plugins",
  brief: "list and check plugins",
  summary: "Lists the plugins that your configuration names, and checks one.",
  flags: PLUGINS_FLAGS,
  settings: COMMON_SETTINGS,
  verbs: PLUGINS_VERBS,
  examples: [
    { line: "cinch plugins list", does: "lists them, and whether they may run" },
    { line: "cinch plugins check ./my-plugin", does: "runs one and prints what it adds" },
  ],
  page: "plugins.md",
  load: () => import("./run.ts"),
};
