import type { CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const CREDS_FLAGS = [
  {
    name: "from-env",
    kind: "text",
    placeholder: "NAME",
    help: "add: take the key from this variable. rotate: the variable that holds the old machine key.",
  },
] as const satisfies readonly CliFlag[];

/** Advice that replaces a word that may be a key. */
export const ON_THE_COMMAND_LINE =
  "a key on the command line stays in the shell's history and is seen by every process of this machine; leave it out and type it when asked, pipe it in, or name a variable that holds it with --from-env";

const PROVIDER = { name: "PROVIDER", help: "a provider with a key, such as anthropic, or mcp:SERVER" };
const ACCOUNT = { name: "ACCOUNT", help: "one of several keys of a provider", optional: true };
const ADDRESS = { name: "URL|ACCOUNT", help: "the address of an MCP server, or an account", optional: true };
const SCOPES = { name: "SCOPE", help: "rights to ask an MCP server for", optional: true, many: true };
const tooMany = ON_THE_COMMAND_LINE;

export const CREDS_VERBS = [
  {
    name: "add",
    summary: "Stores a key, encrypted. Type it when asked, or pipe it in.",
    words: [PROVIDER, { ...ADDRESS, many: true }],
    flags: ["from-env"],
    examples: [
      { line: "cinch creds add anthropic", does: "asks for the key", needs: "a person" },
      { line: "cinch creds add openai --from-env OPENAI_KEY", does: "takes it from a variable" },
    ],
  },
  {
    name: "list",
    summary: "Lists the keys and where each comes from. Never prints one.",
    tooMany: "leave out what follows",
    flags: [],
    examples: [{ line: "cinch creds list", does: "lists them" }],
  },
  {
    name: "delete",
    summary: "Deletes a stored key.",
    words: [PROVIDER, ACCOUNT],
    tooMany,
    flags: [],
    examples: [
      { line: "cinch creds delete openai", does: "deletes the key of the account `default`" },
      { line: "cinch creds delete openai default", does: "names the account too" },
    ],
  },
  {
    name: "login",
    summary: "Logs in at GitHub Copilot (copilot) or a remote MCP server (mcp:SERVER), in a browser.",
    words: [PROVIDER, ADDRESS, SCOPES],
    flags: [],
    examples: [
      { line: "cinch creds login copilot", does: "shows a code to enter", needs: "a person" },
      {
        line: "cinch creds login mcp:issues https://issues.example/mcp",
        does: "logs in to an MCP server",
        needs: "a person",
      },
    ],
  },
  {
    name: "logout",
    summary: "Deletes what a login has stored.",
    words: [PROVIDER, { ...ACCOUNT, many: true }],
    flags: [],
    examples: [
      { line: "cinch creds logout mcp:issues", does: "forgets a server", needs: "its own test" },
      { line: "cinch creds logout copilot", does: "forgets the GitHub account", needs: "its own test" },
    ],
  },
  {
    name: "rotate",
    summary: "Puts keys and sessions under the machine key of now.",
    tooMany: "leave out what follows",
    flags: ["from-env"],
    examples: [
      {
        line: "cinch creds rotate --from-env OLD_KEY",
        does: "reads what the old key sealed",
        needs: "its own test",
      },
      {
        line: "OLD_KEY=$(cat old.key) cinch creds rotate --from-env OLD_KEY",
        does: "with the key of a backup",
        needs: "its own test",
      },
    ],
  },
] as const satisfies readonly CliVerb[];

export type CredsContext = CommandContext<typeof CREDS_FLAGS, (typeof CREDS_VERBS)[number]["name"]>;
