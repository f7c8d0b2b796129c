import { assert, unreachable } from "../../../base/assert.ts";
import type { Reason } from "../../../base/reasons.ts";
import { reasonText } from "../../../base/reasons.ts";
import type { World } from "../../../base/world.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { Confinement } from "../../../session/guard/sandbox.ts";
import type { AskPermission } from "../../../session/questions.ts";
import type { ToolCall, ToolMiddleware } from "../../../tools/middleware.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { CallPlan, ToolContext } from "../../../tools/tool.ts";
import { resolveHome } from "../../sandbox/policy/hidden-paths.ts";
import type { KeyFiles } from "../../sandbox/policy/key-files.ts";
import type { InspectionOptions } from "../inspection/inspect-command.ts";
import { rulesFromAnswer } from "../rules/answer.ts";
import { readRules } from "../rules/read-rules.ts";
import type { SessionRules } from "../rules/session-rules.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import type { CommandTarget } from "./command-facts.ts";
import type { CommandView, Decision } from "./judge.ts";
import { judge } from "./judge.ts";
import { keyNamesBelow, withKeyNames } from "./key-links.ts";
import { networkOffer } from "./network-offer.ts";
import type { JudgedCall } from "./permission-question.ts";
import {
  callName,
  denialRemedy,
  isOnceOnly,
  permissionQuestion,
  unattendedText,
} from "./permission-question.ts";
import { searchFilter } from "./search-filter.ts";

export interface GateOptions {
  /** Returns the current policy. Each call is judged by one: a later restriction counts for later calls. */
  readonly policy: () => Policy;
  readonly session: SessionRules;
  readonly ask: AskPermission;
  /**
   * Answers questions with yes. Overrides no deny rule, no strict ceiling, and nothing that only a person may grant.
   */
  readonly autoApprove: boolean;
  /** Returns how the command of a plan will be confined. Default: not at all, and each command is asked about. */
  confinement?(plan: CallPlan, context: ToolContext): Promise<Confinement>;
  /** Key files of this machine, of which a hard link is another name. Default: none is known. */
  readonly keys?: KeyFiles;
  /**
   * Lets commands of the session reach further hosts; with none, runs them behind a proxy that refuses every host.
   */
  grantHosts?(hosts: readonly string[], context: ToolContext): Promise<void>;
  /** File in which a user would write a rule; named in refusals. */
  readonly configPath: string;
  /**
   * Returns true if a text would be stored and shown unchanged, with no secret redacted. A rule with a redacted text
   * could neither be listed nor revoked, and would read as another one: it is not made (SES-05, PERM-07).
   */
  isStorable?(text: string): boolean;
  /** Called with each refused call, for exit code 3 of an unattended run. */
  onRefused?(refusal: CallRefusal, context: ToolContext): void;
}

/**
 * A call that did not run, with the cause: a rule, the ceiling of a strict profile, a command too long to be judged,
 * no sandbox where one is required, nobody to ask, no answer, or a no.
 */
export interface CallRefusal {
  readonly call: ToolCall;
  readonly because: "rule" | "level" | "limit" | "sandbox" | "nobody" | "timeout" | "answer";
  /** Text for the model: what was refused, why, and what would allow it. */
  readonly text: string;
}

/**
 * Returns the permission gate: it lets a call run, asks a person, or refuses it with a result that the model can plan
 * around ([A] § Permission UX, PERM-01, PERM-03, PERM-12).
 *
 * It judges `call.plan` and nothing else, and passes on that very call (PERM-10). The asker decides who may answer.
 * If nobody can, the call is refused at once, with the rule that would allow it.
 * @throws signal.reason when the turn is cancelled while a person is asked.
 */
export function permissionGate(options: GateOptions): ToolMiddleware {
  return async function permission(call, context, next) {
    assert(call.plan !== undefined, "a call is planned before the permission gate sees it");
    const { files } = context.world;
    const { keys } = options;
    const plan = await withKeyNames(call.plan, files, keys);
    const workspace = await placeOf(context);
    const { autoApprove } = options;
    const standing = options.policy();
    const policy = withSession(standing, options.session);
    const view = await viewOf(plan, workspace, { context, options, policy: standing });
    const decision = judge(plan, call.tool, policy, workspace, view);
    const offer = networkOffer(decision, { plan, tool: call.tool, policy, workspace, view });
    const offered = offer === undefined ? {} : { offer };
    const settled = await settle(decision, {
      call,
      plan,
      workspace,
      view,
      context,
      options,
      policy,
      ...offered,
    });
    if (typeof settled === "object") {
      options.onRefused?.({ call, because: settled.because, text: settled.text }, context);
      // The reason comes first, as a separate word, so that programs can recognise it.
      return { ...errorOutput(`${settled.reason}: ${settled.text}`), refusal: settled.reason };
    }
    context.signal.throwIfAborted(); // the last check before the call has effects
    if (view !== undefined) {
      if (settled === "outside")
        return next({ ...call, plan: offer?.outside ?? plan }, { ...context, byPerson: true });
      if (settled === "with-hosts") await options.grantHosts?.(offer?.hosts ?? [], context);
      if (settled === "behind-proxy") await options.grantHosts?.([], context);
      const isByPerson = settled === "by-person" || settled === "with-hosts";
      const onlyReads = view.facts.approvalReason === undefined ? { onlyReads: true as const } : {};
      return next(call, { ...context, ...onlyReads, ...(isByPerson ? { byPerson: true } : {}) });
    }
    if (plan.target.kind !== "paths") return next(call, context);
    const linked = await keyNamesBelow(plan, files, keys);
    const withholds = searchFilter({
      plan,
      tool: call.tool,
      policy,
      workspace,
      decision,
      autoApprove,
      linked,
    });
    return next(call, { ...context, withholds });
  };
}

/**
 * Returns true if a command that failed in the sandbox may be tried outside it after a person's yes: if there it
 * would be asked about or allowed, and not denied (SBX-04).
 */
export async function mayRunOutside(
  options: Pick<GateOptions, "policy" | "session" | "keys">,
  call: ToolCall,
  context: ToolContext,
): Promise<boolean> {
  const { plan } = call;
  if (plan?.target.kind !== "command") return false;
  const workspace = await placeOf(context);
  const { inspectCommand } = await import("../inspection/inspect-command.ts");
  const standing = options.policy();
  const facts = await inspectCommand(
    plan.target,
    workspace,
    inspectionOptions(standing, workspace, surroundings(context, options)),
  );
  return judge(plan, call.tool, withSession(standing, options.session), workspace, { facts }).kind !== "deny";
}

/**
 * Returns true if the command of a call is known to only read, so that it may run where nothing may change (ENG-21).
 */
export async function onlyReads(
  { policy, keys }: Pick<GateOptions, "policy" | "keys">,
  { plan }: ToolCall,
  context: ToolContext,
): Promise<boolean> {
  if (plan?.target.kind !== "command" || plan.target.outside === true) return false;
  const workspace = await placeOf(context);
  const { inspectCommand } = await import("../inspection/inspect-command.ts");
  const facts = await inspectCommand(
    plan.target,
    workspace,
    inspectionOptions(policy(), workspace, surroundings(context, { keys })),
  );
  return facts.approvalReason === undefined;
}

/** Returns true if a call that is not a command would be allowed without a question (ENG-20). */
export async function isAllowedUnasked(
  options: Pick<GateOptions, "policy" | "session" | "autoApprove" | "keys">,
  { plan: planned, tool }: ToolCall,
  context: ToolContext,
): Promise<boolean> {
  if (planned === undefined || planned.target.kind === "command") return false;
  const plan = await withKeyNames(planned, context.world.files, options.keys);
  const workspace = await placeOf(context);
  const decision = judge(plan, tool, withSession(options.policy(), options.session), workspace);
  if (decision.kind === "ask") return options.autoApprove && !decision.personOnly;
  return decision.kind === "allow";
}

/** Returns what is known of a command: it is parsed and inspected once, and judged by that (PERM-10). */
async function viewOf(
  plan: CallPlan,
  workspace: WorkspacePaths,
  { context, options, policy }: Pick<Gated, "context" | "options" | "policy">,
): Promise<CommandView | undefined> {
  const { target } = plan;
  if (target.kind !== "command") return undefined;
  const { inspectCommand } = await import("../inspection/inspect-command.ts"); // a session without commands loads no parser of command lines
  const [facts, confinement] = await Promise.all([
    inspectCommand(target, workspace, inspectionOptions(policy, workspace, surroundings(context, options))),
    options.confinement?.(plan, context) ?? NO_CONFINEMENT,
  ]);
  return { facts, ...confinementView(confinement, target) };
}

/** Returns the options for the inspection of a command line, from a policy. */
export function inspectionOptions(
  { ownDirectories, steering = [], rules }: Policy,
  workspace: WorkspacePaths,
  { world, env, keys }: InspectionContext,
): InspectionOptions {
  const known = keys === undefined ? {} : { keys };
  return {
    files: world.files,
    env,
    world,
    ownDirectories,
    steering,
    reading: readRules(rules, workspace),
    ...known,
  };
}

/** Access to the machine and environment of a command, for its inspection before it runs. */
export interface InspectionContext {
  readonly world: Pick<World, "files" | "spawn" | "clock">;
  readonly env: Readonly<Record<string, string>>;
  /** Key files of this machine. Undefined: none is known. */
  readonly keys: KeyFiles | undefined;
}

function surroundings(
  { world, workspace }: ToolContext,
  { keys }: { readonly keys?: KeyFiles | undefined },
): InspectionContext {
  return { world, env: workspace.env, keys };
}

const NO_CONFINEMENT: Confinement = { kind: "none", why: "there is no sandbox", policy: "ask" };

/** Returns the effect of a sandbox, or of its absence, on a command. */
export function confinementView(confinement: Confinement, target: CommandTarget): Omit<CommandView, "facts"> {
  if (confinement.kind === "none") return confinement.policy === "refuse" ? { refused: confinement.why } : {};
  if (target.outside === true) return { runsOutside: true };
  const hosts = confinement.network === "off" ? [] : confinement.network;
  return { confined: { hosts, ...(confinement.takesHosts === true ? { takesHosts: true } : {}) } };
}

async function placeOf({ workspace, world }: ToolContext): Promise<WorkspacePaths> {
  const home = await resolveHome(world.files, workspace.env["HOME"]);
  const { root, scratch, readable = [] } = workspace;
  return { root, scratch, readable: [...readable], ...(home === undefined ? {} : { home }) };
}

function withSession(policy: Policy, session: SessionRules): Policy {
  return { ...policy, rules: [...policy.rules, ...session.list()] };
}

interface Gated extends JudgedCall {
  readonly options: GateOptions;
}

interface Refused {
  readonly because: CallRefusal["because"];
  readonly reason: Reason;
  readonly text: string;
}

/** Outcome for a call: refused, or allowed by the policy (`behind-proxy` too) or by a person. */
type Settled = Refused | "by-policy" | "behind-proxy" | "by-person" | "outside" | "with-hosts";

async function settle(decision: Decision, at: Gated): Promise<Settled> {
  switch (decision.kind) {
    case "allow":
      return decision.refusingProxy === true ? "behind-proxy" : "by-policy";
    case "deny":
      return {
        because: decision.because,
        reason: "PermissionDenied",
        text: `${callName(at)} is not allowed: ${visibleLine(decision.why)}. ${denialRemedy(decision)}`,
      };
    case "ask":
      if (!at.options.autoApprove || decision.personOnly) return await askPerson(decision, at);
      if (decision.isAboutNetwork !== true) return "by-policy";
      return at.offer?.asksEach === true ? "behind-proxy" : await askPerson(decision, at);
    default:
      return unreachable(decision);
  }
}

async function askPerson(decision: Extract<Decision, { kind: "ask" }>, at: Gated): Promise<Settled> {
  const { call, plan, workspace, view, context, options } = at;
  const tool = call.tool.name;
  const answer = await options.ask(permissionQuestion(decision, at), context.signal);
  switch (answer.kind) {
    case "nobody":
      return { because: "nobody", reason: "PermissionDenied", text: unattendedText(decision, at) };
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
        const text = `Permission denied for ${tool} by ${answer.by}. A person has denied this call. Do not repeat it unchanged: ask what they want instead.`;
        return { because: "answer", reason: "PermissionDenied", text };
      }
      if (at.offer !== undefined)
        return answer.hosts === true || at.offer.outside === undefined ? "with-hosts" : "outside";
      if (isOnceOnly(decision, at)) return "by-person"; // each such call needs a new answer
      const analysis = view?.facts.analysis;
      for (const rule of rulesFromAnswer(answer, { plan, tool: call.tool, workspace, analysis }))
        options.session.add(rule);
      return "by-person";
    }
    default:
      return unreachable(answer);
  }
}
