import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { AnyCommand } from "../../args/parsed-call.ts";
import { MODELS_FLAGS } from "./flags.ts";

export const modelsCommand: AnyCommand = {
  name: "models",
  brief: "list the models on offer",
  summary: "Lists the models of the configured providers, one provider:name a line, as --model takes it.",
  about: "Each provider is asked. Exit code 1 if none answers.",
  flags: MODELS_FLAGS,
  settings: COMMON_SETTINGS,
  needs: "engine",
  examples: [
    { line: "cinch models", does: "lists them, with context and prices", needs: "a key" },
    { line: "cinch models --json", does: "lists them for a program", needs: "a key" },
  ],
  page: "models.md",
  load: () => import("./run.ts"),
};
