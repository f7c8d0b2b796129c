import type { PayloadOf } from "../../protocol/events/events.ts";

type RuleRequest = Pick<PayloadOf<"PermissionRequested">, "rule" | "prefixes">;

/** Returns true if an answer can name a shorter rule. A path or a quoted command is allowed whole or not at all. */
export function isShortenable({ rule, prefixes = [] }: RuleRequest): boolean {
  return rule !== undefined && (prefixes.length > 0 || isPlainRule(rule));
}

/** Returns the rules that an answer for the session can name, from the exact one to the widest; none without a rule. */
export function ruleChoices({ rule, prefixes = [] }: RuleRequest): readonly string[] {
  if (rule === undefined) return [];
  if (prefixes.length > 0) return [rule, ...prefixes.toReversed().filter((prefix) => prefix !== rule)];
  if (!isPlainRule(rule)) return [rule];
  const { tool, words } = ruleParts(rule);
  const shorter = words
    .slice(1)
    .map((_, at) => `${tool}:${words.slice(0, words.length - 1 - at).join(" ")} *`);
  return [rule, ...shorter];
}

/** Returns true for a rule about a command of plain words. */
export function isPlainRule(rule: string): boolean {
  if (!rule.startsWith("Bash:") || rule.startsWith("Bash:=")) return false;
  const { words } = ruleParts(rule);
  return words.length > 1 && words.every((word) => /^[\w@%+=:,./-]+$/.test(word));
}

/** Returns the tool of a rule, and the words of its pattern. */
export function ruleParts(rule: string): { readonly tool: string; readonly words: readonly string[] } {
  const colon = rule.indexOf(":");
  return {
    tool: rule.slice(0, colon),
    words: rule
      .slice(colon + 1)
      .split(/\s+/)
      .filter((word) => word !== ""),
  };
}
