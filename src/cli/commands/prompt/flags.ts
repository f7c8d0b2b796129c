import type { CliFlag, CliWord, SettingName } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { NO_LISTEN, ONE_SESSION_SETTINGS, RUN_SETTINGS } from "../../args/settings-flags.ts";

export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export const PROMPT_SETTINGS: readonly SettingName[] = [
  ...RUN_SETTINGS,
  ...ONE_SESSION_SETTINGS,
  "quiet-cost",
  "orphans",
];

export const PRINT = {
  name: "print",
  short: "p",
  kind: "optional-text",
  placeholder: "PROMPT",
  help: "Answer one prompt and exit, asking nobody. Without PROMPT, standard input is the prompt.",
} as const satisfies CliFlag;

export const OUTPUT_FORMAT = {
  name: "output-format",
  kind: { oneOf: OUTPUT_FORMATS },
  placeholder: "FORMAT",
  help: "text (default; the answer), json (one object) or stream-json (one event a line).",
  needs: ["print"],
  instead: "json",
} as const satisfies CliFlag;

export const OWN_ENGINE = {
  name: "own-engine",
  kind: "switch",
  help: "Use no running engine, and leave none.",
  needs: ["print"],
} as const satisfies CliFlag;

export const PROMPT_FLAGS = [
  PRINT,
  OUTPUT_FORMAT,
  OWN_ENGINE,
  NO_LISTEN,
] as const satisfies readonly CliFlag[];

export const PROMPT_WORDS: readonly CliWord[] = [
  { name: "PROMPT", help: "the prompt, in quotes; - is standard input", optional: true, flag: "print" },
];
export const TOO_MANY_PROMPTS = "put the prompt in quotes";

/** Context of a prompt, of whichever command. */
export type PromptContext = Pick<
  CommandContext<readonly [typeof OUTPUT_FORMAT]>,
  "words" | "flags" | "settings" | "at"
>;
