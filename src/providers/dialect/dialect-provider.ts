import { CacheBudget } from "../../base/cache-budget.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { World } from "../../base/world.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import { CANONICAL_FORM_VERSION } from "../../protocol/version.ts";
import { isMediaBlock } from "../../safety/media/media-block.ts";
import type { AuthorizedFetch, CredentialUse } from "../authorized-fetch.ts";
import { knownModel } from "../choosing/prices.ts";
import { ProviderError } from "../error.ts";
import { fetchText, openEventStream } from "../http/http.ts";
import type { StreamLimits } from "../http/stream-limits.ts";
import type { Medium, Model, ModelEvent, ModelRequest, Provider, Server } from "../provider.ts";
import { tokensAt } from "../token-count.ts";
import { AnswerStream } from "./answer/answer-stream.ts";
import { joinDeltas } from "./answer/join-deltas.ts";
import type { Catalogue, CatalogueSnapshot } from "./catalogue/catalogue-cache.ts";
import { CATALOGUE_BYTES_MAX, openCatalogue } from "./catalogue/catalogue-cache.ts";
import type { Dialect, DialectContext, DialectQuirks } from "./dialect.ts";
import { commonStart } from "./request/common-start.ts";
import { RequestBytes } from "./request/request-bytes.ts";
import type { FittedMessages } from "./request/stand-ins.ts";
import { StandIns } from "./request/stand-ins.ts";
import { estimateTokens } from "./request/token-estimate.ts";

const CATALOGUE_MS_MAX = 20_000;
const COUNT_MS_MAX = 20_000;
const COUNT_BYTES_MAX = 65_536;

/** Dependencies of a provider. */
export interface ProviderDependencies {
  readonly world: Pick<World, "clock" | "files" | "log">;
  readonly send: AuthorizedFetch;
  /** Directory that keeps catalogues across processes; absent: in memory only. */
  readonly cacheDirectory?: string;
  /** Budget shared by all caches of the engine; absent: the caches of this provider have their own. */
  readonly caches?: CacheBudget;
  /** Another address than the vendor's: a gateway, a test. Never from a project's files. */
  readonly baseUrl?: string;
  readonly limits?: Partial<StreamLimits>;
}

/** Definition of a vendor: one dialect at one address, and its differences. */
export interface Vendor {
  readonly name: string;
  readonly family: string;
  readonly dialect: Dialect;
  readonly baseUrl: string;
  readonly credential: CredentialUse;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: DialectQuirks;
  /** Returns the path appended to the base URL, if it is not the dialect's. */
  readonly pathOf?: (model: string) => string;
  /** Returns headers that depend on the request. */
  readonly requestHeaders?: (request: ModelRequest) => Readonly<Record<string, string>>;
  /** Appended to the base URL. */
  readonly cataloguePath?: string;
  /** See `Provider`. */
  readonly pricesInCatalogue?: boolean;
  /** Models that the catalogue may leave out. */
  readonly models?: readonly Model[];
  /** True if `models` is returned even when no catalogue can be fetched. */
  readonly catalogueOptional?: boolean;
  /** Path of the free token count, and the model to name there. */
  readonly tokenCount?: { readonly path: string; readonly model: string };
  readonly limits?: Partial<StreamLimits>;
}

/**
 * Creates a provider from a dialect and an address, over raw HTTP (PROV-01).
 *
 * @throws HarnessError UsageInvalid for an address that is no http or https URL.
 */
export function dialectProvider(vendor: Vendor, dependencies: ProviderDependencies): Provider {
  const { name, family, dialect, credential } = vendor;
  const { clock, log } = dependencies.world;
  const baseUrl = checkedBaseUrl(name, dependencies.baseUrl ?? vendor.baseUrl);
  const headers = vendor.headers ?? {};
  const limits = { ...vendor.limits, ...dependencies.limits };
  const wire = { provider: name, headers, credential, send: dependencies.send, clock };
  const requestBytes = new RequestBytes();

  const catalogue = openVendorCatalogue(vendor, dependencies, { wire, baseUrl });

  const fitted = messageFitter(vendor, catalogue);
  async function* chat(
    ...[asIs, signal, onSilence, listener]: Parameters<Provider["chat"]>
  ): AsyncGenerator<ModelEvent> {
    const request = { ...asIs, messages: (await fitted(asIs))?.messages ?? asIs.messages };
    const context = contextFor(vendor, request);
    const body = requestBytes.render(dialect.body(request, context));
    const { model, isUnwatched } = request;
    const url = baseUrl + (vendor.pathOf?.(model) ?? dialect.path);
    const asked = { ...wire, isUnwatched, headers: { ...headers, ...vendor.requestHeaders?.(request) } };
    await using bytes = await openEventStream({ ...asked, model, url, body, signal, limits, onSilence });
    const answer = new AnswerStream(dialect, context, listener);
    let isFinished = false;
    try {
      while (!answer.isOver) {
        const chunk = await bytes.read();
        const { events, failure } = chunk === undefined ? answer.end() : answer.push(chunk);
        for (const event of joinDeltas(events)) {
          isFinished ||= event.kind === "finish";
          yield event;
        }
        if (failure !== undefined) throw failure;
      }
    } finally {
      if (isFinished) await bytes.drain();
    }
  }

  async function tokenCount(messages: readonly Message[], signal: AbortSignal): Promise<number> {
    if (vendor.tokenCount === undefined || messages.length === 0) return estimateTokens(messages);
    const { path, model } = vendor.tokenCount;
    const sent = (await fitted({ model, messages }))?.messages ?? messages;
    const request = { ...EMPTY_REQUEST, model, messages: sent };
    const body = dialect.body(request, contextFor(vendor, request));
    const asked = { model, messages: body["messages"] };
    try {
      const text = await fetchText({
        ...wire,
        model,
        url: baseUrl + path,
        body: asked,
        signal,
        bytesMax: COUNT_BYTES_MAX,
        limits: { headersMsMax: COUNT_MS_MAX },
      });
      return tokensAt(parseJson(text)?.value, "input_tokens") ?? estimateTokens(messages);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof ProviderError)) throw thrown;
      log.write("warn", "tokens are estimated, since the provider did not count them", {
        provider: name,
        problem: messageOf(thrown),
      });
      return estimateTokens(messages);
    }
  }

  return {
    name,
    family,
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    pricesInCatalogue: vendor.pricesInCatalogue ?? false,
    server: serverOf(baseUrl),
    chat,
    ...modelList(vendor, catalogue, log),
    leavesOut: (request) => fitted(request)?.then(({ leftOut }) => leftOut),
    tokenCount,
  };
}

function contextFor({ name, family, quirks }: Vendor, { model, tools }: ModelRequest): DialectContext {
  const toolNames = tools.map((tool) => tool.name);
  return { provider: name, family, model, toolNames, ...defined({ quirks }) };
}

/** Fields of every request to a vendor. */
type Wire = Pick<Parameters<typeof fetchText>[0], "provider" | "headers" | "credential" | "send" | "clock">;

function openVendorCatalogue(
  { name, cataloguePath = "/models" }: Vendor,
  { world, caches = new CacheBudget(), cacheDirectory: directory }: ProviderDependencies,
  { wire, baseUrl }: { readonly wire: Wire; readonly baseUrl: string },
): Catalogue {
  const url = baseUrl + cataloguePath;
  return openCatalogue({
    world,
    provider: name,
    url,
    cache: caches.open<CatalogueSnapshot>("models"),
    ...defined({ directory }),
    fetch: (signal) =>
      fetchText({
        ...wire,
        model: "",
        url,
        signal,
        bytesMax: CATALOGUE_BYTES_MAX,
        limits: { headersMsMax: CATALOGUE_MS_MAX },
      }),
  });
}

type Fitted = Promise<FittedMessages> | undefined;

/** Returns a function that fits messages to a model (ENG-25), and returns undefined for messages with text only. */
function messageFitter({ name, dialect, quirks }: Vendor, catalogue: Catalogue) {
  const standIns = new StandIns();
  return ({ model, messages }: Pick<ModelRequest, "model" | "messages">): Fitted => {
    if (!hasMedia(messages)) return undefined;
    return (async () => {
      const listed = (await catalogue.known()).find(({ id }) => id === model);
      const takes = listed?.takes ?? knownModel(name, model)?.takes;
      return standIns.fit(messages, { dialect: dialect.carries(quirks), model: takes });
    })();
  };
}

/**
 * Returns the lists of a vendor's models, those of its catalogue, then those that it leaves out, and what none of them
 * can be sent.
 */
function modelList(
  vendor: Vendor,
  catalogue: Catalogue,
  log: Log,
): Pick<Provider, "carriesNo" | "known" | "models"> {
  const { name, dialect, quirks } = vendor;
  const carried = dialect.carries(quirks);

  function withOthers(listed: readonly Model[]): readonly Model[] {
    const ids = new Set(listed.map(({ id }) => id));
    const others = (vendor.models ?? []).filter(({ id }) => !ids.has(id));
    return [...listed, ...others].map((model) => ({ ...knownModel(name, model.id), ...model }));
  }

  async function listedOrNone(signal: AbortSignal): Promise<readonly Model[]> {
    try {
      return await catalogue.models(signal);
    } catch (thrown) {
      signal.throwIfAborted();
      // A missing catalogue is tolerated; a missing or refused key is reported here as everywhere.
      const isKey = hasReason(thrown, "ProviderKeyMissing") || hasReason(thrown, "ProviderKeyRefused");
      if (isKey || !(thrown instanceof Error)) throw thrown;
      log.write("info", "the provider has no catalogue now", { provider: name, problem: messageOf(thrown) });
      return [];
    }
  }

  return {
    carriesNo: MEDIA.filter((medium) => !carried.includes(medium)),
    known: async () => withOthers(await catalogue.known()),
    async models(signal) {
      const listed = vendor.catalogueOptional ? await listedOrNone(signal) : await catalogue.models(signal);
      return withOthers(listed);
    },
  };
}

const EMPTY_REQUEST: Omit<ModelRequest, "model"> = {
  system: [],
  messages: [],
  tools: [],
  outputTokensMax: 1,
  cache: { prefix: false, messages: [] },
};

const MEDIA: readonly Medium[] = ["image", "audio", "pdf"];

/** By the first message: the last searched messages. Every request searches a history that has grown a little. */
const searched = new WeakMap<Message, { readonly messages: readonly Message[]; readonly isFound: boolean }>();

function hasMedia(messages: readonly Message[]): boolean {
  const [first] = messages;
  if (first === undefined) return false;
  const before = searched.get(first);
  const isGrown = before !== undefined && commonStart(messages, before.messages) === before.messages.length;
  const added = messages.slice(isGrown ? before.messages.length : 0);
  const isFound = (isGrown && before.isFound) || added.some(({ content }) => content.some(holdsMedia));
  searched.set(first, { messages, isFound });
  return isFound;
}

function holdsMedia(block: ContentBlock): boolean {
  return block.type === "tool_result" ? block.content.some(isMediaBlock) : isMediaBlock(block);
}

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
]);

function serverOf(baseUrl: string): Server {
  const { protocol, hostname, port } = new URL(baseUrl);
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  return { address, port: port === "" ? (DEFAULT_PORTS.get(protocol) ?? 0) : Number(port) };
}

function checkedBaseUrl(provider: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const known = url?.protocol === "http:" || url?.protocol === "https:";
  if (!known || url === undefined || url.search !== "" || url.hash !== "" || url.username !== "") {
    const problem = `providers.${provider}.base_url: not a plain http or https address: ${text}`;
    throw new HarnessError("UsageInvalid", { problem });
  }
  return text.replace(/\/+$/, "");
}
