import { unreachable } from "../../../base/assert.ts";
import { defined } from "../../../base/defined.ts";
import type { AskedPart } from "../../../protocol/events/asked-call.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { PermissionQuestion } from "../../../session/questions.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { ToolCall } from "../../../tools/middleware.ts";
import type { CallPlan, PathUse, ToolContext } from "../../../tools/tool.ts";
import { displayFields } from "../../../tools/tool-facts.ts";
import { allowingRules, literalRules } from "../rules/answer.ts";
import { offeredPrefixes } from "../rules/prefix-rules.ts";
import { printRule } from "../rules/rule.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import type { CommandView, Decision, JudgedTool } from "./judge.ts";
import { judge } from "./judge.ts";
import type { NetworkOffer } from "./network-offer.ts";

/** One call before the gate, with the data for its texts. */
export interface JudgedCall {
  readonly call: ToolCall;
  readonly plan: CallPlan;
  readonly workspace: WorkspacePaths;
  readonly view: CommandView | undefined;
  readonly context: ToolContext;
  /** Policy by which the call is judged. */
  readonly policy: Policy;
  /** Network that the command needs and does not have. */
  readonly offer?: NetworkOffer;
  /** The change that would end the question. */
  readonly end?: QuestionEnd;
  readonly options: {
    readonly configPath: string;
    isStorable?(text: string): boolean;
  };
}

type Asked = Extract<Decision, { kind: "ask" }>;

/** A change that would end a question, as clients get it: see `AskedWhy`. */
export type QuestionEnd = NonNullable<NonNullable<PermissionQuestion["why"]>["ends"]>;

/**
 * Returns the question for a person: all of what will run, with nothing hidden in it (PERM-06), why it is asked, and
 * what would end that (PERM-14).
 * @param parts of the command, if it is a compound one.
 */
export function permissionQuestion(
  decision: Asked,
  at: JudgedCall,
  parts: readonly AskedPart[] = [],
): PermissionQuestion {
  const { call, plan, workspace, view, context } = at;
  const onceOnly = isOnceOnly(decision, at);
  const rules = onceOnly ? [] : allowingRules(plan, call.tool, workspace);
  const prefixes = onceOnly ? [] : prefixesFor(at);
  const end = shownEnd(at);
  const summary = summaryOf(plan, call.tool.name, workspace);
  return {
    callId: call.id,
    tool: call.tool.name,
    args: call.input,
    ...displayFields(call.tool),
    originator: context.originator,
    ...agentOf(context),
    summary:
      view?.runsOutside === true || at.offer?.outside !== undefined ? `${OUTSIDE}\n${summary}` : summary,
    reason: visibleLine(
      [
        decision.why,
        ...(decision.network === undefined ? [] : [networkText(decision, at)]),
        ...(onceOnly && !decision.personOnly && at.offer === undefined ? [SECRET] : []),
      ].join(". "),
    ),
    why: { cause: decision.cause, text: visibleLine(decision.why), ...defined({ ends: end }) },
    ...(parts.length === 0 ? {} : { parts: [...parts] }),
    ...(prefixes.length === 0 ? {} : { prefixes: [...prefixes] }),
    ...(onceOnly ? { onceOnly: true } : {}),
    ...(at.offer?.outside === undefined || (at.offer.hosts.length === 0 && at.offer.asksEach !== true)
      ? {}
      : { hosts: at.offer.hosts.map(visibleLine) }),
    // Shown and sent back verbatim, so only if both forms are the same.
    ...(rules.length === 1 && rules[0] !== undefined && rules[0] === visibleLine(rules[0])
      ? { rule: rules[0] }
      : {}),
  };
}

/** Returns the rules by prefix under which a command would run unasked, from the widest to the narrowest. */
function prefixesFor({
  call: { tool },
  plan,
  policy,
  workspace,
  view,
  options,
}: JudgedCall): readonly string[] {
  if (view === undefined) return [];
  return offeredPrefixes({ tool, facts: view.facts, quiet: policy.quiet }).flatMap((rule) => {
    const rules = [...policy.rules, rule];
    const text = printRule(rule);
    const isAllowed = judge(plan, tool, { ...policy, rules }, workspace, view).kind === "allow";
    return isAllowed && options.isStorable?.(text) !== false ? [text] : [];
  });
}

/** Leaves out what nobody can copy from the question: a rule with a secret, or with hidden characters. */
function shownEnd(at: JudgedCall): QuestionEnd | undefined {
  if (at.end?.rule !== undefined && holdsSecret(at)) return undefined;
  const { rule = "", setting = "" } = at.end ?? {};
  return [rule, setting].every((text) => text === visibleLine(text)) ? at.end : undefined;
}

function agentOf({ within }: ToolContext): Pick<PermissionQuestion, "agent"> {
  const agent = within?.agents.at(-1);
  return defined({ agent });
}

/** Precedes the command, so that nobody takes it for a confined one (SBX-04). */
const OUTSIDE = "Outside the sandbox, on this machine itself:";

const SECRET =
  "It holds what looks like a secret, which no rule may hold: an answer counts for this call only. Put the secret into a variable or a file to have a rule for the command";

/**
 * Returns true if an answer may count for this call alone: only a person may grant it, or a rule for it would contain
 * a secret.
 */
export function isOnceOnly(decision: Asked, at: JudgedCall): boolean {
  return decision.personOnly || at.offer !== undefined || holdsSecret(at);
}

function holdsSecret({ plan, call, workspace, options: { isStorable } }: JudgedCall): boolean {
  return (
    isStorable !== undefined && !allowingRules(plan, call.tool, workspace).every((rule) => isStorable(rule))
  );
}

/** Explains what a yes does, and what would help without one. */
function networkText({ network = [] }: Asked, { view, offer }: JudgedCall): string {
  const setting = `To let it through from now on: [sandbox] ${networkSetting(network, view)} in config.toml${hostHint(network, view)}`;
  if (offer !== undefined) {
    const hosts = offer.hosts.map(visibleLine).join(", ");
    const stays =
      offer.asksEach === true
        ? "it runs in the sandbox, and you are asked for the hosts that its proxy refuses"
        : `it stays in the sandbox, where commands of this session then reach ${hosts}`;
    if (offer.outside === undefined) return `Allowed, ${stays}. ${setting}`;
    const other = hosts === "" && offer.asksEach !== true ? "" : `. Or ${stays}`;
    return `Allowed, it runs outside of the sandbox, with your own rights${other}. ${setting}`;
  }
  return `Allowed, it runs in the sandbox all the same, without that; when it has failed, you are asked whether it may run outside. To let it through: [sandbox] ${networkSetting(network, view)} in config.toml${hostHint(network, view)}`;
}

/** Returns the setting that a user would write, with the hosts that are listed already. */
function networkSetting(wanted: readonly string[], view: CommandView | undefined): string {
  const hosts = [...(view?.confined?.hosts ?? []), ...wanted].map((host) => tomlString(visibleLine(host)));
  return `network = [${[...hosts, ...(wanted.length === 0 ? ['"the host it needs"'] : [])].join(", ")}]`;
}

/** Commands that print the address that a program uses by its user's configuration. */
const PRINTS_ADDRESS: ReadonlyMap<string, string> = new Map([
  ["npm", "npm config get registry"],
  ["npx", "npm config get registry"],
  ["pnpm", "pnpm config get registry"],
  ["yarn", "yarn config list"],
  ["pip", "pip config list"],
  ["pip3", "pip3 config list"],
  ["go", "go env GOPROXY"],
  ["git", "git remote -v"],
]);

/**
 * Explains how to find a host that the command line does not name; "" if it names one, or nothing is known of
 * its programs.
 */
function hostHint(wanted: readonly string[], view: CommandView | undefined): string {
  if (wanted.length > 0) return "";
  const names = view?.facts.analysis.commands.flatMap(({ name }) =>
    name === undefined ? [] : [literalOf(name)],
  );
  const [command] = (names ?? []).flatMap((name) => PRINTS_ADDRESS.get(name ?? "") ?? []);
  return command === undefined ? "" : ` (for the host: ${command})`;
}

function summaryOf(plan: CallPlan, tool: string, workspace: WorkspacePaths): string {
  const { target } = plan;
  switch (target.kind) {
    case "none":
      return visibleLine(plan.summary);
    case "url":
      return `${tool}:${visibleLine(target.url)}`;
    case "command":
      // Lines of the command stay separate lines, so that a long one is readable.
      return [
        ...target.command.split("\n").map(visibleLine),
        ...(target.cwd === workspace.root ? [] : [`(in ${visibleLine(target.cwd)})`]),
      ].join("\n");
    case "paths":
      return [...new Set(target.paths.map((use) => `${tool}:${pathText(use)}`))].join("\n");
    default:
      return unreachable(target);
  }
}

function pathText({ path, spelled, linked }: PathUse): string {
  if (linked !== undefined) return `${visibleLine(spelled ?? path)} (another name of ${visibleLine(linked)})`;
  return spelled === undefined
    ? visibleLine(path)
    : `${visibleLine(spelled)} (a link to ${visibleLine(path)})`;
}

export function callName({ plan, call }: JudgedCall): string {
  return visibleLine(plan.summary === call.tool.name ? plan.summary : `${call.tool.name} (${plan.summary})`);
}

export function unattendedText(decision: Asked, at: JudgedCall): string {
  const { call, plan, workspace, options, policy } = at;
  const why = `${callName(at)} needs a person's consent (${visibleLine(decision.why)}), and nobody can be asked in this run.`;
  if (decision.personOnly) return `${why} No rule and no --auto-approve lifts that.`;
  if (decision.network !== undefined) {
    // A rule or --auto-approve would only let it run in the sandbox, and fail there.
    const setting = networkSetting(decision.network, at.view);
    return `${why} The user can let commands reach it with\n[sandbox]\n${setting}\nin ${options.configPath}${hostHint(decision.network, at.view)}.`;
  }
  if (holdsSecret(at))
    return `${why} It holds what looks like a secret, which no rule may hold: put the secret into a variable or a file, or the user allows it with --auto-approve.`;
  const rules = allowingRules(plan, call.tool, workspace).map(tomlString).join(", ");
  const limit = levelLimit(decision, policy);
  const level = limit === undefined ? "" : `${limit.charAt(0).toUpperCase()}${limit.slice(1)}. `;
  return `${why} ${level}The user can allow it with\n[permissions]\nallow = [${rules}]\nin ${options.configPath}, or with --auto-approve.`;
}

/** Says how a level given for this run, a ceiling above all rules, limits a rule; undefined without such a level. */
function levelLimit({ needs }: Asked, { firm, ceiling }: Policy): string | undefined {
  if (!firm) return undefined;
  if (needs === undefined) return `--level ${ceiling} is a ceiling and allows nothing by itself`;
  return `above --level ${ceiling} no rule counts: without it, or with --level ${needs}, one does`;
}

/** Returns what would allow a denied call, as far as anything would. */
export function denialRemedy(decision: Extract<Decision, { kind: "deny" }>): string {
  if (decision.because === "limit") return "Write a script to a file and run that.";
  if (decision.because !== "level") return "No answer or option of this run lifts that.";
  return `What is above it is refused, since strict = true is set. The user can raise it with --level ${decision.needs}.`;
}

/** Quotes a string for TOML: JSON strings are TOML basic strings, except for DEL. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/** A call that has been judged, as far as texts about what would allow it depend on it. */
interface JudgedPlan extends Pick<JudgedCall, "plan" | "workspace" | "view" | "policy"> {
  readonly tool: JudgedTool;
}

/** Returns what would end the question about a call; undefined if nothing does, or it is not asked about. */
export function endOf(decision: Decision, judged: JudgedPlan): QuestionEnd | undefined {
  if (decision.kind !== "ask" || decision.personOnly) return undefined;
  const { plan, tool, workspace, policy, view } = judged;
  if (decision.network !== undefined) {
    const setting = networkSetting(decision.network, view);
    return { setting: `[sandbox] ${setting} in config.toml${hostHint(decision.network, view)}` };
  }
  if (decision.rule !== undefined) return { setting: `remove the rule ask "${printRule(decision.rule)}"` };
  const rules = literalRules(plan, tool, workspace).map((rule) => ({ ...rule, scope: "user" as const }));
  const wider = { ...policy, rules: [...policy.rules, ...rules] };
  if (judge(plan, tool, wider, workspace, view).kind !== "allow") {
    const limit = levelLimit(decision, policy);
    return limit === undefined ? undefined : { setting: limit };
  }
  const texts = allowingRules(plan, tool, workspace);
  const [rule] = texts.length === 1 ? texts : [];
  return { ...defined({ rule }), setting: allowSetting(texts) };
}

function allowSetting(rules: readonly string[]): string {
  return `[permissions] allow = [${rules.map(tomlString).join(", ")}] in config.toml`;
}

/**
 * Returns what would allow a call that is asked about or denied, for a user who asks beforehand.
 * @param judged.end what would end the question.
 */
export function decisionRemedy(
  decision: Decision,
  { plan, tool, workspace, policy, view, end }: JudgedPlan & { readonly end: QuestionEnd | undefined },
): string | undefined {
  switch (decision.kind) {
    case "allow":
      return undefined;
    case "deny":
      if (decision.because === "rule")
        return 'take that rule out where "cinch permissions list" says that it stands; nothing else lifts it';
      if (decision.because === "sandbox")
        return view?.refusedRemedy ?? 'make the sandbox work, or set unavailable = "ask" under [sandbox]';
      return denialRemedy(decision);
    case "ask": {
      if (decision.personOnly)
        return "a person says yes, for this call alone; no rule and no --auto-approve lifts it";
      if (decision.network !== undefined) return end?.setting;
      const person = "a person says yes, or --auto-approve";
      if (decision.rule !== undefined) return `${person}; or take that rule out`;
      const limit = levelLimit(decision, policy);
      const setting = allowSetting(allowingRules(plan, tool, workspace));
      return `${person}, or ${setting}${limit === undefined ? "" : ` (${limit})`}`;
    }
    default:
      return unreachable(decision);
  }
}
