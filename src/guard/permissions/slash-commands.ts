import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about the rules of a session. */
export const PERMISSION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "level",
    words: "LEVEL",
    help: "ReadOnly, WorkspaceWrite or DangerFullAccess",
    does: {
      command: "SetLevel",
      fields: { sessionId: { from: "session" }, level: { from: "word", at: 0 } },
      shows: { as: "text", text: "level {level} from the next call on[. {notices}]" },
    },
  },
  {
    name: "permissions",
    help: "permissions granted in this session",
    isText: true,
    does: { by: "client" },
  },
  {
    name: "permissions:revoke",
    words: "N | RULE",
    help: "revoke a permission granted in this session",
    isText: true,
    does: { by: "client", command: "RevokeRule" },
  },
  {
    name: "permissions:promote",
    words: "N | RULE [--everywhere]",
    help: "keep a permission for later sessions",
    isText: true,
    does: { by: "client", command: "PromoteRule" },
  },
];
