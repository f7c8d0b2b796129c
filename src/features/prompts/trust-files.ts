import type { TrustLayout } from "../../session/guard/trust.ts";

/** Files of aliases. */
export const ALIAS_FILES: readonly TrustLayout[] = [
  { kind: "alias-file", in: "project", folder: ".cinch", names: /^aliases\.toml$/, order: 30 },
  { kind: "alias-file", in: "user", folder: ".", names: /^aliases\.toml$/, order: 10 },
];

/** Files of prompts and aliases. */
export const PROMPT_FILES: readonly TrustLayout[] = [
  ...ALIAS_FILES,
  { kind: "prompt-template", in: "project", folder: ".cinch/prompts", names: /\.md$/, order: 110 },
  { kind: "prompt-template", in: "project", folder: ".agents/prompts", names: /\.md$/, order: 150 },
  { kind: "prompt-template", in: "user", folder: "prompts", names: /\.md$/, order: 40 },
];
