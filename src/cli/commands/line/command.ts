import type { AnyCommand } from "../../args/parsed-call.ts";
import { LINE_FLAGS, LINE_SETTINGS } from "./flags.ts";

/** The command line without a command: cinch itself. */
export const lineCommand: AnyCommand = {
  name: "",
  brief: "work with an agent here",
  summary: "Works with an agent in this directory, line by line. /help lists its commands.",
  about:
    "At a terminal it uses the engine that all clients of this user share. From a pipe it reads one prompt a line.",
  words: [{ name: "PROMPT", help: "the first prompt, in quotes; a single word behind --", optional: true }],
  tooMany: "put the prompt in quotes",
  flags: LINE_FLAGS,
  settings: LINE_SETTINGS,
  needs: "shared-engine-at-terminal",
  examples: [
    { line: "cinch", does: "begins a session", needs: "a person" },
    { line: 'cinch "Why does the build fail?"', does: "begins with a prompt", needs: "a person" },
    { line: "cinch --continue --model zai:glm-4.6", does: "resumes the last one", needs: "a person" },
  ],
  load: () => import("./run.ts"),
};
