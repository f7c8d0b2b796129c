import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const MODELS_FLAGS = [
  { name: "json", kind: "switch", help: "Write one JSON list, for programs." },
] as const satisfies readonly CliFlag[];

export type ModelsContext = CommandContext<typeof MODELS_FLAGS>;
