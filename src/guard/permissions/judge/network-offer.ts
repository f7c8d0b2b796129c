import { isPublicName } from "../../../session/guard/hosts.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import { outsidePlan } from "../../../tools/chain/outside-plan.ts";
import type { CallPlan } from "../../../tools/tool.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import type { CommandView, Decision, JudgedTool } from "./judge.ts";
import { judge } from "./judge.ts";

/** Offers to a person for a command that needs a network its sandbox does not have. Each of them works. */
export interface NetworkOffer {
  /** The same call outside the sandbox; absent if that is not allowed. */
  readonly outside?: CallPlan;
  /** Hosts that the sandbox can be given; empty if they are unknown, or no list can be enforced here. */
  readonly hosts: readonly string[];
  /**
   * True if the sandbox can be given a proxy without hosts, so that a person is asked about those that it refuses.
   */
  readonly asksEach?: true;
}

export interface OfferInput {
  readonly plan: CallPlan;
  readonly tool: JudgedTool;
  readonly policy: Policy;
  readonly workspace: WorkspacePaths;
  readonly view: CommandView | undefined;
}

/** Returns the offers; undefined if the decision is about something else, or neither way is open. */
export function networkOffer(decision: Decision, parts: OfferInput): NetworkOffer | undefined {
  if (decision.kind !== "ask" || decision.network === undefined || decision.personOnly) return undefined;
  const { plan, tool, policy, workspace, view } = parts;
  if (view?.confined === undefined) return undefined;
  const { network } = decision;
  const isServed = view.confined.takesHosts === true && network.every(isPublicName);
  const hosts = isServed ? network : [];
  // A package manager uses a proxy; its settings name the host.
  const asksEach = isServed && hosts.length === 0 && decision.isAboutNetwork === true;
  const outside = outsidePlan(plan);
  const mayLeave =
    outside !== undefined &&
    judge(outside, tool, policy, workspace, { facts: view.facts, runsOutside: true }).kind !== "deny";
  if (!mayLeave && hosts.length === 0 && !asksEach) return undefined;
  return { ...(mayLeave ? { outside } : {}), hosts, ...(asksEach ? { asksEach } : {}) };
}
