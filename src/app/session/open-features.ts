import type { RequestContext } from "../../providers/middleware.ts";
import type { SessionLists } from "../../session/commands/lists.ts";
import type { QueryHandlers, SessionCommands } from "../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { Around, EngineFeature, Feature, OpenFeature } from "../../session/feature.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { CarriedState } from "../../session/moments.ts";
import type { SessionDependencies } from "../../session/turns/session-dependencies.ts";

/** The features of one engine, and the parts of them that outlive a session, each opened before the first session that needs it. */
export class EngineFeatures implements AsyncDisposable {
  /** All features that a session may use, in their normative order. */
  readonly all: readonly Feature[];
  readonly #host: EngineHost;
  readonly #opened = new Map<Feature, Promise<EngineFeature | undefined>>();
  #port: EnginePort | undefined;

  constructor(host: EngineHost, all: readonly Feature[]) {
    this.#host = host;
    this.all = all;
  }

  of(feature: Feature): Promise<EngineFeature | undefined> {
    const opening = this.#opened.get(feature) ?? this.#open(feature);
    this.#opened.set(feature, opening);
    return opening;
  }

  async #open(feature: Feature): Promise<EngineFeature | undefined> {
    const opened = await feature.openEngine?.(this.#host);
    if (this.#port !== undefined) await opened?.serve?.(this.#port);
    return opened;
  }

  /** Opens the transports of features, also of those that are opened later. Only the first call counts. */
  async serve(port: EnginePort): Promise<void> {
    if (this.#port !== undefined) return;
    const before = [...this.#opened.values()];
    this.#port = port;
    for (const opening of before) await (await opening.catch(() => undefined))?.serve?.(port);
    for (const feature of this.all) if (feature.serves?.(this.#host) === true) await this.of(feature);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await using stack = new AsyncDisposableStack();
    for (const opening of this.#opened.values()) {
      const opened = await opening.catch(() => undefined); // the session that needed it got the failure
      if (opened !== undefined) stack.use(opened);
    }
  }
}

/** All features of a session as one: lists are concatenated, calls go to each in turn. */
export class OpenFeatures {
  readonly #open: readonly OpenFeature[];
  readonly around: readonly Around[];
  readonly commands: SessionCommands;
  readonly queries: QueryHandlers;
  readonly lists: Required<SessionLists>;
  readonly takes: NonNullable<SessionDependencies["takes"]>;
  readonly rewind: SessionDependencies["rewind"];

  private constructor(open: readonly OpenFeature[]) {
    this.#open = open;
    this.around = open.flatMap(({ around = [] }) => around);
    this.commands = Object.assign({}, ...open.map(({ commands }) => commands));
    this.queries = Object.assign({}, ...open.map(({ queries }) => queries));
    this.takes = open.flatMap(({ takes = [] }) => takes);
    const rewinding = open.find(({ rewind }) => rewind !== undefined);
    this.rewind = rewinding?.rewind?.bind(rewinding);
    this.lists = {
      skills: () => open.flatMap(({ skills }) => skills?.() ?? []),
      mcpServers: () => open.flatMap(({ mcpServers }) => mcpServers?.() ?? []),
      slashCommands: async () =>
        (await Promise.all(open.map(({ slashCommands }) => slashCommands?.() ?? []))).flat(),
      aliasProblems: async () =>
        (await Promise.all(open.map(({ aliasProblems }) => aliasProblems?.() ?? []))).flat(),
    };
  }

  /**
   * Opens the features that a session needs, in their order. What was opened is freed if one throws.
   * @throws HarnessError as the feature does.
   */
  static async open(host: SessionHost, engine: Pick<EngineFeatures, "all" | "of">): Promise<OpenFeatures> {
    await using undo = new AsyncDisposableStack();
    const opened: OpenFeature[] = [];
    for (const feature of engine.all.filter((each) => each.isUsed(host.plan()))) {
      const open = await feature.open(host, await engine.of(feature));
      if (open === undefined) continue;
      undo.defer(async () => await open[Symbol.asyncDispose]?.());
      opened.push(open);
    }
    undo.move(); // the session frees them
    return new OpenFeatures(opened);
  }

  get tools(): NonNullable<OpenFeature["tools"]> {
    return this.#open.flatMap(({ tools = [] }) => tools);
  }

  get prepareSwitch(): OpenFeature["prepareSwitch"] {
    return this.#open.find(({ prepareSwitch }) => prepareSwitch !== undefined)?.prepareSwitch;
  }

  readonly ownerOf: NonNullable<SessionDependencies["ownerOf"]> = (namespace) => {
    for (const each of this.#open) {
      const owner = each.ownerOf?.(namespace);
      if (owner !== undefined) return owner;
    }
    return undefined;
  };

  readonly onInput: NonNullable<SessionDependencies["onInput"]> = async (content, turn, wants) => {
    const added = [];
    for (const each of this.#open) added.push(...((await each.onInput?.(content, turn, wants)) ?? []));
    return added;
  };

  readonly onTurnEnd: NonNullable<SessionDependencies["onTurnEnd"]> = async (reason, turn) => {
    for (const each of this.#open) await each.onTurnEnd?.(reason, turn);
  };

  onFollowed(): void {
    for (const each of this.#open) each.onFollowed?.();
  }

  async onCompact(
    moment: { readonly trigger: string; readonly tokens: number },
    context: RequestContext,
  ): Promise<void> {
    for (const each of this.#open) await each.onCompact?.(moment, context);
  }

  carries(): CarriedState {
    return Object.assign({}, ...this.#open.map((each) => each.carries?.() ?? {}));
  }

  /** Number of tasks in the background that features run. */
  running(): number {
    return this.#open.reduce((sum, each) => sum + (each.running?.() ?? 0), 0);
  }

  async ready(signal: AbortSignal): Promise<void> {
    for (const each of this.#open) await each.ready?.(signal);
  }

  notices(): readonly string[] {
    return this.#open.flatMap((each) => each.notices?.() ?? []);
  }

  /** Ends what features still run. Every feature is called, even if another one failed; failures are thrown last. */
  async settle(): Promise<void> {
    await using inOrder = new AsyncDisposableStack();
    for (const each of this.#open.toReversed()) inOrder.defer(async () => await each.settle?.());
  }

  /** Frees every feature, the last opened first. */
  async close(): Promise<void> {
    await using lastFirst = new AsyncDisposableStack();
    for (const each of this.#open) lastFirst.defer(async () => await each[Symbol.asyncDispose]?.());
  }
}
