import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import { isFileWithin } from "../../config/run-profile.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { SessionPlan } from "../../session/plan.ts";
import { printRule } from "./rules/rule.ts";
import type { SessionRules } from "./rules/session-rules.ts";

/** Rules in one answer: those of the session first, then the standing ones. */
export const RULES_LISTED_MAX = 1_000;

type RuleList = ResultOf<"ListRules">;

interface RuleListSources {
  readonly world: Pick<World, "files">;
  readonly paths: HarnessPaths;
  readonly session: SessionRules;
  readonly plan: SessionPlan;
  readonly redactor: Redactor;
  /** Root of the workspace. */
  readonly root: string;
}

/**
 * Lists the rules that calls of a session are judged by: those that people allowed in it, then the standing ones, in
 * the order of the policy (PERM-07, CTL-19). Secrets in the text of a rule are redacted.
 */
export async function listRules(sources: RuleListSources): Promise<RuleList> {
  const { world, paths, session, plan, redactor, root } = sources;
  const promotable = !(await isFileWithin(root, plan.profile.path, { world, paths }));
  const rules: RuleList["rules"] = [
    ...session.allowed().map(({ rule, atMs }) => ({
      rule: printRule(rule),
      effect: rule.effect,
      source: "session" as const,
      revocable: true,
      promotable,
      ts: new Date(atMs).toISOString(),
    })),
    ...plan.policy.rules.flatMap((rule) => {
      if (rule.origin === undefined) return [];
      const text = redactor.text(printRule(rule));
      return [{ rule: text, effect: rule.effect, ...rule.origin, revocable: false, promotable: false }];
    }),
  ];
  return { rules: rules.slice(0, RULES_LISTED_MAX), more: rules.length > RULES_LISTED_MAX };
}
