import type { SpawnParts } from "../engine/spawn.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { Event } from "../protocol/events/events.ts";
import type { McpServerInfo, SkillText, SlashCommandInfo } from "../protocol/resources.ts";
import type { RequestContext, RequestMiddleware } from "../providers/middleware.ts";
import type { ToolMiddleware } from "../tools/middleware.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ToolSource } from "../tools/tool.ts";
import type { AttachedClient } from "./access/client.ts";
import type { NamespaceOwner } from "./keeping.ts";
import type { CarriedState } from "./moments.ts";
import type { QueryHandlers, SessionCommands } from "./query-handlers.ts";
import type { Ask, Question } from "./questions.ts";
import type { SessionParts } from "./turns/session-parts.ts";

type OnInput = NonNullable<SessionParts["onInput"]>;
type OnTurnEnd = NonNullable<SessionParts["onTurnEnd"]>;
type OnCompact = (
  moment: { readonly trigger: string; readonly tokens: number },
  context: RequestContext,
) => Promise<void>;

/** What a part of a session gets to work with, before the first client can follow. */
export interface SessionSurface {
  readonly ask: Ask;
  /** Begins a turn with an input of the session's own, once none runs; resolves when it is accepted. */
  input(content: readonly InputBlock[]): Promise<void>;
  /** Answers for a person what is asked about something; false where nothing is. */
  answerAbout(about: Question["about"], answer: unknown, client: AttachedClient): boolean;
  /** Tells everybody who follows; safe at any time while the session lives. */
  publish(event: Event): void;
  /** Every tool there is now, with the name of its source. */
  tools(): ReturnType<ToolRegistry["list"]>;
  /** What sub-agents share with the session; there once the session is composed. */
  spawnParts(): SpawnParts;
  /** A person has changed what tools there are: they are declared anew from the next request on. */
  refreshTools(): void;
  /** Every event from now on, once it is in the log, until the session has ended. It keeps no session from being idle. */
  follow(signal: AbortSignal): AsyncIterable<Envelope>;
}

/** A server as one session shows it. */
export interface OfferedServer extends McpServerInfo {
  /** The server itself: sessions that share it offer the same one. */
  readonly of: object;
}

/** What a session has to show beside its events (CTL-15). Asked anew each time. */
export interface SessionOffers {
  readonly skills?: () => readonly SkillText[];
  readonly mcpServers?: () => readonly OfferedServer[];
  /** Beyond those that are the same for every session: skills, agents, prompt templates, a plugin's. */
  readonly slashCommands?: () => readonly SlashCommandInfo[] | Promise<readonly SlashCommandInfo[]>;
  /** Why alias files bring none of theirs: each with its file and line. */
  readonly aliasProblems?: () => Promise<readonly string[]>;
}

/**
 * What one mechanism adds to a session, each thing at its place in the normative order of the middleware.
 *
 * Parts are joined in the order in which they are listed; where something is nested, the first is outermost. A part
 * that has nothing to do in a session is not made, and nothing of it is loaded.
 */
export interface SessionPart extends SessionOffers {
  readonly tools?: readonly ToolSource[];
  /** Stands outermost: sees every call, the invalid ones too. */
  readonly telemetry?: readonly ToolMiddleware[];
  /** Stands between validation and permission. */
  readonly gate?: readonly ToolMiddleware[];
  /** Stands right around the tool, in its time limit; sees its output less secrets, and before it is cut. */
  readonly inner?: readonly ToolMiddleware[];
  /** Stands outermost around the provider call, outside of what assembles the context. */
  readonly request?: readonly RequestMiddleware[];
  /** Stands innermost, around each attempt of a request. */
  readonly attempt?: readonly RequestMiddleware[];
  readonly onInput?: OnInput;
  /** What an input may ask for beside its words, which `onInput` then looks after. */
  readonly takes?: NonNullable<SessionParts["takes"]>;
  readonly onTurnEnd?: OnTurnEnd;
  /** Told before the history is made smaller. */
  readonly onCompact?: OnCompact;
  /** Told each time a client begins to follow. */
  readonly onFollowed?: () => void;
  /** Commands of the protocol that it carries out. */
  readonly commands?: SessionCommands;
  /** Queries of the protocol that it answers. */
  readonly queries?: QueryHandlers;
  /** The plugin that owns a namespace of custom commands. */
  readonly ownerOf?: (namespace: string) => NamespaceOwner | undefined;
  /** How much of it runs in the background now: the session does not idle meanwhile. */
  readonly running?: () => number;
  /** State that a following session begins with. */
  readonly carries?: () => CarriedState;
  /** Given what it works with. */
  readonly serve?: (surface: SessionSurface) => void;
  /** Ends what it still runs, while its events can still be told. */
  readonly settle?: () => Promise<void>;
  /** Frees the rest, after the last event. */
  readonly close?: () => Promise<void>;
  /** Sentences for the person at the start. */
  readonly notices?: readonly string[];
}

/** All parts of a session as one: what is listed is put together, what is asked goes to each in turn. */
export interface JoinedParts {
  readonly tools: readonly ToolSource[];
  readonly telemetry: readonly ToolMiddleware[];
  readonly gate: readonly ToolMiddleware[];
  readonly inner: readonly ToolMiddleware[];
  readonly request: readonly RequestMiddleware[];
  readonly attempt: readonly RequestMiddleware[];
  readonly onInput: OnInput;
  readonly takes: NonNullable<SessionParts["takes"]>;
  readonly onTurnEnd: OnTurnEnd;
  readonly onCompact: OnCompact;
  readonly onFollowed: () => void;
  readonly commands: SessionCommands;
  readonly queries: QueryHandlers;
  readonly ownerOf: NonNullable<SessionParts["ownerOf"]>;
  readonly offers: Required<SessionOffers>;
  readonly running: () => number;
  readonly carries: () => CarriedState;
  readonly serve: (surface: SessionSurface) => void;
  /** Each part has its turn here and in `close`, whatever comes of the others; what failed is thrown last. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly notices: readonly string[];
}

export function joinParts(given: readonly (SessionPart | undefined)[]): JoinedParts {
  const parts = given.filter((part) => part !== undefined);
  const all = <Item>(list: (part: SessionPart) => readonly Item[] | undefined) =>
    parts.flatMap((part) => list(part) ?? []);
  return {
    tools: all(({ tools }) => tools),
    telemetry: all(({ telemetry }) => telemetry),
    gate: all(({ gate }) => gate),
    inner: all(({ inner }) => inner),
    request: all(({ request }) => request),
    attempt: all(({ attempt }) => attempt),
    takes: all(({ takes }) => takes),
    async onInput(input, turn, wants) {
      const added = [];
      for (const part of parts) added.push(...((await part.onInput?.(input, turn, wants)) ?? []));
      return added;
    },
    async onTurnEnd(reason, turn) {
      for (const part of parts) await part.onTurnEnd?.(reason, turn);
    },
    async onCompact(moment, context) {
      for (const part of parts) await part.onCompact?.(moment, context);
    },
    onFollowed() {
      for (const part of parts) part.onFollowed?.();
    },
    commands: Object.assign({}, ...parts.map(({ commands }) => commands)),
    queries: Object.assign({}, ...parts.map(({ queries }) => queries)),
    ownerOf(namespace) {
      for (const part of parts) {
        const owner = part.ownerOf?.(namespace);
        if (owner !== undefined) return owner;
      }
      return undefined;
    },
    offers: {
      skills: () => all(({ skills }) => skills?.()),
      mcpServers: () => all(({ mcpServers }) => mcpServers?.()),
      slashCommands: async () =>
        (await Promise.all(parts.map(({ slashCommands }) => slashCommands?.() ?? []))).flat(),
      aliasProblems: async () =>
        (await Promise.all(parts.map(({ aliasProblems }) => aliasProblems?.() ?? []))).flat(),
    },
    running: () => parts.reduce((sum, { running }) => sum + (running?.() ?? 0), 0),
    carries: () => Object.assign({}, ...parts.map(({ carries }) => carries?.() ?? {})),
    serve(surface) {
      for (const part of parts) part.serve?.(surface);
    },
    async settle() {
      await using inOrder = new AsyncDisposableStack();
      for (const part of parts.toReversed()) inOrder.defer(async () => await part.settle?.());
    },
    async close() {
      await using lastFirst = new AsyncDisposableStack();
      for (const part of parts) lastFirst.defer(async () => await part.close?.());
    },
    notices: all(({ notices }) => notices),
  };
}
