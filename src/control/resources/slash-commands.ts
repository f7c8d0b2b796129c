import type { SlashCommandInfo } from "../../protocol/resources.ts";

/** What a person can type behind a slash that the engine carries out; what a client does by itself is its own. */
export const SLASH_COMMANDS: readonly SlashCommandInfo[] = [
  { name: "cancel", usage: "/cancel", help: "stop the turn that runs", command: "CancelTurn" },
  { name: "model", usage: "/model provider:name", help: "go on with another model", command: "SetModel" },
  {
    name: "effort",
    usage: "/effort off|low|medium|high|xhigh|max",
    help: "how hard the model is to think",
    command: "SetModel",
  },
  {
    name: "compact",
    usage: "/compact",
    help: "make the conversation shorter: older turns become a summary",
    command: "CompactSession",
  },
  {
    name: "rewind",
    usage: "/rewind N [files | conversation | both]",
    help: "go back to right before a turn",
    command: "RewindSession",
  },
  {
    name: "plan",
    usage: "/plan [off]",
    help: "plan first: nothing is changed until a person approves a plan",
    command: "EnterPlanMode",
  },
  {
    name: "profile",
    usage: "/profile",
    help: "show the profile in use, with its skills, MCP servers and tools",
    command: "CustomCommand",
  },
  {
    name: "profiles",
    usage: "/profiles:NAME [--import N] [--in-place]",
    help: "go on under another profile, in a new session",
    command: "SwitchProfile",
  },
  {
    name: "permissions:revoke",
    usage: "/permissions revoke N",
    help: "take back what was allowed for this session",
    command: "RevokeRule",
  },
  {
    name: "permissions:promote",
    usage: "/permissions promote N",
    help: "allow it in later sessions too",
    command: "PromoteRule",
  },
  {
    name: "tasks:stop",
    usage: "/tasks:stop N",
    help: "end what runs in the background",
    command: "StopTask",
  },
  { name: "withdraw", usage: "/withdraw N", help: "take back an input that waits", command: "WithdrawInput" },
  { name: "sessions:list", usage: "/sessions:list [--all]", help: "list sessions", command: "CustomCommand" },
  {
    name: "sessions:find",
    usage: "/sessions:find ID",
    help: "find a session by the beginning of its id",
    command: "CustomCommand",
  },
  {
    name: "sessions:branch",
    usage: "/sessions:branch [ID] [at TURN|eN]",
    help: "begin a session with the turns of another",
    command: "CustomCommand",
  },
  {
    name: "sessions:export",
    usage: "/sessions:export [ID] [--format jsonl|markdown] [--output FILE]",
    help: "write a session into a file",
    command: "CustomCommand",
  },
];
