import { HarnessError } from "../../base/errors.ts";
import type { RequestRole, RequestTraits } from "../provider.ts";

/** The provider's name: `routing:NAME` is a model. */
export const ROUTING_PROVIDER = "routing";

/** One model composed of several, as configured by `[routing.NAME]` in config.toml. */
export interface ModelRoute {
  readonly name: string;
  /** Model for requests that no rule matches. */
  readonly model: string;
  /** Models to try in order if the chosen one fails. */
  readonly fallback: readonly string[];
  /** Rules in order; the first match applies. */
  readonly rules: readonly RouteRule[];
}

/** Conditions of a rule. All that are set must match. */
export interface RouteRule {
  readonly model: string;
  readonly role?: RequestRole;
  /** Estimated input tokens of the request must exceed this. */
  readonly inputAbove?: number;
  /** US dollars that the session has spent must exceed this. */
  readonly spentAbove?: number;
}

/** Returns every model that a request may go to, in order of preference, without duplicates. */
export function routedModels(
  { model, fallback, rules }: ModelRoute,
  about: Omit<RequestTraits, "model">,
): readonly string[] {
  const rule = rules.find((each) => fits(each, about));
  return [...new Set([...(rule === undefined ? [] : [rule.model]), model, ...fallback])];
}

function fits(rule: RouteRule, about: Omit<RequestTraits, "model">): boolean {
  return (
    (rule.role === undefined || rule.role === about.role) &&
    (rule.inputAbove === undefined || about.inputTokens > rule.inputAbove) &&
    (rule.spentAbove === undefined || about.spentUsd > rule.spentAbove)
  );
}

/** Returns every model that a request may go to by any rule or failure. */
export function allModels({ model, fallback, rules }: ModelRoute): readonly string[] {
  return [...new Set([...rules.map((rule) => rule.model), model, ...fallback])];
}

/**
 * Returns the models that a growing conversation is sent to. The largest context window among them is the route's.
 */
export function conversationModels({ model, rules }: ModelRoute): readonly string[] {
  return [...rules.flatMap((rule) => (rule.inputAbove === undefined ? [] : [rule.model])), model];
}

/**
 * @throws HarnessError UnknownModel, which lists the known routes.
 */
export function findRoute(routes: readonly ModelRoute[], name: string): ModelRoute {
  const route = routes.find((each) => each.name === name);
  if (route !== undefined) return route;
  const known = routes.map((each) => each.name).join(", ");
  const detail = known === "" ? "config.toml has no [routing.NAME]" : `routes: ${known}`;
  throw new HarnessError("UnknownModel", { provider: ROUTING_PROVIDER, model: name, detail });
}

/** Splits `provider:model` at the first colon, since model names contain colons themselves. */
export function splitModel(text: string): { readonly provider: string; readonly model: string } {
  const colon = text.indexOf(":");
  return { provider: text.slice(0, colon), model: text.slice(colon + 1) };
}
