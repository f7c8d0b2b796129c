import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { AnyCommand } from "../../args/parsed-call.ts";

export const verifyAckCommand: AnyCommand = {
  name: "verify-ack",
  brief: "check approvals, in CI",
  summary: "Checks that the files of this project are still those that you, or a lock file, approved.",
  about: "Starts nothing and asks nobody. Exit code 5 with the paths that differ.",
  flags: [],
  settings: [...COMMON_SETTINGS, "lockfile"],
  examples: [
    { line: "cinch verify-ack", does: "compares with your own approvals" },
    { line: "cinch verify-ack --lockfile approved.lock", does: "compares with a lock file, in CI" },
  ],
  load: () => import("./run.ts"),
};
