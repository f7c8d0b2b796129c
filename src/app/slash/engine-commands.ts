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
    help: "stop the turn that runs (as Ctrl-C does)",
    does: { by: "client", command: "CancelTurn" },
  },
  {
    name: "clear",
    help: "clear the screen; the session keeps everything",
    does: { by: "client" },
  },
  {
    name: "cost",
    help: "what this session has cost, by model, with prices",
    does: { by: "client" },
  },
  {
    name: "model",
    words: "[provider:name]",
    help: "show the model, or go on with another one",
    does: { by: "client", command: "SetModel" },
  },
  {
    name: "effort",
    words: "WORD",
    help: "how hard it thinks: off, low, … high, xhigh or max",
    does: { by: "client", command: "SetModel" },
  },
  {
    name: "steer",
    words: "TEXT",
    help: "tell it to the turn that runs, at its next step",
    isText: true,
    does: { by: "client", command: "SendInput" },
  },
  {
    name: "withdraw",
    words: "[N]",
    help: "list what waits for its turn, or take back number N",
    does: { by: "client", command: "WithdrawInput" },
  },
  {
    name: "drop",
    help: "forget the text that could not be sent and was kept",
    does: { by: "client" },
  },
  {
    name: "health",
    help: "how every part of the engine is",
    does: { query: "GetEngineHealth", shows: { as: "health" } },
  },
  {
    name: "web",
    help: "where this engine's web client is",
    does: {
      query: "GetWebClient",
      shows: { as: "text", text: "{url}", none: NO_WEB },
    },
  },
  {
    name: "resume",
    words: "ID",
    help: "go on with another session; last is the newest",
    does: { by: "client", command: "AttachSession" },
  },
  {
    name: "quit",
    aliases: ["exit"],
    help: "stop the turn that runs, then leave (also /exit)",
    does: { by: "client" },
  },
];
