import { HarnessError } from "../../base/errors.ts";
import type { RequestRole, RequestTraits } from "../provider.ts";

/** The provider's name: `routing:NAME` is a model. */
export const ROUTING = "routing";

/** One model made of several, as `[routing.NAME]` in config.toml says it. */
export interface Route {
  readonly name: string;
  /** Takes what no rule names. */
  readonly model: string;
  /** In their order, where the model that is meant cannot be had. */
  readonly fallback: readonly string[];
  /** The first one that fits counts. */
  readonly rules: readonly RouteRule[];
}

/** Everything that is said has to fit. */
export interface RouteRule {
  readonly model: string;
  readonly role?: RequestRole;
  /** Tokens of input, as far as they can be estimated. */
  readonly inputAbove?: number;
  /** US dollars that the session has spent. */
  readonly spentAbove?: number;
}

/** Every model that a request may go to, in the order of preference, each once. */
export function modelsFor(
  { model, fallback, rules }: Route,
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

/** Every model that a request may go to by some rule or failure. */
export function allModels({ model, fallback, rules }: Route): readonly string[] {
  return [...new Set([...rules.map((rule) => rule.model), model, ...fallback])];
}

/** Those that a conversation is sent to as it grows: the largest window of them is that of the route. */
export function sizedModels({ model, rules }: Route): readonly string[] {
  return [...rules.flatMap((rule) => (rule.inputAbove === undefined ? [] : [rule.model])), model];
}

/** @throws HarnessError UnknownModel, which names those there are. */
export function routeNamed(routes: readonly Route[], name: string): Route {
  const route = routes.find((each) => each.name === name);
  if (route !== undefined) return route;
  const known = routes.map((each) => each.name).join(", ");
  const detail = known === "" ? "config.toml has no [routing.NAME]" : `routes: ${known}`;
  throw new HarnessError("UnknownModel", { provider: ROUTING, model: name, detail });
}

/** The two halves of `provider:name`. Names hold colons themselves, so the first one counts. */
export function splitModel(text: string): { readonly provider: string; readonly model: string } {
  const colon = text.indexOf(":");
  return { provider: text.slice(0, colon), model: text.slice(colon + 1) };
}
