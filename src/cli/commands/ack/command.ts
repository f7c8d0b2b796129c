import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { AnyCommand } from "../../args/parsed-call.ts";
import { ACK_FLAGS } from "./flags.ts";

export const ackCommand: AnyCommand = {
  name: "ack",
  brief: "approve project files",
  summary: "Shows the files of this project that steer the model, and records which of them you approve.",
  about:
    "Only a person at a terminal can approve a file of a project. Exit code 5 if one is left that was not approved.",
  words: [{ name: "PATH", help: "a file to look at; without one, all", optional: true, many: true }],
  flags: ACK_FLAGS,
  settings: COMMON_SETTINGS,
  examples: [
    { line: "cinch ack", does: "shows each new or changed file and asks" },
    { line: "cinch ack --emit-lockfile approved.lock", does: "also writes a lock file for CI" },
  ],
  load: () => import("./run.ts"),
};
