import { assert } from "../../../base/assert.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { Rule } from "../../../session/guard/rule.ts";
import type { PermissionQuestion } from "../../../session/questions.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { CallPlan, PathUse, Tool } from "../../../tools/tool.ts";
import type { Level } from "../../../tools/tool-facts.ts";
import { LEVELS } from "../../../tools/tool-facts.ts";
import type { PatternMatch } from "../rules/command-patterns.ts";
import { coveringRules } from "../rules/command-rules.ts";
import { ruleMatchText } from "../rules/matched-rules.ts";
import { covers, coversPath, restricts } from "../rules/matching.ts";
import { isEnforcedBySandbox } from "../rules/read-rules.ts";
import { printRule } from "../rules/rule.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import { grantedPaths, isInFolders } from "../rules/workspace-paths.ts";
import { isAutoAllowedCall, isAutoAllowedPath, pathConcern } from "./auto-allowed.ts";
import type { CommandFacts, RuleMatch } from "./command-facts.ts";
import { networkNeed } from "./network-need.ts";
import { guardedTarget, mayHoldCredentials } from "./sensitive.ts";

/** Cause of a question about a call, as clients get it. */
export type AskCause = NonNullable<PermissionQuestion["why"]>["cause"];

export type Decision =
  | {
      readonly kind: "allow";
      readonly why: string;
      readonly rule?: Rule;
      /**
       * True if it runs behind a proxy that refuses every host and records it: otherwise it would retry for a minute.
       */
      readonly refusingProxy?: true;
    }
  | { readonly kind: "deny"; readonly why: string; readonly because: "rule"; readonly rule?: Rule }
  /** `limit`: a command too long or too deep to be parsed. `sandbox`: one is required, and there is none. */
  | { readonly kind: "deny"; readonly why: string; readonly because: "limit" | "sandbox" }
  | { readonly kind: "deny"; readonly why: string; readonly because: "level"; readonly needs: Level }
  /**
   * `personOnly`: neither a rule nor `--auto-approve` can answer it. `rule`: the ask rule that names the call.
   * `needs`: the level of a call above the ceiling.
   */
  | {
      readonly kind: "ask";
      readonly why: string;
      readonly cause: AskCause;
      readonly personOnly: boolean;
      readonly rule?: Rule;
      readonly needs?: Level;
      /** Hosts that would have to be listed, if the sandbox does not have the network that the command needs. */
      readonly network?: readonly string[];
      /**
       * True if a rule allows the command, or `--auto-approve` would, but neither gives it the network that it needs.
       */
      readonly isAboutNetwork?: true;
    };

/** Facts about a command beside its plan: without them, none is judged. Other calls need none. */
export interface CommandView {
  readonly facts: CommandFacts;
  /** Hosts that the sandbox allows for this command; absent if no working sandbox confines it. */
  readonly confined?: { readonly hosts: readonly string[]; readonly takesHosts?: true };
  /** True if there is a working sandbox, and this command is to run outside it. */
  readonly runsOutside?: true;
  /** Reason why a required sandbox is missing: only known reads run. */
  readonly refused?: string;
  /** Way to a sandbox that works, if the policy of this session is what stands in its way. */
  readonly refusedRemedy?: string;
}

/** Facts about a tool by which its calls are judged. */
export type JudgedTool = Pick<Tool, "name" | "spelled" | "level" | "effect" | "autoAllowed">;

/**
 * Decides one call by its plan, and a command also by its facts, without side effects (PERM-01, PERM-02).
 *
 * In this order: a command too long to be parsed; a deny rule; the level ceiling, in a strict profile; a required
 * sandbox that is missing; what only a person may grant; what a deny rule may forbid; an allow of this session; an
 * ask rule; an allow rule or the preset for read-only calls; for a command, whether it could be parsed and whether
 * the sandbox confines it; else ask. A call above the ceiling is asked about. An answer for the session, or a rule in
 * the user's own configuration, answers that; a profile's rules and the preset for read-only calls never do.
 */
export function judge(
  plan: CallPlan,
  tool: JudgedTool,
  policy: Policy,
  workspace: WorkspacePaths,
  view?: CommandView,
): Decision {
  assert(
    (plan.target.kind === "command") === (view !== undefined),
    "a command is examined before it is judged",
  );
  const overLimit = view?.facts.analysis.overLimit;
  if (overLimit !== undefined)
    return { kind: "deny", because: "limit", why: `${overLimit}, too much to be judged` };
  const restrictions: Restrictions = {
    naming: (effect, wanted) =>
      policy.rules.find(
        (rule) => rule.effect === effect && restricts(rule, plan, tool, workspace, view?.facts) === wanted,
      ),
    matches: view?.facts.ruleMatches?.filter((each) => !isHiddenBySandbox(each, workspace, view)) ?? [],
  };
  const denied = deniedByRule(restrictions);
  if (denied !== undefined) return denied;

  const quiet = policy.quiet && isAutoAllowedCall(plan, tool, workspace, view?.facts);
  const ceiling = quiet ? undefined : aboveCeiling(plan, tool, policy, workspace, view);
  if (ceiling !== undefined && policy.strict) return { kind: "deny", because: "level", ...ceiling };
  if (view?.refused !== undefined && !quiet)
    return { kind: "deny", because: "sandbox", why: `there is no sandbox for it: ${view.refused}` };

  const guard = quiet ? undefined : guardOf(plan, workspace, policy, view);
  if (guard?.personOnly === true) return { kind: "ask", ...guard };

  const allows = (counts: (rule: Rule) => boolean, quiet: boolean) =>
    allowedBy(plan, tool, {
      workspace,
      quiet,
      parts: policy.quiet,
      facts: view?.facts,
      rules: policy.rules.filter((rule) => isAllow(rule) && counts(rule)),
    });

  const maybeDenied = isLiteral(plan, policy) ? undefined : maybeDeniedByRule(restrictions, view);
  if (maybeDenied !== undefined) return maybeDenied;
  const answered = allows((rule) => rule.scope === "session", false);
  if (answered !== undefined) return networkDecision(answered, view) ?? answered;

  const asked = askedByRule(restrictions);
  if (asked !== undefined) return asked;

  const allowed = allows(
    (rule) => ceiling === undefined || (rule.scope === "user" && !policy.firm),
    policy.quiet,
  );
  if (allowed !== undefined) return quiet ? allowed : (networkDecision(allowed, view) ?? allowed);
  if (guard !== undefined) return { kind: "ask", ...guard };
  const needs = ceiling === undefined ? {} : { needs: ceiling.needs };
  if (view === undefined) {
    const why = ceiling?.why ?? withConcern("no rule allows it", plan, workspace);
    return {
      kind: "ask",
      why,
      cause: ceiling === undefined ? "no-rule" : "level",
      personOnly: false,
      ...needs,
    };
  }
  const decision = judgeCommand(view, policy, ceiling?.why);
  return decision.kind === "ask" ? { ...decision, ...needs } : decision;
}

/** The rules that deny one call, or ask about it. */
interface Restrictions {
  /** Returns the first rule that names the call, surely or maybe. */
  readonly naming: (effect: Rule["effect"], wanted: PatternMatch) => Rule | undefined;
  /** Rules that parts of the command meet, the strictest first. */
  readonly matches: readonly RuleMatch[];
}

/** Denies a call that a deny rule surely names. */
function deniedByRule({ naming, matches: [strictest] }: Restrictions): Decision | undefined {
  if (strictest?.rule.effect === "deny" && strictest.how === "reads")
    return { kind: "deny", because: "rule", rule: strictest.rule, why: ruleMatchText(strictest) };
  const rule = naming("deny", "yes");
  if (rule === undefined) return undefined;
  return { kind: "deny", because: "rule", rule, why: `the rule deny "${printRule(rule)}" forbids it` };
}

/** Asks about a call that a deny rule may name. */
function maybeDeniedByRule(
  { naming, matches: [strictest] }: Restrictions,
  view: CommandView | undefined,
): Decision | undefined {
  const rule = naming("deny", "maybe");
  if (rule !== undefined) {
    const why = `${unknownPart(view?.facts)}, so it may be what the rule deny "${printRule(rule)}" forbids`;
    return { kind: "ask", why, cause: "deny-rule", personOnly: false };
  }
  if (strictest?.rule.effect !== "deny") return undefined;
  return { kind: "ask", why: ruleMatchText(strictest), cause: "deny-rule", personOnly: false };
}

/** Asks about a call that an ask rule names. */
function askedByRule({ naming, matches }: Restrictions): Decision | undefined {
  const ask = (why: string, rule: Rule): Decision => ({
    kind: "ask",
    why,
    cause: "rule",
    personOnly: false,
    rule,
  });
  const rule = naming("ask", "yes") ?? naming("ask", "maybe");
  if (rule !== undefined) return ask(`the rule ask "${printRule(rule)}" names it`, rule);
  const match = matches.find((each) => each.rule.effect === "ask");
  return match === undefined ? undefined : ask(ruleMatchText(match), match.rule);
}

/** Returns the level that a call needs, if it is above the ceiling of the policy, and why. */
function aboveCeiling(
  plan: CallPlan,
  tool: JudgedTool,
  { ceiling }: Policy,
  workspace: WorkspacePaths,
  view: CommandView | undefined,
): { readonly why: string; readonly needs: Level } | undefined {
  const needs = levelOf(plan, tool, workspace, view);
  if (LEVELS.indexOf(needs) <= LEVELS.indexOf(ceiling)) return undefined;
  const levelWhy = plan.levelWhy ?? (needs === "DangerFullAccess" ? rootWhy(plan, workspace) : undefined);
  const since = levelWhy === undefined ? "" : ` since ${levelWhy}`;
  return { why: `it needs the level ${needs}${since}, and the ceiling is ${ceiling}`, needs };
}

/** Puts before a reason what is unusual about the first such path of a call. */
function withConcern(why: string, { target }: CallPlan, workspace: WorkspacePaths): string {
  if (target.kind !== "paths") return why;
  for (const use of target.paths) {
    const concern = pathConcern(use, workspace);
    if (concern !== undefined) return `${concern}, and ${why}`;
  }
  return why;
}

/**
 * Returns true if the sandbox hides what one rule names. It does not hide what git has stored of it. Reading by name
 * is reported at once.
 */
function isHiddenBySandbox(
  { rule, how, stored }: RuleMatch,
  workspace: WorkspacePaths,
  { confined }: CommandView,
): boolean {
  return confined !== undefined && how === "may read" && !stored && isEnforcedBySandbox(rule, workspace.root);
}

/** Decides a command that no rule covers, and that is not known to only read. */
function judgeCommand(
  { facts, confined }: CommandView,
  policy: Policy,
  aboveText: string | undefined,
): Decision {
  const ask = (cause: AskCause, why: string): Extract<Decision, { kind: "ask" }> => ({
    ...{ kind: "ask", why, cause, personOnly: false },
  });
  const { unsure } = facts.analysis;
  if (unsure.length > 0) return ask("grammar", unknownPart(facts));
  const above = aboveText === undefined ? "no-rule" : "level";
  if (confined === undefined) {
    const then = aboveText ?? "no rule allows it";
    return ask(
      above,
      facts.approvalReason === undefined || facts.approvalReason === ""
        ? then
        : `${facts.approvalReason}; ${then}`,
    );
  }
  if (unnamed(facts) !== undefined) return ask("grammar", unknownPart(facts));
  const network = networkNeed(facts.analysis, confined.hosts);
  if (network !== undefined) {
    const isAboutNetwork = network.isSure ? { isAboutNetwork: true as const } : {};
    return { ...ask("network", network.why), network: network.hosts, ...isAboutNetwork };
  }
  if (aboveText !== undefined) return ask(above, aboveText);
  if (policy.bashInSandbox === "ask") {
    const why = `bash_in_sandbox is "ask"; ${facts.approvalReason ?? "known reads are asked for too"}`;
    return ask("setting", why);
  }
  return { kind: "allow", why: "it runs in the sandbox" };
}

/**
 * Changes the decision on a command that a rule allows if the sandbox does not have the network that the command
 * surely needs (SBX-04). An install may be satisfied already, or by a cache: it runs behind a proxy that refuses
 * every host. A command that names its host is asked about: the rule gives it no network, and in the sandbox it could
 * only fail.
 */
function networkDecision(allowed: Decision, view: CommandView | undefined): Decision | undefined {
  if (view?.confined === undefined) return undefined;
  const need = networkNeed(view.facts.analysis, view.confined.hosts);
  if (need === undefined || !need.isSure) return undefined;
  if (allowed.kind === "allow" && need.hosts.length === 0 && view.confined.takesHosts === true)
    return { ...allowed, refusingProxy: true };
  const why = `${allowed.why}, but ${need.why}`;
  return { kind: "ask", why, cause: "network", personOnly: false, network: need.hosts, isAboutNetwork: true };
}

/** Returns the part of a command that is known only when it runs, or that bash and cinch parse differently. */
function unknownPart(facts: CommandFacts | undefined): string {
  const [doubt] = facts?.analysis.unsure ?? [];
  if (doubt !== undefined)
    return `bash may read it in another way than it looks: ${doubt.why} (at character ${doubt.at + 1})`;
  const name = facts === undefined ? undefined : unnamed(facts)?.name;
  if (name === undefined) return "a part of it is only known when it runs";
  return name.text === "" && name.kind === "unknown"
    ? `${name.why} is only known when it runs`
    : `what ${name.text} runs is only known when it runs`;
}

function unnamed({ analysis }: CommandFacts) {
  return analysis.commands.find(({ name }) => name !== undefined && literalOf(name) === undefined);
}

function guardOf(
  plan: CallPlan,
  workspace: WorkspacePaths,
  policy: Policy,
  view: CommandView | undefined,
): Pick<Extract<Decision, { kind: "ask" }>, "why" | "cause" | "personOnly"> | undefined {
  const named = guardedTarget(plan, workspace, policy);
  if (named !== undefined) return { why: named, cause: "protected", personOnly: true };
  if (plan.personOnly !== undefined) return { why: plan.personOnly, cause: "tool", personOnly: true };
  const guarded = view?.facts.guarded;
  if (guarded?.personOnly === true) return { ...guarded, cause: "protected" };
  // A rule is about a command, and a flag about questions: neither grants a run outside the sandbox.
  if (view?.runsOutside === true)
    return { why: "it is to run outside of the sandbox", cause: "outside-sandbox", personOnly: true };
  return guarded === undefined ? undefined : { ...guarded, cause: "protected" };
}

/** A rule that names this very line, character for character, was made with all of it in view. */
function isLiteral({ target }: CallPlan, { rules }: Policy): boolean {
  return (
    target.kind === "command" &&
    rules.some((rule) => isAllow(rule) && rule.match.kind === "literal" && rule.match.text === target.command)
  );
}

/** Settings of a repository never allow anything. */
function isAllow(rule: Rule): boolean {
  return rule.effect === "allow" && rule.scope !== "project";
}

interface Reach {
  readonly rules: readonly Rule[];
  readonly quiet: boolean;
  /** True if the parts of a line that only read need no rule. */
  readonly parts: boolean;
  readonly workspace: WorkspacePaths;
  readonly facts: CommandFacts | undefined;
}

function allowedBy(plan: CallPlan, tool: JudgedTool, reach: Reach): Decision | undefined {
  return plan.target.kind === "paths"
    ? allPaths(plan.target.paths, tool, reach)
    : wholeCall(plan, tool, reach);
}

function wholeCall(
  plan: CallPlan,
  tool: JudgedTool,
  { rules, quiet, parts, workspace, facts }: Reach,
): Decision | undefined {
  const rule = rules.find((rule) => covers(rule, plan, tool, workspace));
  if (rule !== undefined) return allow(rule);
  if (quiet && isAutoAllowedCall(plan, tool, workspace, facts)) return ALLOWED_READ;
  if (facts === undefined || plan.target.kind !== "command") return undefined;
  if (!isInFolders(workspace, plan.target.cwd)) return undefined;
  const [first] =
    coveringRules(
      rules.filter((rule) => rule.tool === tool.name),
      facts,
      parts,
    ) ?? [];
  return first === undefined ? undefined : allow(first);
}

/** Every path must be covered; only a rule for the whole tool covers a call without paths. */
function allPaths(
  paths: readonly PathUse[],
  tool: JudgedTool,
  { rules, quiet, workspace }: Reach,
): Decision | undefined {
  if (paths.length === 0) {
    const rule = rules.find((rule) => rule.tool === tool.name && rule.match.kind === "any");
    return rule === undefined ? undefined : allow(rule);
  }
  let first: Rule | undefined;
  for (const use of paths) {
    for (const path of grantedPaths(use, workspace)) {
      const rule = rules.find((rule) => reaches(rule, path) && coversPath(rule, path, tool.name, workspace));
      if (rule === undefined && !(quiet && isAutoAllowedPath({ path, access: use.access }, tool, workspace)))
        return undefined;
      first ??= rule;
    }
  }
  return first === undefined ? ALLOWED_READ : allow(first);
}

/** A profile's rules are about the work, not about keys that lie beside it. */
function reaches(rule: Rule, path: string): boolean {
  return rule.scope !== "profile" || !mayHoldCredentials(path);
}

const ALLOWED_READ: Decision = { kind: "allow", why: "it only reads" };

function allow(rule: Rule): Decision {
  return { kind: "allow", rule, why: `the rule allow "${printRule(rule)}" covers it` };
}

function isOutside({ path, access }: PathUse, workspace: WorkspacePaths): boolean {
  return access === "write" && (workspace.root === "/" || !isInFolders(workspace, path));
}

function rootWhy({ target }: CallPlan, { root }: WorkspacePaths): string | undefined {
  return root === "/" && target.kind === "paths"
    ? "the workspace is the root of the file system, which holds what is of the system"
    : undefined;
}

/**
 * Returns the level of a call. Writing outside the workspace needs full access, whatever the tool declares; no
 * sandbox allows it. If the workspace is the root of the file system, every file counts as outside.
 */
function levelOf(
  plan: CallPlan,
  tool: Pick<Tool, "level">,
  workspace: WorkspacePaths,
  view: CommandView | undefined,
): Level {
  const { target } = plan;
  if (view?.confined !== undefined && plan.level === undefined) return "WorkspaceWrite";
  const outside = target.kind === "paths" && target.paths.some((use) => isOutside(use, workspace));
  return outside ? "DangerFullAccess" : (plan.level ?? tool.level);
}
