import type { TrustLayout } from "../../session/guard/trust.ts";

/** Folders of skills, each folder in them one skill. */
export const SKILL_FILES: readonly TrustLayout[] = [
  { kind: "skill", in: "project", folder: ".cinch/skills", names: "folders", order: 120 },
  { kind: "skill", in: "project", folder: ".agents/skills", names: "folders", order: 130 },
  { kind: "skill", in: "user", folder: "skills", names: "folders", order: 20 },
  { kind: "skill", in: "shared", folder: "skills", names: "folders", order: 10 },
];
