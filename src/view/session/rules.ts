import type { Envelope } from "../../protocol/events/envelope.ts";

/** Rules of a session that are kept; a person has allowed each of them. */
export const RULES_MAX = 1_000;

/** Returns the rules that people have allowed for a session after one more event; the same list if none changed. */
export function rulesAfter(rules: readonly string[], envelope: Envelope): readonly string[] {
  if (envelope.kind === "RuleRevoked") {
    const rest = rules.filter((rule) => rule !== envelope.payload.rule);
    return rest.length === rules.length ? rules : rest;
  }
  if (envelope.kind !== "PermissionAnswered") return rules;
  const { decision, scope, rule, counted } = envelope.payload;
  const lasts = counted && decision === "allow" && (scope === "argv_glob" || scope === "tool");
  if (!lasts || rule === undefined || rules.includes(rule)) return rules;
  return [...rules.slice(1 - RULES_MAX), rule];
}
