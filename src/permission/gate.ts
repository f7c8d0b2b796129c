import { assert, unreachable } from "../base/assert.ts";
import type { Reason } from "../base/reasons.ts";
import { reasonText } from "../base/reasons.ts";
import type { Files } from "../base/world.ts";
import type { AskPermission, PermissionQuestion } from "../control/ask.ts";
import type { Confinement } from "../sandbox/sandbox.ts";
import type { ToolCall, ToolMiddleware } from "../tool/middleware.ts";
import { fails } from "../tool/output.ts";
import type { CallPlan, PathUse, ToolContext } from "../tool/tool.ts";
import { visible } from "../trust/hidden.ts";
import { allowingRules, rulesFromAnswer } from "./answer.ts";
import type { Look } from "./command-facts.ts";
import type { CommandTarget } from "./facts.ts";
import type { CommandView, Decision, Policy } from "./judge.ts";
import { judge } from "./judge.ts";
import type { Place } from "./place.ts";
import { readRules } from "./read-rules.ts";
import type { SessionRules } from "./session-rules.ts";
import { withheldFrom } from "./withheld.ts";

export interface GateOptions {
  readonly policy: Policy;
  readonly session: SessionRules;
  readonly ask: AskPermission;
  /** Answers asks with yes. Lifts no deny rule, no strict ceiling, nothing that takes a person. */
  readonly autoApprove: boolean;
  /** What will hold the command of a plan. Absent: nothing does, and each one is asked for. */
  confinement?(plan: CallPlan): Promise<Confinement>;
  /** Where a person would write a rule: named in refusals. */
  readonly configPath: string;
  /** Told of every call that was not let through, for the exit code 3 of a run that nobody watches. */
  onRefused?(refusal: Refusal, context: ToolContext): void;
}

/**
 * Why a call did not run: a rule, the ceiling of a strict profile, a command too long to be judged, no sandbox where
 * there should be one, nobody there to ask, no answer, or a no.
 */
export interface Refusal {
  readonly call: ToolCall;
  readonly because: "rule" | "level" | "limit" | "sandbox" | "nobody" | "timeout" | "answer";
  /** What the model is told: what was refused, why, and what would allow it. */
  readonly text: string;
}

/**
 * The permission gate: lets a call through, asks a person, or refuses it with a result the model can plan around
 * ([A] § Permission UX, PERM-01, PERM-03, PERM-12).
 *
 * It judges `call.plan` and nothing else, and hands on that very call (PERM-10). Who may answer is the asker's
 * business; where nobody can, the call is refused at once, with the rule that would allow it.
 * @throws signal.reason when the turn is cancelled while a person is asked.
 */
export function permissionGate(options: GateOptions): ToolMiddleware {
  return async function permission(call, context, next) {
    const { plan } = call;
    assert(plan !== undefined, "a call is planned before the permission gate sees it");
    const place = placeOf(context);
    const { autoApprove } = options;
    const policy = policyNow(options);
    const view = await viewOf(plan, place, { context, options });
    const decision = judge(plan, call.tool, policy, place, view);
    const refusal = await settle(decision, { call, plan, place, view, context, options });
    if (refusal !== undefined) {
      options.onRefused?.({ call, because: refusal.because, text: refusal.text }, context);
      // The reason stands first, as a word of its own, so that it can be told from the words around it.
      return fails(`${refusal.reason}: ${refusal.text}`);
    }
    context.signal.throwIfAborted(); // the last look before the call has effects
    if (plan.target.kind !== "paths") return next(call, context);
    const withholds = withheldFrom({ plan, tool: call.tool, policy, place, decision, autoApprove });
    return next(call, { ...context, withholds });
  };
}

/**
 * Tells whether a command that failed in the sandbox may be tried outside it, if a person says so: whether it would be
 * asked for there, or allowed, and not denied (SBX-04).
 */
export async function mayLeave(
  options: Pick<GateOptions, "policy" | "session">,
  call: ToolCall,
  context: ToolContext,
): Promise<boolean> {
  const { plan } = call;
  if (plan?.target.kind !== "command") return false;
  const place = placeOf(context);
  const { files } = context.world;
  const { examine } = await import("./command-facts.ts");
  const facts = await examine(plan.target, place, lookOf(options.policy, place, files));
  return judge(plan, call.tool, policyNow(options), place, { facts }).kind !== "deny";
}

/** What is known of a command: read once, looked at once, and judged by that (PERM-10). */
async function viewOf(
  plan: CallPlan,
  place: Place,
  { context, options }: Pick<Case, "context" | "options">,
): Promise<CommandView | undefined> {
  const { target } = plan;
  if (target.kind !== "command") return undefined;
  const { files } = context.world;
  const { examine } = await import("./command-facts.ts"); // no command, no parser of command lines
  const [facts, confinement] = await Promise.all([
    examine(target, place, lookOf(options.policy, place, files)),
    options.confinement?.(plan) ?? NO_CONFINEMENT,
  ]);
  return { facts, ...confinedBy(confinement, target) };
}

/** What a command line is looked at with, by a policy. */
export function lookOf({ ownDirectories, steering = [], rules }: Policy, place: Place, files: Files): Look {
  return { files, ownDirectories, steering, reading: readRules(rules, place) };
}

const NO_CONFINEMENT: Confinement = { kind: "none", why: "there is no sandbox", policy: "ask" };

/** How a sandbox, or the want of one, bears on a command. */
export function confinedBy(confinement: Confinement, target: CommandTarget): Omit<CommandView, "facts"> {
  if (confinement.kind === "none") return confinement.policy === "refuse" ? { refused: confinement.why } : {};
  if (target.outside === true) return { leaves: true };
  return { confined: { hosts: confinement.network === "off" ? [] : confinement.network } };
}

function placeOf({ workspace }: ToolContext): Place {
  const home = workspace.env["HOME"];
  return { root: workspace.root, scratch: workspace.scratch, ...(home === undefined ? {} : { home }) };
}

function policyNow({ policy, session }: Pick<GateOptions, "policy" | "session">): Policy {
  return { ...policy, rules: [...policy.rules, ...session.list()] };
}

interface Case {
  readonly call: ToolCall;
  readonly plan: CallPlan;
  readonly place: Place;
  readonly view: CommandView | undefined;
  readonly context: ToolContext;
  readonly options: GateOptions;
}

interface Refused {
  readonly because: Refusal["because"];
  readonly reason: Reason;
  readonly text: string;
}

async function settle(decision: Decision, at: Case): Promise<Refused | undefined> {
  switch (decision.kind) {
    case "allow":
      return undefined;
    case "deny":
      return {
        because: decision.because,
        reason: "PermissionDenied",
        text: `${nameOf(at)} is not allowed: ${visible(decision.why)}. ${liftedBy(decision)}`,
      };
    case "ask":
      return at.options.autoApprove && !decision.personOnly ? undefined : await askPerson(decision, at);
    default:
      return unreachable(decision);
  }
}

async function askPerson(
  decision: Extract<Decision, { kind: "ask" }>,
  at: Case,
): Promise<Refused | undefined> {
  const { call, plan, place, view, context, options } = at;
  const tool = call.tool.name;
  const answer = await options.ask(question(decision, at), context.signal);
  switch (answer.kind) {
    case "nobody":
      return { because: "nobody", reason: "PermissionDenied", text: nobodyText(decision, at) };
    case "timeout": {
      const timeout = String(answer.afterMs / 1000);
      return {
        because: "timeout",
        reason: "PermissionTimeout",
        text: reasonText("PermissionTimeout", { tool, timeout }),
      };
    }
    case "answered": {
      if (answer.decision === "deny") {
        const text = reasonText("PermissionDenied", { tool, client: answer.by });
        return { because: "answer", reason: "PermissionDenied", text };
      }
      if (decision.personOnly) return undefined; // each such call takes an answer of its own
      const analysis = view?.facts.analysis;
      for (const rule of rulesFromAnswer(answer, { plan, tool, place, analysis })) options.session.add(rule);
      return undefined;
    }
    default:
      return unreachable(answer);
  }
}

/** What a person is shown: the whole of what will run, with nothing hidden in it (PERM-06). */
function question(decision: Extract<Decision, { kind: "ask" }>, at: Case): PermissionQuestion {
  const { call, plan, place, view, context } = at;
  const rules = decision.personOnly ? [] : allowingRules(plan, call.tool.name, place);
  const summary = summaryOf(plan, call.tool.name, place);
  return {
    callId: call.id,
    tool: call.tool.name,
    args: call.input,
    originator: context.originator,
    summary: view?.leaves === true ? `${OUTSIDE}\n${summary}` : summary,
    reason: visible(
      decision.network === undefined ? decision.why : `${decision.why}. ${networkText(decision, at)}`,
    ),
    ...(decision.personOnly ? { onceOnly: true } : {}),
    // Shown as it is and sent back as it is, so only where both are the same.
    ...(rules.length === 1 && rules[0] !== undefined && rules[0] === visible(rules[0])
      ? { rule: rules[0] }
      : {}),
  };
}

/** Before the command, so that nobody takes it for one that the sandbox holds (SBX-04). */
const OUTSIDE = "Outside the sandbox, on this machine itself:";

/** To allow it is not to leave the sandbox: what a yes does, and what would help. */
function networkText({ network = [] }: Extract<Decision, { kind: "ask" }>, { view }: Case): string {
  return `Allowed, it runs in the sandbox all the same, without that; when it has failed, you are asked whether it may run outside. To let it through: [sandbox] ${networkSetting(network, view)} in config.toml`;
}

/** What a person would write, with the hosts that are listed already. */
function networkSetting(wanted: readonly string[], view: CommandView | undefined): string {
  const hosts = [...(view?.confined?.hosts ?? []), ...wanted].map((host) => tomlString(visible(host)));
  return `network = [${[...hosts, ...(wanted.length === 0 ? ['"the host it needs"'] : [])].join(", ")}]`;
}

function summaryOf(plan: CallPlan, tool: string, place: Place): string {
  const { target } = plan;
  switch (target.kind) {
    case "none":
      return visible(plan.summary);
    case "url":
      return `${tool}:${visible(target.url)}`;
    case "command":
      // A line of the command stays a line, so that a long one can be read.
      return [
        ...target.command.split("\n").map(visible),
        ...(target.cwd === place.root ? [] : [`(in ${visible(target.cwd)})`]),
      ].join("\n");
    case "paths":
      return [...new Set(target.paths.map((use) => `${tool}:${pathText(use)}`))].join("\n");
    default:
      return unreachable(target);
  }
}

function pathText({ path, spelled }: PathUse): string {
  return spelled === undefined ? visible(path) : `${visible(spelled)} (a link to ${visible(path)})`;
}

function nameOf({ plan, call }: Case): string {
  return visible(plan.summary === call.tool.name ? plan.summary : `${call.tool.name} (${plan.summary})`);
}

function nobodyText(decision: Extract<Decision, { kind: "ask" }>, at: Case): string {
  const { call, plan, place, options } = at;
  const why = `${nameOf(at)} needs a person's consent (${visible(decision.why)}), and nobody can be asked in this run.`;
  const onward = "Go on without it, or say what could not be done.";
  if (decision.personOnly) return `${why} No rule and no --auto-approve lifts that. ${onward}`;
  if (decision.network !== undefined) {
    // A rule or --auto-approve would only let it run in the sandbox, and fail there.
    const setting = networkSetting(decision.network, at.view);
    return `${why} The user can let commands reach it with\n[sandbox]\n${setting}\nin ${options.configPath}. ${onward}`;
  }
  const rules = allowingRules(plan, call.tool.name, place).map(tomlString).join(", ");
  const level = levelText(decision, options.policy);
  return `${why} ${level}The user can allow it with\n[permissions]\nallow = [${rules}]\nin ${options.configPath}, or with --auto-approve. ${onward}`;
}

/** What a level that was given for this run has to do with the refusal: it is a ceiling, over all rules. */
function levelText({ needs }: Extract<Decision, { kind: "ask" }>, { firm, ceiling }: Policy): string {
  if (!firm) return "";
  if (needs === undefined) return `--level ${ceiling} is a ceiling and allows nothing by itself. `;
  return `Above --level ${ceiling} no rule counts: without it, or with --level ${needs}, one does. `;
}

/** What would let a denied call through, as far as anything would. */
function liftedBy(decision: Extract<Decision, { kind: "deny" }>): string {
  if (decision.because === "limit") return "Write a script to a file and run that.";
  if (decision.because !== "level") return "No answer or option of this run lifts that.";
  return `What is above it is refused, since strict = true is set. The user can raise it with --level ${decision.needs}.`;
}

/** JSON strings are TOML basic strings, but for DEL. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
