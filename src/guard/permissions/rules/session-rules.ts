import type { Rule } from "../../../session/guard/rule.ts";
import { printRule } from "./rule.ts";

const SESSION_RULES_MAX = 256;

/** What a person has allowed for the rest of this run: in memory only, listed, revocable (PERM-03, PERM-07). */
export class SessionRules {
  #rules: readonly Rule[] = [];

  list(): readonly Rule[] {
    return this.#rules;
  }

  /** False when there are `SESSION_RULES_MAX` already: the call goes on, its like will be asked for again. */
  add(rule: Rule): boolean {
    if (this.#rules.some((held) => printRule(held) === printRule(rule))) return true;
    if (this.#rules.length >= SESSION_RULES_MAX) return false;
    this.#rules = [...this.#rules, rule];
    return true;
  }

  /** Takes back the rule with this text form; false where there is none. */
  revoke(text: string): boolean {
    const kept = this.#rules.filter((rule) => printRule(rule) !== text);
    const found = kept.length < this.#rules.length;
    this.#rules = kept;
    return found;
  }
}
