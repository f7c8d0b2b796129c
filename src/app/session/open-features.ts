import { assert } from "../../base/assert.ts";
import { defined } from "../../base/defined.ts";
import type { EngineHealth } from "../../protocol/resources.ts";
import type { QueryHandlers, SessionCommands } from "../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { Around, CallForecast, EngineFeature, Feature, OpenFeature } from "../../session/feature.ts";
import type { SessionPermissions } from "../../session/guard/permissions.ts";
import type { EngineHost, SessionFeatures, SessionHost } from "../../session/host.ts";
import type { AgentRunner } from "../../session/spawn.ts";
import type { SessionDependencies } from "../../session/turns/session-dependencies.ts";
import type { ToolCall } from "../../tools/middleware.ts";
import type { ToolContext, ToolSource } from "../../tools/tool.ts";
import type { FeatureSet } from "../plan/feature-set.ts";
import { toolMiddlewareAt } from "./chains/chains.ts";
import { joinSlots } from "./join-slots.ts";

/**
 * The features of one engine, and the parts of them that outlive a session, each opened before the first session that
 * needs it.
 */
export class EngineFeatures implements AsyncDisposable {
  /** All features that a session may use. */
  readonly set: FeatureSet;
  readonly #host: EngineHost;
  readonly #opened = new Map<Feature, Promise<EngineFeature | undefined>>();
  #port: EnginePort | undefined;

  constructor(host: EngineHost, set: FeatureSet) {
    this.#host = host;
    this.set = set;
  }

  /** All features that a session may use, in their normative order. */
  get all(): readonly Feature[] {
    return this.set.features;
  }

  of(feature: Feature): Promise<EngineFeature | undefined> {
    const opening = this.#opened.get(feature) ?? this.#open(feature);
    this.#opened.set(feature, opening);
    return opening;
  }

  async #open(feature: Feature): Promise<EngineFeature | undefined> {
    await using undo = new AsyncDisposableStack();
    const opened = await feature.openEngine?.(this.#host);
    undo.use(opened);
    if (this.#port !== undefined) await opened?.serve?.(this.#port);
    undo.move(); // the engine frees it
    return opened;
  }

  /** Opens the transports of features, also of those that are opened later. Only the first call counts. */
  async serve(port: EnginePort): Promise<void> {
    if (this.#port !== undefined) return;
    const before = [...this.#opened.values()];
    this.#port = port;
    for (const opening of before) await (await opening.catch(() => undefined))?.serve?.(port);
    for (const feature of this.all)
      if (feature.serving?.atStart?.(this.#host) === true) await this.of(feature);
  }

  /** Returns what the opened features say of their health. */
  async health(): Promise<Partial<EngineHealth>> {
    let all: Partial<EngineHealth> = {};
    for (const opening of this.#opened.values()) {
      const opened = await opening.catch(() => undefined); // the session that needed it got the failure
      all = { ...all, ...opened?.health?.() };
    }
    return all;
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
  /** The features as each of them sees the others. */
  readonly shared: SessionFeatures;
  readonly #open: readonly OpenFeature[];
  readonly around: readonly Around[];
  readonly commands: SessionCommands;
  readonly queries: QueryHandlers;
  readonly takes: NonNullable<SessionDependencies["takes"]>;
  readonly rewind: SessionDependencies["rewind"];

  private constructor(open: readonly OpenFeature[], shared: SessionFeatures) {
    this.#open = open;
    this.shared = shared;
    this.around = open.flatMap(({ around = [] }) => around);
    this.commands = joinSlots(
      "commands",
      open.map(({ commands }) => commands),
    );
    this.queries = joinSlots(
      "queries",
      open.map(({ queries }) => queries),
    );
    this.takes = open.flatMap(({ takes = [] }) => takes);
    const rewinding = onlyOne("rewind", open);
    this.rewind = rewinding?.rewind?.bind(rewinding);
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
    const shared = shareFeatures(opened, host.permissions);
    const parts = opened.flatMap((each): readonly OpenFeature[] => [each, each.join?.(shared) ?? {}]);
    const all = new OpenFeatures(parts, shared); // throws if two features fill one slot
    undo.move(); // the session frees them
    return all;
  }

  /** Returns their tools, in the order of the features. */
  tools(agents: AgentRunner): readonly ToolSource[] {
    return this.#open.flatMap((each) => [...(each.tools ?? []), ...(each.agentTools?.(agents) ?? [])]);
  }

  /** Files for inputs, if a feature keeps them. */
  get files(): Pick<SessionDependencies, "attachments" | "unsaved" | "turnFiles"> {
    const keeping = onlyOne("turnFiles", this.#open);
    return defined({
      attachments: onlyOne("attachments", this.#open)?.attachments,
      unsaved: onlyOne("unsaved", this.#open)?.unsaved,
      turnFiles: keeping?.turnFiles?.bind(keeping),
    });
  }

  get prepareSwitch(): OpenFeature["prepareSwitch"] {
    return onlyOne("prepareSwitch", this.#open)?.prepareSwitch;
  }

  readonly ownerOf: NonNullable<SessionDependencies["ownerOf"]> = (namespace) => {
    const [owner, ...others] = this.#open.flatMap((each) => each.ownerOf?.(namespace) ?? []);
    assert(others.length === 0, `one feature owns the namespace ${namespace}`);
    return owner;
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

  /** Returns what features may do to a call before it is judged. */
  async forecast(call: ToolCall, context: ToolContext): Promise<readonly CallForecast[]> {
    return (await Promise.all(this.#open.map((each) => each.forecast?.(call, context) ?? []))).flat();
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

/** Returns the features of a session as each of them sees the others. */
function shareFeatures(open: readonly OpenFeature[], permissions: SessionPermissions): SessionFeatures {
  return {
    async onCompact(moment, context) {
      for (const each of open) await each.onCompact?.(moment, context);
    },
    carries: () =>
      joinSlots(
        "carries",
        open.map((each) => each.carries?.()),
      ),
    lists: {
      skills: () => open.flatMap(({ skills }) => skills?.() ?? []),
      mcpServers: () => open.flatMap(({ mcpServers }) => mcpServers?.() ?? []),
      slashCommands: async () =>
        (await Promise.all(open.map(({ slashCommands }) => slashCommands?.() ?? []))).flat(),
      aliasProblems: async () =>
        (await Promise.all(open.map(({ aliasProblems }) => aliasProblems?.() ?? []))).flat(),
      async completes(typed, signal) {
        for (const { completes } of open) {
          const completion = await completes?.(typed, signal);
          if (completion !== undefined) return completion;
        }
        return undefined;
      },
    },
    summary: async (...of) => await onlyOne("summary", open)?.summary?.(...of),
    async unasked(call, context) {
      const { runUnasked } = await import("./chains/run-unasked.ts");
      const around = open.flatMap((each) => each.around ?? []);
      return await runUnasked(call, context, { hooks: toolMiddlewareAt(around, "hooks"), permissions });
    },
  };
}

/** Returns the one feature that fills a slot of which a session has one; undefined if none does. Two are a mistake. */
function onlyOne(slot: keyof OpenFeature, open: readonly OpenFeature[]): OpenFeature | undefined {
  const [first, ...others] = open.filter((each) => each[slot] !== undefined);
  assert(others.length === 0, `one feature has ${String(slot)}`);
  return first;
}
