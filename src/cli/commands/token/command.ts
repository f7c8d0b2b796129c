import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { AnyCommand } from "../../args/parsed-call.ts";
import { TOKEN_FLAGS, TOKEN_VERBS } from "./flags.ts";

export const tokenCommand: AnyCommand = {
  name: "token",
  brief: "make a token for a client",
  summary: "Prints a token for a client of the engine that runs, or revokes tokens.",
  flags: TOKEN_FLAGS,
  settings: COMMON_SETTINGS,
  verbs: TOKEN_VERBS,
  examples: [
    {
      line: "cinch token --identity-class agent --session sess_1 --expires 1h",
      does: "prints a token that approves nothing, for one session",
      needs: "its own test",
    },
    { line: "cinch token revoke tok_01J9ZZZZZZZZZZZZZZZZZZZZZZ", does: "rejects a token from now on" },
  ],
  page: "clients.md",
  load: () => import("./run.ts"),
};
