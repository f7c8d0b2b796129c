import { COPILOT_NEEDS, VERTEX_NEEDS } from "./vendor-settings.ts";

/** A vendor that is known without any configuration, and what it is used with unless told otherwise. */
export interface KnownVendor {
  readonly name: string;
  /** The environment variable that holds its key; absent where no key is ever given to us. */
  readonly keyVariable?: string;
  /** For people, where there is more to it than that variable: completes "Set …". */
  readonly needs?: string;
  /** Its catalogue names every model that can be asked for. */
  readonly listsAll?: true;
  /** Absent: it is asked only where it is named. */
  readonly defaultModel?: string;
}

/** In the order in which they are tried where several have a key and nothing says which one is meant. */
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
  // Which models there are, and what they cost, is up to each subscription.
  { name: "copilot", keyVariable: "COPILOT_GITHUB_TOKEN", needs: COPILOT_NEEDS, listsAll: true },
];

/** The wires that a provider of the user's own can speak. */
export const PROVIDER_KINDS = ["openai-compatible", "openai-responses", "anthropic"] as const;
/** What the user's own providers and routes are called, and those that plugins bring. */
export const PROVIDER_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** A provider of the user's own, from their configuration; never from a project's files. */
export interface CustomProvider {
  readonly name: string;
  readonly kind: (typeof PROVIDER_KINDS)[number];
  readonly baseUrl: string;
  /** Absent: the server wants no key. */
  readonly apiKeyEnv?: string;
  readonly defaultModel?: string;
  /** Further headers, which hold no secret. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What to do where a key is missing. */
export interface KeyNeeds {
  /** Completes "Set …": the variable that would hold it, in words where there is more to it. */
  readonly variable: string;
  /** Behind that, how it can be kept instead; empty where it cannot be. */
  readonly kept: string;
}

/** What a provider needs that has no key. Undefined where it wants none. */
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
