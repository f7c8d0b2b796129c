import { ROUTING_PROVIDER } from "../../providers/choosing/route.ts";
import { REQUEST_ROLES } from "../../providers/provider.ts";
import { PROVIDER_NAME } from "../../providers/vendors.ts";
import type { NamedSection } from "../../session/config-section.ts";
import { modelProblem } from "./model-name.ts";

const RULES_MAX = 64;

/** `[routing.NAME]`: models made of several, each used as `routing:NAME` (PROV-07). */
export const routingSection = {
  shape: "named",
  name: "routing",
  in: "config",
  about: "Models made of several, each used as `routing:NAME`: [models.md](../models.md).",
  checkName: (name) =>
    PROVIDER_NAME.test(name) ? undefined : `"${name}" is not a name: small letters, digits, - and _`,
  keys: {
    rules: {
      kind: "tables",
      key: "rules",
      meaning: "Rules for single requests; the first that fits counts.",
      default: [],
      itemsMax: RULES_MAX,
      example: [{ role: "summary", model: "zai:glm-4.5-air" }],
      keys: {
        model: {
          kind: "text",
          key: "model",
          meaning: "The model of the requests that fit.",
          required: "is missing",
          example: "zai:glm-4.5-air",
          check: memberProblem,
        },
        role: {
          kind: "word",
          key: "role",
          words: REQUEST_ROLES,
          meaning: "The purpose of the request.",
          otherwise: "any",
          example: "summary",
        },
        inputAbove: {
          kind: "integer",
          key: "input_above",
          min: 1,
          unit: "tokens",
          meaning: "More estimated tokens of input than this.",
          otherwise: "any",
          example: 50_000,
        },
        spentAbove: {
          kind: "number",
          key: "spent_above",
          min: 0,
          unit: "US dollars",
          meaning: "More cost of the session than this.",
          otherwise: "any",
          example: 2.5,
        },
      },
      checkItem: ({ role, inputAbove, spentAbove }) =>
        role === undefined && inputAbove === undefined && spentAbove === undefined
          ? { key: "model", problem: "stands without a condition: add role, input_above or spent_above" }
          : undefined,
    },
    model: {
      kind: "text",
      key: "model",
      meaning: "The model for requests that no rule names.",
      required: "is missing",
      example: "anthropic:sonnet",
      check: memberProblem,
    },
    fallback: {
      kind: "texts",
      key: "fallback",
      meaning: "Models to use in order when a model is not available.",
      default: [],
      example: ["openrouter:anthropic/claude-sonnet-4.5", "zai:glm-4.6"],
      check: (models: readonly string[]) =>
        models.map(memberProblem).find((problem) => problem !== undefined),
    },
  },
} as const satisfies NamedSection;

/** Returns why a route does not lead to a model. */
function memberProblem(text: string): string | undefined {
  if (!text.startsWith(`${ROUTING_PROVIDER}:`)) return modelProblem(text);
  return `"${text}" is a route itself, and routes do not lead to routes`;
}
