import { ROUTING_PROVIDER } from "../../providers/choosing/route.ts";
import { PROVIDER_KINDS, PROVIDER_NAME } from "../../providers/vendors.ts";
import type { NamedSection } from "../../session/config-section.ts";
import { MODEL_NAME } from "./model-name.ts";

/** `[providers.NAME]`: providers that need no code. */
export const providersSection = {
  shape: "named",
  name: "providers",
  in: "config",
  about:
    "Providers of your own, used as `NAME:model`: [models.md](../models.md). An engine reads them once, when it starts.",
  checkName(name) {
    if (name === ROUTING_PROVIDER) return `"${name}" is the name of cinch's own: see [routing.NAME]`;
    return PROVIDER_NAME.test(name)
      ? undefined
      : `"${name}" is not a provider name: small letters, digits, - and _`;
  },
  keys: {
    kind: {
      kind: "word",
      key: "kind",
      words: PROVIDER_KINDS,
      meaning: "The API that the server speaks.",
      required: `is missing: one of ${PROVIDER_KINDS.join(", ")}`,
      example: "openai-compatible",
    },
    baseUrl: {
      kind: "text",
      key: "base_url",
      meaning: "The address of the API.",
      required: "is missing",
      example: "http://127.0.0.1:8080/v1",
      check: addressProblem,
      as: (text: string) => new URL(text).href.replace(/\/+$/, ""),
    },
    apiKeyEnv: {
      kind: "text",
      key: "api_key_env",
      meaning: "The variable that holds the key.",
      otherwise: "requests carry no key",
      example: "LOCAL_API_KEY",
      check: (name: string) =>
        /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
          ? undefined
          : "must be the name of an environment variable, not a key",
    },
    defaultModel: {
      kind: "text",
      key: "default_model",
      meaning: "The model to use if nothing names one, without the name of the provider.",
      otherwise: "none",
      example: "qwen3-coder",
    },
    headers: {
      kind: "text-table",
      key: "headers",
      meaning: "Further headers. None may carry a key.",
      otherwise: "none",
      example: { "x-team": "tools" },
      checkEntry(name, value) {
        if (!/^[A-Za-z0-9-]+$/.test(name)) return "is not a header name";
        if (/^(?:authorization|x-api-key|cookie|host)$/i.test(name))
          return "may not be set here: name the variable of a key with api_key_env";
        return /^[\x20-\x7e]*$/.test(value) ? undefined : "must be plain ASCII in one line";
      },
    },
  },
} as const satisfies NamedSection;

function addressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an http or https URL";
  if (url.username !== "" || url.password !== "")
    return "must not hold a name or password: name a variable with api_key_env";
  return url.search !== "" || url.hash !== "" ? "must not have a ? or # part" : undefined;
}

/** `[prices."provider:name"]`: the prices of models. */
export const pricesSection = {
  shape: "named",
  name: "prices",
  in: "config",
  about:
    "Prices of models in US dollars for a million tokens, before those of any catalogue: [models.md](../models.md).",
  check: (_said, name) =>
    MODEL_NAME.test(name)
      ? undefined
      : { key: "input", problem: `"${name}" is not a model: write [prices."provider:name"]` },
  keys: {
    input: {
      kind: "number",
      key: "input",
      min: 0,
      unit: "US dollars",
      meaning: "Input.",
      required: "is missing: US dollars for a million tokens",
      example: 0.2,
    },
    output: {
      kind: "number",
      key: "output",
      min: 0,
      unit: "US dollars",
      meaning: "Output.",
      required: "is missing: US dollars for a million tokens",
      example: 0.8,
    },
    cacheRead: {
      kind: "number",
      key: "cache_read",
      min: 0,
      unit: "US dollars",
      meaning: "Input that is read from a cache.",
      otherwise: "unknown, as is the cost of a request that needs it",
      example: 0.02,
    },
    cacheWrite: {
      kind: "number",
      key: "cache_write",
      min: 0,
      unit: "US dollars",
      meaning: "Input that is written to a cache.",
      otherwise: "unknown, as is the cost of a request that needs it",
      example: 0.25,
    },
  },
} as const satisfies NamedSection;
