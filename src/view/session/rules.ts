import { isObject } from "../../base/json.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";

/** Rules of a session that are kept, the newest; a person has allowed each of them. */
export const RULES_MAX = 1_000;
/** Characters of a rule; a longer one is left out, because a shortened one would be another rule. */
const RULE_CHARACTERS_MAX = 16_384;

/** Returns the rules that people have allowed for a session after one more event; the same list if none changed. */
export function rulesAfter(rules: readonly string[], envelope: Envelope): readonly string[] {
  if (envelope.kind === "RuleRevoked") {
    const rest = rules.filter((rule) => rule !== envelope.payload.rule);
    return rest.length === rules.length ? rules : rest;
  }
  if (envelope.kind !== "PermissionAnswered" || !allowsRule(envelope)) return rules;
  const { rule } = envelope.payload;
  if (rule === undefined || rules.includes(rule) || rule.length > RULE_CHARACTERS_MAX) return rules;
  return [...rules.slice(1 - RULES_MAX), rule];
}

/** Returns the rules that a run was opened with, if the event names them. */
export function rulesOpenedWith(event: EnvelopeOf<"CustomEvent">): readonly string[] | undefined {
  return textsIn(event, "RulesAllowed", "rules");
}

/** Returns the folders that were added to the workspace of a run, if the event names them. */
export function foldersOpenedWith(event: EnvelopeOf<"CustomEvent">): readonly string[] | undefined {
  return textsIn(event, "FoldersAdded", "folders");
}

function textsIn(
  { payload }: EnvelopeOf<"CustomEvent">,
  kind: string,
  field: string,
): readonly string[] | undefined {
  if (payload.namespace !== "cinch" || payload.kind !== kind) return undefined;
  const list = isObject(payload.payload) ? payload.payload[field] : undefined;
  if (!Array.isArray(list)) return undefined;
  const texts = list.filter((text) => typeof text === "string" && text.length <= RULE_CHARACTERS_MAX);
  return texts.slice(0, RULES_MAX);
}

/** Returns true for an answer that allows a rule for the rest of the session. */
export function allowsRule({ payload }: EnvelopeOf<"PermissionAnswered">): boolean {
  const { decision, scope, counted } = payload;
  return counted && decision === "allow" && (scope === "argv_glob" || scope === "tool");
}
