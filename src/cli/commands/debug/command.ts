import type { AnyCommand } from "../../args/parsed-call.ts";
import { PROMPT_SETTINGS, PROMPT_WORDS, TOO_MANY_PROMPTS } from "../prompt/flags.ts";
import { DEBUG_FLAGS } from "./flags.ts";

export const debugCommand: AnyCommand = {
  name: "debug",
  brief: "dump provider traffic",
  summary: "Runs as cinch or cinch -p do and dumps the provider traffic, or prints such a dump.",
  words: PROMPT_WORDS,
  tooMany: TOO_MANY_PROMPTS,
  flags: DEBUG_FLAGS,
  settings: PROMPT_SETTINGS,
  required: [["raw", "show"]],
  needs: "engine",
  examples: [
    { line: 'cinch debug --raw -p "Hello."', does: "dumps one run", needs: "a key" },
    { line: "cinch debug --show dump.jsonl.sealed", does: "prints a dump", needs: "its own test" },
  ],
  load: () => import("./run.ts"),
};
