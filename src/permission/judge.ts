import type { CallPlan, Level, PathUse, Tool } from "../tool/tool.ts";
import { LEVELS } from "../tool/tool.ts";
import { covers, coversPath, restricts } from "./matching.ts";
import type { Place } from "./place.ts";
import { below, grantedPaths } from "./place.ts";
import { isQuiet, isQuietPath } from "./quiet.ts";
import type { Rule } from "./rule.ts";
import { printRule } from "./rule.ts";
import { guarded, mayHoldCredentials } from "./sensitive.ts";

/** What the gate judges by, apart from the rules of the session. */
export interface Policy {
  /** Calls above this level are asked for, whatever the profile's own rules say. */
  readonly ceiling: Level;
  /** The ceiling was set for this run (`--level`): the person's standing rules do not reach above it either. */
  readonly firm: boolean;
  /** Calls above the ceiling are denied, not asked for. */
  readonly strict: boolean;
  /** Whether known reads go unasked; `--strict-permissions` turns it off. */
  readonly quiet: boolean;
  readonly rules: readonly Rule[];
  /** Absolute and resolved: where cinch keeps its configuration, credentials and logs. */
  readonly ownDirectories: readonly string[];
}

export type Decision =
  | { readonly kind: "allow"; readonly why: string; readonly rule?: Rule }
  | { readonly kind: "deny"; readonly why: string; readonly because: "rule"; readonly rule?: Rule }
  | { readonly kind: "deny"; readonly why: string; readonly because: "level"; readonly needs: Level }
  /**
   * `personOnly`: neither a rule nor `--auto-approve` can answer it. `rule`: the ask rule that names the call.
   * `needs`: the level of a call that is above the ceiling.
   */
  | {
      readonly kind: "ask";
      readonly why: string;
      readonly personOnly: boolean;
      readonly rule?: Rule;
      readonly needs?: Level;
    };

/**
 * Decides one call by its plan alone, without side effects (PERM-01, PERM-02).
 *
 * In this order: a deny rule; the level ceiling, in a strict profile; what only a person may grant; an allow of this
 * session; an ask rule; an allow rule or the quiet preset; else ask. A call above the ceiling is asked for, and an
 * answer for the session or a rule in the person's own configuration answers that; a profile's rules and the quiet
 * preset never do.
 */
export function judge(
  plan: CallPlan,
  tool: Pick<Tool, "name" | "level">,
  policy: Policy,
  place: Place,
): Decision {
  const { name } = tool;
  const restricting = (effect: Rule["effect"]) =>
    policy.rules.find((rule) => rule.effect === effect && restricts(rule, plan, name, place));

  const denied = restricting("deny");
  if (denied !== undefined) {
    return {
      kind: "deny",
      because: "rule",
      rule: denied,
      why: `the rule deny "${printRule(denied)}" forbids it`,
    };
  }

  const quiet = policy.quiet && isQuiet(plan, name, place);
  const level = quiet ? "ReadOnly" : levelOf(plan, tool, place);
  const above = LEVELS.indexOf(level) > LEVELS.indexOf(policy.ceiling);
  const aboveText = `it needs the level ${level}, and the ceiling is ${policy.ceiling}`;
  if (above && policy.strict) return { kind: "deny", because: "level", why: aboveText, needs: level };

  const guard = guarded(plan, place, policy.ownDirectories);
  if (guard !== undefined) return { kind: "ask", why: guard, personOnly: true };

  const allows = (counts: (rule: Rule) => boolean, quiet: boolean) =>
    allowedBy(plan, name, {
      place,
      quiet,
      rules: policy.rules.filter((rule) => isAllow(rule) && counts(rule)),
    });

  const answered = allows((rule) => rule.scope === "session", false);
  if (answered !== undefined) return answered;

  const asked = restricting("ask");
  if (asked !== undefined) {
    const why = `the rule ask "${printRule(asked)}" names it`;
    return { kind: "ask", why, personOnly: false, rule: asked };
  }

  const allowed = allows((rule) => !above || (rule.scope === "user" && !policy.firm), policy.quiet);
  if (allowed !== undefined) return allowed;
  if (above) return { kind: "ask", why: aboveText, personOnly: false, needs: level };
  return { kind: "ask", why: "no rule allows it", personOnly: false };
}

/** What a repository says never allows anything. */
function isAllow(rule: Rule): boolean {
  return rule.effect === "allow" && rule.scope !== "project";
}

interface Reach {
  readonly rules: readonly Rule[];
  readonly quiet: boolean;
  readonly place: Place;
}

function allowedBy(plan: CallPlan, tool: string, reach: Reach): Decision | undefined {
  return plan.target.kind === "paths"
    ? allPaths(plan.target.paths, tool, reach)
    : wholeCall(plan, tool, reach);
}

function wholeCall(plan: CallPlan, tool: string, { rules, quiet, place }: Reach): Decision | undefined {
  const rule = rules.find((rule) => covers(rule, plan, tool, place));
  if (rule !== undefined) return allow(rule);
  return quiet && isQuiet(plan, tool, place) ? QUIET : undefined;
}

/** Every path must be covered; a call without any is covered by nothing but a rule for the whole tool. */
function allPaths(
  paths: readonly PathUse[],
  tool: string,
  { rules, quiet, place }: Reach,
): Decision | undefined {
  if (paths.length === 0) {
    const rule = rules.find((rule) => rule.tool === tool && rule.match.kind === "any");
    return rule === undefined ? undefined : allow(rule);
  }
  let first: Rule | undefined;
  for (const use of paths) {
    for (const path of grantedPaths(use, place)) {
      const rule = rules.find((rule) => reaches(rule, path) && coversPath(rule, path, tool, place));
      if (rule === undefined && !(quiet && isQuietPath({ path, access: use.access }, tool, place)))
        return undefined;
      first ??= rule;
    }
  }
  return first === undefined ? QUIET : allow(first);
}

/** A profile's rules are about the work, not about keys that lie beside it. */
function reaches(rule: Rule, path: string): boolean {
  return rule.scope !== "profile" || !mayHoldCredentials(path);
}

const QUIET: Decision = { kind: "allow", why: "it only reads" };

function allow(rule: Rule): Decision {
  return { kind: "allow", rule, why: `the rule allow "${printRule(rule)}" covers it` };
}

/** To write outside the workspace takes full access, whatever the tool says of itself. */
function levelOf(plan: CallPlan, tool: Pick<Tool, "level">, place: Place): Level {
  const { target } = plan;
  const outside =
    target.kind === "paths" &&
    target.paths.some((use) => use.access === "write" && below(place.root, use.path) === undefined);
  return outside ? "DangerFullAccess" : (plan.level ?? tool.level);
}
