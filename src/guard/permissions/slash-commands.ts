import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about the rules of a session. */
export const PERMISSION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "permissions",
    help: "what you have allowed for this session",
    isText: true,
    does: { by: "client" },
  },
  {
    name: "permissions:revoke",
    words: "N | RULE",
    help: "take back what was allowed for this session",
    isText: true,
    does: { by: "client", command: "RevokeRule" },
  },
  {
    name: "permissions:promote",
    words: "N | RULE [--everywhere]",
    help: "keep it for later sessions",
    isText: true,
    does: { by: "client", command: "PromoteRule" },
  },
];
