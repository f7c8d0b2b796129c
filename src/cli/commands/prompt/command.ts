import type { AnyCommand } from "../../args/parsed-call.ts";
import { PROMPT_FLAGS, PROMPT_SETTINGS, PROMPT_WORDS, TOO_MANY_PROMPTS } from "./flags.ts";

/** The command line with -p. */
export const promptCommand: AnyCommand = {
  name: "-p",
  brief: "answer one prompt and exit",
  summary: "Answers one prompt and exits. Nobody is asked: a call that would need approval is refused.",
  about:
    "Standard output carries the answer and nothing else. A pipe or file on standard input goes along as an attachment, up to 4 MiB of text; a pipe that is silent for 3 s is ignored.",
  words: PROMPT_WORDS,
  tooMany: TOO_MANY_PROMPTS,
  flags: PROMPT_FLAGS,
  settings: PROMPT_SETTINGS,
  needs: "engine",
  examples: [
    { line: 'cinch -p "What does this project do?"', does: "prints the answer", needs: "a key" },
    { line: "git diff | cinch -p 'Review this.' --output-format json", does: "for a script", needs: "a key" },
  ],
  load: () => import("./run.ts"),
};
