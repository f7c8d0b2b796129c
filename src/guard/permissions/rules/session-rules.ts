import type { Rule } from "../../../session/guard/rule.ts";
import { printRule } from "./rule.ts";

const SESSION_RULES_MAX = 256;

/** A rule with the time at which a person allowed it, in milliseconds of the clock. */
export interface AllowedRule {
  readonly rule: Rule;
  readonly atMs: number;
}

/** Rules that a person has allowed for the rest of this run: in memory only, listed, revocable (PERM-03, PERM-07). */
export class SessionRules {
  #allowed: readonly AllowedRule[] = [];
  #rules: readonly Rule[] = [];

  list(): readonly Rule[] {
    return this.#rules;
  }

  /** Returns the rules with their times, in the order in which they were allowed. */
  allowed(): readonly AllowedRule[] {
    return this.#allowed;
  }

  /**
   * Adds a rule. Returns false at the limit of `SESSION_RULES_MAX`: the call continues, and a similar one is asked
   * about again.
   */
  add(rule: Rule, atMs: number): boolean {
    if (this.#rules.some((existing) => printRule(existing) === printRule(rule))) return true;
    if (this.#rules.length >= SESSION_RULES_MAX) return false;
    this.#set([...this.#allowed, { rule, atMs }]);
    return true;
  }

  /** Revokes the rule with this text form; false if there is none. */
  revoke(text: string): boolean {
    const remaining = this.#allowed.filter(({ rule }) => printRule(rule) !== text);
    const found = remaining.length < this.#allowed.length;
    this.#set(remaining);
    return found;
  }

  #set(allowed: readonly AllowedRule[]): void {
    this.#allowed = allowed;
    this.#rules = allowed.map(({ rule }) => rule);
  }
}
