import { isPublicName } from "../../../session/guard/hosts.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import { outsidePlan } from "../../../tools/chain/outside-plan.ts";
import type { CallPlan } from "../../../tools/tool.ts";
import type { Place } from "../rules/place.ts";
import type { CommandView, Decision, JudgedTool } from "./judge.ts";
import { judge } from "./judge.ts";

/** Offers to a person for a command that wants a network its sandbox does not have. Each of them works. */
export interface NetworkOffer {
  /** The same call outside of the sandbox; absent where that is not allowed. */
  readonly outside?: CallPlan;
  /** Hosts that the sandbox can be given; empty where they are not known, or no list is served here. */
  readonly hosts: readonly string[];
  /** The sandbox can be given a proxy without hosts, so that a person is asked for the ones that it refuses. */
  readonly asksEach?: true;
}

export interface OfferParts {
  readonly plan: CallPlan;
  readonly tool: JudgedTool;
  readonly policy: Policy;
  readonly place: Place;
  readonly view: CommandView | undefined;
}

/** Returns undefined where the decision is about something else, and where neither way is open. */
export function networkOffer(decision: Decision, parts: OfferParts): NetworkOffer | undefined {
  if (decision.kind !== "ask" || decision.network === undefined || decision.personOnly) return undefined;
  const { plan, tool, policy, place, view } = parts;
  if (view?.confined === undefined) return undefined;
  const { network } = decision;
  const isServed = view.confined.takesHosts === true && network.every(isPublicName);
  const hosts = isServed ? network : [];
  // A package manager speaks to a proxy; which host it asks for is in its own settings.
  const asksEach = isServed && hosts.length === 0 && decision.isAboutNetwork === true;
  const outside = outsidePlan(plan);
  const mayLeave =
    outside !== undefined &&
    judge(outside, tool, policy, place, { facts: view.facts, leaves: true }).kind !== "deny";
  if (!mayLeave && hosts.length === 0 && !asksEach) return undefined;
  return { ...(mayLeave ? { outside } : {}), hosts, ...(asksEach ? { asksEach } : {}) };
}
