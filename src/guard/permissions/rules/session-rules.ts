import type { Rule } from "../../../session/guard/rule.ts";
import { printRule } from "./rule.ts";

const SESSION_RULES_MAX = 256;

/** Rules that a person has allowed for the rest of this run: in memory only, listed, revocable (PERM-03, PERM-07). */
export class SessionRules {
  #rules: readonly Rule[] = [];

  list(): readonly Rule[] {
    return this.#rules;
  }

  /**
   * Adds a rule. Returns false at the limit of `SESSION_RULES_MAX`: the call continues, and a similar one is asked
   * about again.
   */
  add(rule: Rule): boolean {
    if (this.#rules.some((existing) => printRule(existing) === printRule(rule))) return true;
    if (this.#rules.length >= SESSION_RULES_MAX) return false;
    this.#rules = [...this.#rules, rule];
    return true;
  }

  /** Revokes the rule with this text form; false if there is none. */
  revoke(text: string): boolean {
    const remainingRules = this.#rules.filter((rule) => printRule(rule) !== text);
    const found = remainingRules.length < this.#rules.length;
    this.#rules = remainingRules;
    return found;
  }
}
