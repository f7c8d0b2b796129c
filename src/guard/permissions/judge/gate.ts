import { unreachable } from "../../../base/assert.ts";
import type { Reason } from "../../../base/reasons.ts";
import { reasonText } from "../../../base/reasons.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { Confinement } from "../../../session/guard/sandbox.ts";
import type { AskPermission, PermissionQuestion } from "../../../session/questions.ts";
import type { ToolCall, ToolMiddleware } from "../../../tools/middleware.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { AcceptedChange, CallPlan, ToolContext } from "../../../tools/tool.ts";
import type { PreviewedChange } from "../change-preview.ts";
import { acceptedChange } from "../change-preview.ts";
import { rulesFromAnswer } from "../rules/answer.ts";
import type { Decision } from "./judge.ts";
import { keyNamesBelow } from "./key-links.ts";
import type { JudgedCall } from "./permission-question.ts";
import {
  callName,
  denialRemedy,
  isOnceOnly,
  permissionQuestion,
  unattendedText,
} from "./permission-question.ts";
import { searchFilter } from "./search-filter.ts";
import type { Verdict, VerdictSources } from "./verdict.ts";
import { commandFacts, judgeCall, UNCONFINED } from "./verdict.ts";

export interface GateOptions extends VerdictSources {
  readonly ask: AskPermission;
  /** Returns the change of a file that the question shows. Default: none is shown. */
  preview?(question: PermissionQuestion, plan: CallPlan): Promise<PreviewedChange | undefined>;
  /**
   * Answers questions with yes. Overrides no deny rule, no strict ceiling, and nothing that only a person may grant.
   */
  readonly autoApprove: boolean;
  /** Returns how the command of a plan will be confined. Default: not at all, and each command is asked about. */
  confinement?(plan: CallPlan, context: ToolContext): Promise<Confinement>;
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
 * A call that did not run, with the cause. Causes are a rule, the ceiling of a strict profile, a command too long to
 * be judged, a missing sandbox, nobody to ask, no answer, or a no.
 */
export interface CallRefusal {
  readonly call: ToolCall;
  readonly because: "rule" | "level" | "limit" | "sandbox" | "nobody" | "timeout" | "answer";
  /** Text for the model: what was refused, why, and what would allow it. */
  readonly text: string;
}

/**
 * Returns the permission gate ([A] § Permission UX, PERM-01, PERM-03, PERM-12). It lets a call run, asks a person, or
 * refuses it with a result that the model can plan around.
 *
 * It judges `call.plan` and nothing else, and passes on that very call (PERM-10). The asker decides who may answer.
 * If nobody can, the call is refused at once, with the rule that would allow it.
 * @throws signal.reason when the turn is cancelled while a person is asked.
 */
export function permissionGate(options: GateOptions): ToolMiddleware {
  return async function permission(call, context, next) {
    const confinement = async (plan: CallPlan) => (await options.confinement?.(plan, context)) ?? UNCONFINED;
    const verdict = await judgeCall(options, call, { context, confinement });
    const { decision, plan, workspace, policy, view, offer } = verdict;
    const { autoApprove, keys } = options;
    const settled = await settle(decision, { call, context, options, ...verdict });
    if (typeof settled === "object" && "because" in settled) {
      options.onRefused?.({ call, because: settled.because, text: settled.text }, context);
      // The reason comes first, as a separate word, so that programs can recognise it.
      const { reason, text, advice } = settled;
      const output = `${reason}: ${advice === undefined ? text : `${text} ${advice}`}`;
      return { ...errorOutput(output), refusal: reason };
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
    if (typeof settled === "object") return next({ ...call, plan: { ...plan, ...settled } }, context);
    if (plan.target.kind !== "paths") return next(call, context);
    const { tool } = call;
    const linked = await keyNamesBelow(plan, context.world.files, keys);
    const withholds = searchFilter({ plan, tool, policy, workspace, decision, autoApprove, linked });
    return next(call, { ...context, withholds });
  };
}

/**
 * Returns true if a command that failed in the sandbox may be tried outside it after a person's yes: if there it
 * would be asked about or allowed, and not denied (SBX-04).
 */
export async function mayRunOutside(
  sources: VerdictSources,
  call: ToolCall,
  context: ToolContext,
): Promise<boolean> {
  if (call.plan?.target.kind !== "command") return false;
  const { decision } = await judgeCall(sources, call, { context, confinement: async () => UNCONFINED });
  return decision.kind !== "deny";
}

/**
 * Returns true if the command of a call is known to only read, so that it may run where nothing may change (ENG-21).
 */
export async function onlyReads(
  sources: VerdictSources,
  call: ToolCall,
  context: ToolContext,
): Promise<boolean> {
  const { plan } = call;
  if (plan?.target.kind !== "command" || plan.target.outside === true) return false;
  const facts = await commandFacts(sources, call, context);
  return facts !== undefined && facts.approvalReason === undefined;
}

/** Returns true if a call that is not a command would be allowed without a question (ENG-20). */
export async function isAllowedUnasked(
  { autoApprove, ...sources }: VerdictSources & Pick<GateOptions, "autoApprove">,
  call: ToolCall,
  context: ToolContext,
): Promise<boolean> {
  if (call.plan === undefined || call.plan.target.kind === "command") return false;
  const { decision } = await judgeCall(sources, call, { context, confinement: async () => UNCONFINED });
  if (decision.kind === "ask") return autoApprove && !decision.personOnly;
  return decision.kind === "allow";
}

interface Gated extends JudgedCall, Pick<Verdict, "parts"> {
  readonly options: GateOptions;
}

interface Refused {
  readonly because: CallRefusal["because"];
  readonly reason: Reason;
  /** Sentence for people and the model. */
  readonly text: string;
  /** Sentence for the model alone, behind the text: what to do instead. */
  readonly advice?: string;
}

/** Outcome for a call: refused, or allowed by the policy (`behind-proxy` too) or by a person, whole or in part. */
type Settled =
  | Refused
  | "by-policy"
  | "behind-proxy"
  | "by-person"
  | "outside"
  | "with-hosts"
  | { readonly accepted: AcceptedChange };

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

function shownChange(change: PreviewedChange | undefined): Pick<PermissionQuestion, "diff" | "hunks"> {
  if (change === undefined) return {};
  const hunks = change.hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines] }));
  return { diff: change.diff, ...(hunks.length === 0 ? {} : { hunks }) };
}

async function askPerson(decision: Extract<Decision, { kind: "ask" }>, at: Gated): Promise<Settled> {
  const { call, plan, workspace, view, context, options } = at;
  const tool = call.tool.name;
  const question = permissionQuestion(decision, at, await at.parts());
  const change = await options.preview?.(question, plan);
  const answer = await options.ask({ ...question, ...shownChange(change) }, context.signal);
  switch (answer.kind) {
    case "nobody":
      return {
        because: "nobody",
        reason: "PermissionDenied",
        text: unattendedText(decision, at),
        advice: "Go on without it, or say what could not be done.",
      };
    case "timeout": {
      const timeout = String(answer.afterMs / 1000);
      return {
        because: "timeout",
        reason: "PermissionTimeout",
        text: reasonText("PermissionTimeout", { tool, timeout }),
      };
    }
    case "answered": {
      if (answer.decision !== "allow") {
        return {
          because: "answer",
          reason: "PermissionDenied",
          text: `Permission denied for ${tool} by ${answer.by}. A person has denied this call.`,
          advice:
            answer.words === undefined
              ? "Do not repeat it unchanged: ask what they want instead."
              : `The user says:\n${answer.words}`,
        };
      }
      if (answer.hunks !== undefined && change !== undefined)
        return { accepted: await acceptedChange(change, { accepted: answer.hunks, words: answer.words }) };
      if (at.offer !== undefined)
        return answer.hosts === true || at.offer.outside === undefined ? "with-hosts" : "outside";
      if (isOnceOnly(decision, at)) return "by-person"; // each such call needs a new answer
      const command = view === undefined ? undefined : { facts: view.facts, quiet: at.policy.quiet };
      for (const rule of rulesFromAnswer(answer, { plan, tool: call.tool, workspace, command }))
        options.session.add(rule, context.world.clock.now());
      return "by-person";
    }
    default:
      return unreachable(answer);
  }
}
