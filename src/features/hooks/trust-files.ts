import type { TrustLayout, TrustLimitContext } from "../../session/guard/trust.ts";
import { projectHooksPart } from "./config.ts";

/** Hooks of a repository, and the scripts that they run. Those of the user are trusted: they are the user's. */
export const HOOK_FILES: readonly TrustLayout[] = [
  { kind: "hook", in: "project", folder: ".cinch", names: /^hooks\.toml$/, order: 40, limit: hooksAreOff },
  { kind: "hook", in: "project", folder: ".cinch/hooks", names: /./, order: 70, limit: hooksAreOff },
];

function hooksAreOff({ settingsOf }: TrustLimitContext): string | undefined {
  return settingsOf(projectHooksPart).allowProjectHooks
    ? undefined
    : "This repository has hooks in .cinch. They do not run; with --allow-project-hooks they do, once you have acknowledged each file.";
}
