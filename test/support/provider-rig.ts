import { authorizedFetch } from "../../src/credentials/authorized-fetch.ts";
import { envKeyRing } from "../../src/credentials/env-keys.ts";
import { hostFetch } from "../../src/platform/sockets/fetch.ts";
import { anthropicProvider } from "../../src/providers/anthropic/anthropic.ts";
import { customProvider } from "../../src/providers/custom/custom.ts";
import type { ProviderDependencies } from "../../src/providers/dialect/dialect-provider.ts";
import { localProvider } from "../../src/providers/local/local.ts";
import { openAiProvider } from "../../src/providers/openai/openai.ts";
import { openRouterProvider } from "../../src/providers/openrouter/openrouter.ts";
import type { ModelEvent, ModelRequest, Provider } from "../../src/providers/provider.ts";
import type { CustomProvider } from "../../src/providers/vendors.ts";
import { keyNeeds } from "../../src/providers/vendors.ts";
import { zaiProvider } from "../../src/providers/zai/zai.ts";
import type { MockOptions, MockProvider } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";
import type { TestWorld } from "./world.ts";
import { testWorld } from "./world.ts";

export const KEY = "sk-mock-0123456789abcdef";
const ENV = {
  ANTHROPIC_API_KEY: KEY,
  OPENAI_API_KEY: KEY,
  OPENROUTER_API_KEY: KEY,
  ZAI_API_KEY: KEY,
  OWN_KEY: KEY,
};

/** The built-in vendors, a server on this machine, and one's own provider of each kind. */
export const RIG_VENDORS = [
  "anthropic",
  "openai",
  "openrouter",
  "zai",
  "local",
  "own openai-compatible",
  "own openai-responses",
  "own anthropic",
] as const;
export type RigVendor = (typeof RIG_VENDORS)[number];

export interface ProviderRig extends AsyncDisposable {
  readonly mock: MockProvider;
  readonly provider: Provider;
  readonly world: TestWorld;
  /** Resolves when the head of the next answer has arrived. */
  answered(): Promise<void>;
  /** Resolves when bytes of the next answer's body have come to whoever reads it. */
  heard(): Promise<void>;
}

export interface RigOptions extends Partial<MockOptions> {
  readonly vendor?: RigVendor;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: ProviderDependencies["limits"];
  readonly cacheDirectory?: string;
  /** Appended to the mock's address; `/v1` unless told. */
  readonly basePath?: string;
  /** Another address than the mock's. */
  readonly baseUrl?: string;
}

/** A provider adapter, with the real way to the network, in front of the mock. The clock is the test's. */
export function openProviderRig(options: RigOptions = {}): ProviderRig {
  const { vendor = "anthropic", env = ENV, limits, cacheDirectory } = options;
  const mock = startMockProvider({ script: [], ...(vendor === "local" ? {} : { key: KEY }), ...options });
  const world = testWorld({ fetch: hostFetch() });
  const baseUrl = options.baseUrl ?? mock.url + (options.basePath ?? "/v1");
  const own: CustomProvider = { name: "own", kind: kindOf(vendor), baseUrl, apiKeyEnv: "OWN_KEY" };
  const customs = [own];
  const answered = new Bell();
  const heard = new Bell();
  const send = authorizedFetch({
    fetch: async (url, init) => {
      const response = await world.fetch(url, init);
      answered.ring();
      return withReadsTold(response, () => heard.ring());
    },
    keys: envKeyRing(env, customs),
    needsOf: (name) => keyNeeds(name, customs),
  });
  const port: ProviderDependencies = {
    world,
    send,
    ...(vendor.startsWith("own ") ? {} : { baseUrl }),
    ...(limits === undefined ? {} : { limits }),
    ...(cacheDirectory === undefined ? {} : { cacheDirectory }),
  };
  const provider = vendor.startsWith("own ") ? customProvider(own, port) : builtIn(vendor, port);
  return {
    mock,
    provider,
    world,
    answered: () => answered.next(),
    heard: () => heard.next(),
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  };
}

/** Something that happens again and again, and is waited for once at a time. */
class Bell {
  readonly #waiting = new Set<() => void>();

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  ring(): void {
    for (const tell of this.#waiting) tell();
    this.#waiting.clear();
  }
}

/** The same answer; `tell` is called when a read of its body has brought bytes. */
function withReadsTold(response: Response, tell: () => void): Response {
  const { body } = response;
  if (body === null) return response;
  const reader = body.getReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      controller.enqueue(value);
      tell();
    },
    cancel: (reason: unknown) => reader.cancel(reason),
  };
  const { status, headers } = response;
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), { status, headers });
}

function kindOf(vendor: RigVendor): CustomProvider["kind"] {
  if (vendor === "own anthropic") return "anthropic";
  return vendor === "own openai-responses" ? "openai-responses" : "openai-compatible";
}

function builtIn(vendor: RigVendor, port: ProviderDependencies): Provider {
  switch (vendor) {
    case "anthropic":
      return anthropicProvider(port);
    case "openai":
      return openAiProvider(port);
    case "openrouter":
      return openRouterProvider(port);
    case "zai":
      return zaiProvider(port);
    default:
      return localProvider({ name: "ollama", title: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" }, port);
  }
}

export const REQUEST: ModelRequest = {
  model: "mock-model",
  system: [],
  messages: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
  tools: [],
  outputTokensMax: 1_000,
  cache: { prefix: false, messages: [] },
};

export const NEVER = new AbortController().signal;

/** Runs one answer to its end. */
export async function answerOf(
  provider: Provider,
  request: ModelRequest = REQUEST,
  signal: AbortSignal = NEVER,
): Promise<readonly ModelEvent[]> {
  return await Array.fromAsync(provider.chat(request, signal));
}

/** Returns the failure in a form that can be compared whole. */
export async function failureOf(work: Promise<unknown>): Promise<object> {
  try {
    await work;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    const { reason, transient, retryAfterMs } = thrown as Error & Record<string, unknown>;
    return {
      reason,
      transient,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      message: thrown.message,
    };
  }
  return { reason: "none" };
}

/** The text of an answer. */
export function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}
