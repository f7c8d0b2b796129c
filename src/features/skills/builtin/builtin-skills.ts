import { encode } from "../../../base/text/text.ts";
import { trustFile } from "../../../guard/trust/ledger/item.ts";
import type { SkillFolder } from "../format/load-skills.ts";
import { SKILL_FILE } from "../format/skill.ts";
import codeReview from "./code-review/SKILL.md" with { type: "text" };
import skillWriting from "./skill-writing/SKILL.md" with { type: "text" };

const TEXTS: ReadonlyMap<string, string> = new Map([
  ["code-review", codeReview],
  ["skill-writing", skillWriting],
]);

const FILE_MODE = 0o400;

/** Returns the built-in skills with these names, in the form of folders that were read. */
export function builtinSkills(names: readonly string[]): readonly SkillFolder[] {
  return names.flatMap((name) => {
    const text = TEXTS.get(name);
    if (text === undefined) return [];
    return [
      { path: `builtin:${name}`, source: "builtin", files: [trustFile(SKILL_FILE, encode(text), FILE_MODE)] },
    ];
  });
}
