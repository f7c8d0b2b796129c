import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `session/turns/`, with their texts for people. */
export const ERRORS = errorsOf({
  TurnInProgress:
    "Another client is sending input to this session (started by <originator> at <ts>). Wait, or send /cancel to interrupt.",
  PromptRefused: "A UserPromptSubmit hook has refused the prompt: <why>",
  InvalidCommand: "The command <kind> cannot be carried out: <why>",
  NotOnThisMachine:
    "The command <kind> holds a secret. It is accepted in the engine's own process and over the Unix socket of its owner alone, and this client came another way (<wire>). <remedy>",
  InputQueueFull:
    "<count> inputs wait in this session already, and no more are accepted. Wait until one has run, or withdraw one.",
  ShellQueueFull:
    "<count> commands wait in this session already, and no more are accepted. Wait until one has ended, or stop one.",
  SessionEnding:
    "The session <id> is being ended and takes no new commands. Wait for its SessionEnded, then continue it with AttachSession.",
  EngineStopping: "The engine is shutting down and takes no new commands.",
  TurnInterrupted:
    "Turn <turn> was cut short, because cinch ended while it ran. What was done until then is in the session. Send again to go on.",
});
