import type { AnyCommand } from "../../args/parsed-call.ts";
import { SERVING_SETTINGS } from "../../args/settings-flags.ts";
import { ACP_FLAGS } from "./flags.ts";

export const acpCommand: AnyCommand = {
  name: "acp",
  brief: "serve an editor",
  summary: "Serves an editor that speaks the Agent Client Protocol, over standard input and output.",
  about: "The editor starts it. Ends when the editor closes its end.",
  flags: ACP_FLAGS,
  settings: SERVING_SETTINGS,
  needs: "shared-engine",
  examples: [
    { line: "cinch acp", does: "the command to name in the editor's settings", needs: "another program" },
    { line: "cinch acp --model zai:glm-4.6", does: "the same, with a model", needs: "another program" },
  ],
  page: "acp.md",
  load: () => import("./run.ts"),
};
