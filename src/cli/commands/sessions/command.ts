import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { AnyCommand } from "../../args/parsed-call.ts";
import { SESSIONS_FLAGS } from "./flags.ts";
import { SESSIONS_VERBS } from "./verbs.ts";

export const sessionsCommand: AnyCommand = {
  name: "sessions",
  brief: "stored sessions",
  summary: "Shows stored sessions and manages them. Only resume starts a model.",
  about: "A session gets a new sess_ id each time it is resumed; the earlier ones still name it.",
  flags: SESSIONS_FLAGS,
  settings: COMMON_SETTINGS,
  needs: "engine",
  verbs: SESSIONS_VERBS,
  examples: [
    { line: "cinch sessions list", does: "lists the sessions of this directory" },
    { line: "cinch sessions export last --format markdown", does: "prints the newest one" },
  ],
  page: "sessions.md",
  load: () => import("./run.ts"),
};
