import { assert } from "../../../base/assert.ts";
import { defined } from "../../../base/defined.ts";
import type { World } from "../../../base/world.ts";
import type { CallVerdict } from "../../../session/guard/permissions.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { Confinement } from "../../../session/guard/sandbox.ts";
import type { ToolCall } from "../../../tools/middleware.ts";
import type { CallPlan, Workspace } from "../../../tools/tool.ts";
import { resolveHome } from "../../sandbox/policy/hidden-paths.ts";
import type { KeyFiles } from "../../sandbox/policy/key-files.ts";
import type { InspectionOptions } from "../inspection/inspect-command.ts";
import { readRules } from "../rules/read-rules.ts";
import type { SessionRules } from "../rules/session-rules.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import type { CommandFacts, CommandTarget } from "./command-facts.ts";
import { judgeParts } from "./command-parts.ts";
import type { CommandView, Decision, JudgedTool } from "./judge.ts";
import { judge } from "./judge.ts";
import { withKeyNames } from "./key-links.ts";
import type { NetworkOffer } from "./network-offer.ts";
import { networkOffer } from "./network-offer.ts";
import type { QuestionEnd } from "./permission-question.ts";
import { decisionRemedy, endOf } from "./permission-question.ts";

/** Sources by which the calls of a session are judged. */
export interface VerdictSources {
  /** Returns the current policy. Each call is judged by one: a later restriction counts for later calls. */
  readonly policy: () => Policy;
  readonly session: SessionRules;
  /** Key files of this machine, of which a hard link is another name. Default: none is known. */
  readonly keys?: KeyFiles;
}

/** A planned call, as far as it is judged. */
export type PlannedCall = Pick<ToolCall, "plan"> & { readonly tool: JudgedTool };

/** Context of a call, as far as it is judged. */
export interface VerdictContext {
  readonly world: Pick<World, "files" | "spawn" | "clock">;
  readonly workspace: Pick<Workspace, "root" | "added" | "scratch" | "readable" | "writable" | "env">;
}

/** Returns the confinement of a command. Not called for other calls. */
export type ConfinementOf = (plan: CallPlan) => Promise<Confinement>;

/** Verdict about one call, with everything that it was judged by. */
export interface Verdict extends CallVerdict {
  readonly decision: Decision;
  /** Plan of the call. A path that is another name of a key also has the name of that key. */
  readonly plan: CallPlan;
  readonly workspace: WorkspacePaths;
  /** Policy with the rules of the session. */
  readonly policy: Policy;
  /** Facts about a command and its confinement; undefined for any other call. */
  readonly view: CommandView | undefined;
  /** Network that the command needs and does not have, if a person can give it. */
  readonly offer?: NetworkOffer;
  /** The change that would end the question about the call. Absent if nothing does, or it is not asked about. */
  readonly end?: QuestionEnd;
}

/** Confinement of a command that no sandbox confines. */
export const UNCONFINED: Confinement = { kind: "none", why: "there is no sandbox", policy: "ask" };

/**
 * Judges one call, for everyone who wants a verdict: the gate, an explanation, or a question about a call that may run
 * unasked (PERM-01, PERM-10). Runs nothing of the call.
 *
 * In this order: names of keys, paths of the workspace, policy with the rules of the session, inspection of a command
 * line. Then its confinement, the decision, the offer of a network, and the remedy.
 */
export async function judgeCall(
  sources: VerdictSources,
  call: PlannedCall,
  { context, confinement }: { readonly context: VerdictContext; readonly confinement: ConfinementOf },
): Promise<Verdict> {
  const { tool } = call;
  const { plan, workspace, standing } = await basisOf(sources, call, context);
  const policy = { ...standing, rules: [...standing.rules, ...sources.session.list()] };
  const { target } = plan;
  const [facts, confined] =
    target.kind === "command"
      ? await Promise.all([
          inspect(target, { workspace, policy: standing, context, sources }),
          confinement(plan),
        ])
      : [undefined, UNCONFINED];
  const view =
    facts === undefined || target.kind !== "command"
      ? undefined
      : { facts, ...confinementView(confined, target) };
  const decision = judge(plan, tool, policy, workspace, view);
  const offer = networkOffer(decision, { plan, tool, policy, workspace, view });
  const judged = { plan, tool, policy, workspace, view };
  const end = endOf(decision, judged);
  const remedy = decisionRemedy(decision, { ...judged, end });
  return {
    ...{ decision, plan, workspace, policy, view },
    ...defined({ offer, end, remedy }),
    async parts() {
      if (view === undefined || target.kind !== "command") return [];
      const { inspectParts } = await import("../inspection/inspect-command.ts");
      const look = inspectionOptions({ workspace, policy: standing, context, sources });
      const parts = await inspectParts(view.facts, target, workspace, look);
      return judgeParts(parts, { plan, tool, policy, workspace, view });
    },
  };
}

/** Returns the facts about the command of a call; undefined for any other call. */
export async function commandFacts(
  sources: VerdictSources,
  call: PlannedCall,
  context: VerdictContext,
): Promise<CommandFacts | undefined> {
  const { plan, workspace, standing } = await basisOf(sources, call, context);
  if (plan.target.kind !== "command") return undefined;
  return await inspect(plan.target, { workspace, policy: standing, context, sources });
}

/**
 * Runs the first steps of every verdict. Reads the policy last, so that a change meanwhile already counts.
 */
async function basisOf(sources: VerdictSources, call: PlannedCall, context: VerdictContext) {
  assert(call.plan !== undefined, "a call is planned before it is judged");
  const { world, workspace: at } = context;
  const plan = await withKeyNames(call.plan, world.files, sources.keys);
  const home = needsHome(plan) ? await resolveHome(world.files, at.env["HOME"]) : undefined;
  const { root, added, scratch, readable = [], writable } = at;
  const workspace: WorkspacePaths = {
    ...{ root, scratch, readable: [...readable] },
    ...(added === undefined ? {} : { added }),
    ...(writable === undefined ? {} : { writable: writable.all }),
    ...(home === undefined ? {} : { home }),
  };
  return { plan, workspace, standing: sources.policy() };
}

/** Returns true if a judgement depends on the home directory: a command may name it, and a write may be in it. */
function needsHome({ target }: CallPlan): boolean {
  if (target.kind === "paths") return target.paths.some(({ access }) => access === "write");
  return target.kind === "command";
}

interface InspectionSources extends Pick<Verdict, "workspace" | "policy"> {
  readonly context: VerdictContext;
  readonly sources: VerdictSources;
}

/** Inspects a command line: it is parsed once, and judged by that (PERM-10). */
async function inspect(target: CommandTarget, from: InspectionSources): Promise<CommandFacts> {
  // A session without commands loads no parser of command lines.
  const { inspectCommand } = await import("../inspection/inspect-command.ts");
  return await inspectCommand(target, from.workspace, inspectionOptions(from));
}

function inspectionOptions({
  workspace,
  policy: { ownDirectories, steering = [], rules },
  context: { world, workspace: at },
  sources: { keys },
}: InspectionSources): InspectionOptions {
  return {
    ...{ files: world.files, env: at.env, world, ownDirectories, steering },
    reading: readRules(rules, workspace),
    ...defined({ keys }),
  };
}

/** Returns the effect of a sandbox, or of its absence, on a command. */
function confinementView(confinement: Confinement, target: CommandTarget): Omit<CommandView, "facts"> {
  if (confinement.kind === "none") {
    const { policy, why, refusal } = confinement;
    if (policy !== "refuse") return {};
    return { refused: why, ...(refusal === undefined ? {} : { refusedRemedy: refusal.remedy }) };
  }
  if (target.outside === true) return { runsOutside: true };
  const hosts = confinement.network === "off" ? [] : confinement.network;
  return { confined: { hosts, ...(confinement.takesHosts === true ? { takesHosts: true } : {}) } };
}
