import type { Engine } from "./engine.ts";
import { invalidAnswer } from "./errors.ts";
import type { NewsOptions } from "./news.ts";
import { readNews } from "./news.ts";
import type {
  CreateSessionCommand,
  Handshake,
  Health,
  McpServerInfo,
  ModelInfo,
  NewsItem,
  ProfileInfo,
  ProviderInfo,
  Queries,
  QueryRoute,
  RuntimeInfo,
  SessionInfo,
  SkillInfo,
  SkillText,
  SlashCommandInfo,
  TaskInfo,
  ToolInfo,
} from "./protocol.ts";
import { QUERY_ROUTES } from "./protocol.ts";
import type { AcceptedOf, SignalOption } from "./session.ts";
import { accepted, Session } from "./session.ts";
import { Tokens } from "./tokens.ts";

/** Options of a new session. Defaults: the configuration of the engine's user. */
export type CreateOptions = SignalOption & Omit<CreateSessionCommand, "kind" | "resume">;

/** One client of one engine. Made by `connect`. */
export class Client {
  readonly #engine: Engine;
  /** Versions, kinds and features of the engine. */
  readonly handshake: Handshake;
  readonly sessions: Sessions;
  readonly tokens: Tokens;

  constructor(engine: Engine, handshake: Handshake) {
    [this.#engine, this.handshake] = [engine, handshake];
    this.sessions = new Sessions(engine);
    this.tokens = new Tokens(engine);
  }

  /** Id of this client at the engine: the originator of its inputs. */
  get clientId(): string | undefined {
    return this.#engine.clientId;
  }

  /** A session that is known by its id; nothing is asked yet. */
  session(id: string): Session {
    return new Session(this.#engine, id);
  }

  /** Stops everything that waits. No turn is stopped by it. */
  close(): void {
    this.#engine.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * The news about all sessions: a `SessionChanged` of each, `NewsReady`, then what changes, in the newest state. What
   * breaks is opened again and begins with all sessions; those that are gone meanwhile are told as gone.
   */
  news(options: NewsOptions = {}): AsyncGenerator<NewsItem, void> {
    return readNews(this.#engine, options);
  }

  /** Asks any query of the engine: `client.query("ListTools", { sessionId })`. */
  async query<Kind extends keyof Queries>(
    kind: Kind,
    params: Queries[Kind]["params"],
    { signal }: SignalOption = {},
  ): Promise<Queries[Kind]["result"]> {
    const { method, path, body } = queryRequest(QUERY_ROUTES[kind], params);
    return (await this.#engine.ask(method, path, { signal, body })).body as Queries[Kind]["result"];
  }

  async health(options: SignalOption = {}): Promise<Health> {
    return (await this.#get("/v1/health", options)) as Health;
  }

  async runtime(options: SignalOption = {}): Promise<RuntimeInfo> {
    return (await this.#get("/v1/runtime", options)) as RuntimeInfo;
  }

  async profiles(options: SignalOption = {}): Promise<readonly ProfileInfo[]> {
    return await this.#list("/v1/profiles", "profiles", options);
  }

  async providers(options: SignalOption = {}): Promise<readonly ProviderInfo[]> {
    return await this.#list("/v1/providers", "providers", options);
  }

  /**
   * Stores the key of a provider, encrypted, on the engine's machine; the engine uses it at once. Only people may, and
   * only over the engine's Unix socket (`unixSocket` of `cinch-client/node`). @throws CinchError NotOnThisMachine.
   */
  async storeProviderKey(
    provider: string,
    key: string,
    { signal }: SignalOption = {},
  ): Promise<AcceptedOf<"StoreProviderKey">> {
    const path = `/v1/providers/${encodeURIComponent(provider)}/key`;
    const answer = await this.#engine.ask("POST", path, {
      body: { key },
      command: "StoreProviderKey",
      signal,
    });
    return accepted(answer.body, this.#engine.url) as AcceptedOf<"StoreProviderKey">;
  }

  /** The models that a provider offers now. */
  async models(provider: string, options: SignalOption = {}): Promise<readonly ModelInfo[]> {
    return await this.#list(`/v1/providers/${encodeURIComponent(provider)}/models`, "models", options);
  }

  async tools(options: SignalOption = {}): Promise<readonly ToolInfo[]> {
    return await this.#list("/v1/tools", "tools", options);
  }

  async skills(options: SignalOption = {}): Promise<readonly SkillInfo[]> {
    return await this.#list("/v1/skills", "skills", options);
  }

  async skill(name: string, options: SignalOption = {}): Promise<SkillText> {
    return (await this.#get(`/v1/skills/${encodeURIComponent(name)}`, options)) as SkillText;
  }

  async slashCommands(options: SignalOption = {}): Promise<readonly SlashCommandInfo[]> {
    return await this.#list("/v1/slash-commands", "slash_commands", options);
  }

  async mcpServers(options: SignalOption = {}): Promise<readonly McpServerInfo[]> {
    return await this.#list("/v1/mcp/servers", "servers", options);
  }

  async #get(path: string, { signal }: SignalOption): Promise<unknown> {
    return (await this.#engine.ask("GET", path, { signal })).body;
  }

  async #list<Item>(path: string, name: string, options: SignalOption): Promise<readonly Item[]> {
    return listOf<Item>(await this.#get(path, options), name, this.#engine.url);
  }
}

/** The sessions of an engine, as far as the token names them. */
export class Sessions {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Lists the running sessions, the newest first; with `past`, stored ones too. Takes the parameters of the query
   * `ListSessions`; `client.query` gives the cursor of the next page too.
   */
  async list({
    signal,
    ...params
  }: SignalOption & Queries["ListSessions"]["params"] = {}): Promise<readonly SessionInfo[]> {
    const { method, path } = queryRequest(QUERY_ROUTES.ListSessions, params);
    const { body } = await this.#engine.ask(method, path, { signal });
    return listOf<SessionInfo>(body, "sessions", this.#engine.url);
  }

  /** One session. @throws CinchError UnknownSession. */
  async get(id: string, { signal }: SignalOption = {}): Promise<SessionInfo> {
    return (await this.#engine.ask("GET", `/v1/sessions/${encodeURIComponent(id)}?last=0`, { signal }))
      .body as SessionInfo;
  }

  /** Lists the background tasks of a session. */
  async tasks(id: string, { signal }: SignalOption = {}): Promise<readonly TaskInfo[]> {
    const { body } = await this.#engine.ask("GET", `/v1/sessions/${encodeURIComponent(id)}/tasks`, {
      signal,
    });
    return listOf<TaskInfo>(body, "tasks", this.#engine.url);
  }

  /** Begins a new session. */
  async create({ signal, ...more }: CreateOptions = {}): Promise<Session> {
    return await this.#open("/v1/sessions", "CreateSession", more, signal);
  }

  /** Goes on with one that has ended, or whose engine has: as a new run on its log, or the run that there is. */
  async resume(id: string, { signal }: SignalOption = {}): Promise<Session> {
    const path = `/v1/sessions/${encodeURIComponent(id)}/command`;
    return await this.#open(path, "AttachSession", { kind: "AttachSession" }, signal, id);
  }

  async #open(
    path: string,
    command: string,
    body: object,
    signal: AbortSignal | undefined,
    known?: string,
  ): Promise<Session> {
    const answer = await this.#engine.ask("POST", path, { body, command, signal });
    const id = accepted(answer.body, this.#engine.url).sessionId ?? known;
    if (id === undefined) throw invalidAnswer(this.#engine.url, "it does not say which session");
    return new Session(this.#engine, id);
  }
}

/** A query as a request: the fields that are not in the path are the query string, or the body of a POST. */
function queryRequest(route: QueryRoute, params: object) {
  const fields: Readonly<Record<string, unknown>> = { ...params };
  const isOfSession = route.ofSession !== undefined && fields["sessionId"] !== undefined;
  const template = isOfSession ? (route.ofSession ?? "") : route.path;
  const used = new Set<string>();
  const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const field = name === "id" ? "sessionId" : name === "name" ? (route.name ?? "name") : name;
    used.add(field);
    return encodeURIComponent(String(fields[field]));
  });
  const left = Object.entries(fields).filter(([field, value]) => !used.has(field) && value !== undefined);
  if (route.method === "POST") return { method: "POST", path, body: Object.fromEntries(left) } as const;
  const words = left.flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [field, String(each)]),
  );
  const search = new URLSearchParams(words).toString();
  return { method: "GET", path: search === "" ? path : `${path}?${search}`, body: undefined } as const;
}

function listOf<Item>(body: unknown, name: string, url: string): readonly Item[] {
  const list: unknown = Object(body)[name];
  if (!Array.isArray(list)) throw invalidAnswer(url, `there is no list of ${name} in it`);
  return list;
}
