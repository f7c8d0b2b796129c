import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

const NO_WEB =
  "This engine serves no web client: this version has none. cinch serve --listen lets other programs attach.";

/** The slash commands of the conversation, and about the engine. */
export const ENGINE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "help",
    help: "list the commands",
    does: { by: "client" },
  },
  {
    name: "cancel",
    help: "cancel the running turn (as Ctrl-C does)",
    does: { by: "client", command: "CancelTurn" },
  },
  {
    name: "clear",
    help: "clear the screen; the session keeps everything",
    does: { by: "client" },
  },
  {
    name: "cost",
    help: "cost of this session by model, with prices",
    does: { by: "client" },
  },
  {
    name: "new",
    help: "begin a new session here, as this client was started",
    does: { by: "client", command: "CreateSession" },
  },
  {
    name: "copy",
    help: "copy the last answer to the terminal's clipboard",
    does: { by: "client" },
  },
  {
    name: "model",
    words: "[provider:name]",
    help: "show the model, or switch to another one",
    does: { by: "client", command: "SetModel" },
  },
  {
    name: "effort",
    words: "WORD",
    help: "how hard it thinks: off, low, … high, xhigh or max",
    does: { by: "client", command: "SetModel" },
  },
  {
    name: "key",
    words: "PROVIDER",
    help: "store a provider's key, which you type unseen",
    does: { by: "client", command: "StoreProviderKey" },
  },
  {
    name: "steer",
    words: "TEXT",
    help: "send TEXT to the running turn at its next step",
    isText: true,
    does: { by: "client", command: "SendInput" },
  },
  {
    name: "withdraw",
    words: "[N]",
    help: "list queued inputs, or withdraw number N",
    does: { by: "client", command: "WithdrawInput" },
  },
  {
    name: "drop",
    help: "discard the text that could not be sent",
    does: { by: "client" },
  },
  {
    name: "health",
    help: "state of each part of the engine",
    does: { query: "GetEngineHealth", shows: { as: "health" } },
  },
  {
    name: "web",
    help: "address of its web client, where it serves one",
    does: {
      query: "GetWebClient",
      shows: { as: "text", text: "{url}", none: NO_WEB },
    },
  },
  {
    name: "resume",
    words: "ID",
    help: "resume another session; last is the newest",
    does: { by: "client", command: "AttachSession" },
  },
  {
    name: "quit",
    aliases: ["exit"],
    help: "cancel the running turn, then leave (also /exit)",
    does: { by: "client" },
  },
];
