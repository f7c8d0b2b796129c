import { COPILOT_NEEDS, VERTEX_NEEDS } from "./vendor-settings.ts";

/** A vendor that needs no configuration, and its defaults. */
export interface KnownVendor {
  readonly name: string;
  /** Environment variable of its key; absent if cinch is never given a key. */
  readonly keyVariable?: string;
  /** For people, if there is more to it than that variable: completes "Set …". */
  readonly needs?: string;
  /** True if its catalogue lists every model that can be used. */
  readonly listsAll?: true;
  /** Absent: it is used only if it is named. */
  readonly defaultModel?: string;
}

/** In the order in which they are tried if several have a key and none is selected. */
export const VENDORS: readonly KnownVendor[] = [
  { name: "anthropic", keyVariable: "ANTHROPIC_API_KEY", defaultModel: "claude-sonnet-5-5", listsAll: true },
  { name: "openai", keyVariable: "OPENAI_API_KEY", defaultModel: "gpt-6.1-sol", listsAll: true },
  {
    name: "openrouter",
    keyVariable: "OPENROUTER_API_KEY",
    defaultModel: "anthropic/claude-sonnet-5.5",
    listsAll: true,
  },
  { name: "zai", keyVariable: "ZAI_API_KEY", defaultModel: "glm-4.6" },
  { name: "vertex", needs: VERTEX_NEEDS, defaultModel: "claude-sonnet-5-5" },
  // Each subscription decides which models there are and what they cost.
  { name: "copilot", keyVariable: "COPILOT_GITHUB_TOKEN", needs: COPILOT_NEEDS, listsAll: true },
];

/** Dialects that a provider in the user's configuration can have. */
export const PROVIDER_KINDS = ["openai-compatible", "openai-responses", "anthropic"] as const;
/** Names of the user's providers and routes, and of those of plugins. */
export const PROVIDER_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** A provider from the user's configuration; never from a project's files. */
export interface CustomProvider {
  readonly name: string;
  readonly kind: (typeof PROVIDER_KINDS)[number];
  readonly baseUrl: string;
  /** Absent: the server needs no key. */
  readonly apiKeyEnv?: string;
  readonly defaultModel?: string;
  /** Further headers, without secrets. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Advice for a missing key. */
export interface KeyNeeds {
  /** Completes "Set …": the variable for the key, in words if there is more to it. */
  readonly variable: string;
  /** Follows it: another way to keep the key; empty if there is none. */
  readonly kept: string;
}

/** Returns what a provider without a key needs; undefined if it needs none. */
export function keyNeeds(provider: string, customs: readonly CustomProvider[]): KeyNeeds | undefined {
  const custom = customs.find(({ name }) => name === provider); // it shadows a vendor of the same name
  const vendor = custom === undefined ? VENDORS.find(({ name }) => name === provider) : undefined;
  if (vendor?.needs !== undefined) return { variable: vendor.needs, kept: "" };
  const variable = custom === undefined ? vendor?.keyVariable : custom.apiKeyEnv;
  return variable === undefined
    ? undefined
    : { variable, kept: ` (or keep it: cinch creds add ${provider})` };
}

/** A model server that people run on their own machine, at its usual address. */
export interface LocalServer {
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly baseUrl: string;
}

export const LOCAL_SERVERS: readonly LocalServer[] = [
  { name: "ollama", title: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "llama.cpp", title: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
  { name: "vllm", title: "vLLM", baseUrl: "http://127.0.0.1:8000/v1" },
  { name: "lm-studio", title: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
];
