import type { CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const TOKEN_FLAGS = [
  {
    name: "identity-class",
    kind: { oneOf: ["human", "agent"] },
    placeholder: "human|agent",
    help: "Who uses the client: a person, or a program, which can approve nothing.",
  },
  { name: "session", kind: "text", placeholder: "ID", help: "Only these sessions, separated by commas." },
  { name: "commands", kind: "text", placeholder: "A,B", help: "Only these commands. Default: all." },
  { name: "expires", kind: "text", placeholder: "TIME", help: "Valid for 30m, 24h (default) or 7d." },
  { name: "can-mint", kind: "switch", help: "The client may make narrower tokens itself." },
] as const satisfies readonly CliFlag[];

export const TOKEN_VERBS = [
  {
    name: "",
    summary: "Prints a token for a client of the engine that runs.",
    flags: ["identity-class", "session", "commands", "expires", "can-mint"],
    required: [["identity-class"]],
    needs: "running-engine",
    examples: [
      { line: "cinch token --identity-class human", does: "prints one", needs: "its own test" },
      {
        line: "cinch token --identity-class agent --expires 1h",
        does: "prints one for an agent",
        needs: "its own test",
      },
    ],
  },
  {
    name: "revoke",
    summary: "Rejects tokens from now on, with all that were made from them.",
    words: [
      { name: "ID", help: "a token id (tok_…), or - to read the token from standard input", many: true },
    ],
    flags: [],
    examples: [
      { line: "cinch token revoke tok_01J9ZZZZZZZZZZZZZZZZZZZZZZ", does: "revokes one" },
      { line: "cinch token revoke - <token.txt", does: "revokes the token in a file", needs: "its own test" },
    ],
  },
] as const satisfies readonly CliVerb[];

export type TokenContext = CommandContext<typeof TOKEN_FLAGS, (typeof TOKEN_VERBS)[number]["name"]>;
