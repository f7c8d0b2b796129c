import type { AnyCommand } from "../../args/parsed-call.ts";
import { SESSION_SETTINGS } from "../../args/settings-flags.ts";
import { PROFILE_FLAGS, PROFILE_VERBS } from "./flags.ts";

export const profileCommand: AnyCommand = {
  name: "profile",
  brief: "settings: show and check",
  summary: "Lists profiles, shows every setting and where it comes from, and checks the files.",
  flags: PROFILE_FLAGS,
  settings: SESSION_SETTINGS,
  verbs: PROFILE_VERBS,
  examples: [
    { line: "cinch profile show", does: "shows the settings that a session here would have" },
    { line: "cinch profile check --json", does: "checks the files, for a program" },
  ],
  page: "configuration.md",
  load: () => import("./run.ts"),
};
