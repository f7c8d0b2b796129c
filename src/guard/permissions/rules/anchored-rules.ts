import { joinPathText } from "../../../base/files/path-text.ts";
import type { Rule } from "../../../session/guard/rule.ts";
import { readsFiles } from "../../../tools/tool-facts.ts";

/**
 * Returns the deny and ask rules about files of a workspace again, each with the absolute path that it means there.
 *
 * A sub-agent in a worktree works elsewhere, where a relative rule is about the worktree. Files that its session may
 * not touch are where they were, and must be out of its reach too.
 */
export function anchoredRules(rules: readonly Rule[], root: string): readonly Rule[] {
  return rules.flatMap((standing) => {
    const { origin: _, ...rule } = standing;
    const { effect, about, match } = rule;
    if (effect === "allow" || match.kind === "any") return [];
    if (!readsFiles(about) && about !== "writes-files") return [];
    // Rules that are about the whole machine already.
    if (match.text.startsWith("/") || match.text.startsWith("**/")) return [];
    const start = match.kind === "glob" ? root.replaceAll(/[*?[\]{}!\\]/g, "\\$&") : root;
    return [{ ...rule, match: { ...match, text: joinPathText(start, match.text) } }];
  });
}
