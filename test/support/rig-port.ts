import { CacheBudget } from "../../src/base/cache-budget.ts";
import { SLASH_COMMANDS } from "../../src/protocol/commands/own-commands.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../src/protocol/kinds.ts";
import { connectInproc } from "../../src/server/hub/inproc.ts";
import type { NewsSource } from "../../src/server/hub/news/news.ts";
import { completionQueries } from "../../src/server/hub/queries/completion-queries.ts";
import type { EngineQuerySources } from "../../src/server/hub/queries/engine-queries.ts";
import { engineQueries } from "../../src/server/hub/queries/engine-queries.ts";
import type { SessionQuerySources } from "../../src/server/hub/queries/session-queries.ts";
import { sessionQueries } from "../../src/server/hub/queries/session-queries.ts";
import type { QueryHandlers } from "../../src/session/commands/query-handlers.ts";
import type { EnginePort } from "../../src/session/engine-port.ts";
import type { Rig } from "./rig.ts";

export interface RigPortOptions {
  readonly features?: readonly string[];
  readonly sources?: Partial<EngineQuerySources & SessionQuerySources>;
}

/** Returns the answers of a rig's engine: its sessions, and nothing else without a source. */
export function rigAnswers(
  { world, multiplexer, store }: Pick<Rig, "world" | "multiplexer" | "store">,
  sources: RigPortOptions["sources"] = {},
): {
  readonly handlers: QueryHandlers;
  readonly log: EnginePort["log"];
  readonly news: NewsSource;
} {
  const live = () => multiplexer.sessions;
  const caches = new CacheBudget();
  const common = { world, store, caches, live, running: multiplexer.runningSession.bind(multiplexer) };
  const sessions = sessionQueries({ ...common, ...sources });
  const engine = engineQueries({
    ...common,
    engineId: "rig",
    startedAt: new Date(world.clock.now()).toISOString(),
    version: "0.0.0",
    profiles: async () => [],
    profile: async () => undefined,
    providers: async () => [],
    usableModel: async () => undefined,
    models: async () => [],
    shipped: SLASH_COMMANDS,
    tools: () => [],
    skills: () => [],
    mcpServers: () => [],
    slashCommands: () => [],
    ...sources,
  });
  const handlers = { ...sessions.handlers, ...engine };
  const ofSession = () => undefined; // no features
  const completion = completionQueries({ world, caches, ask: multiplexer.query, ofSession });
  const { log, news } = sessions;
  return { handlers: { ...handlers, ...completion }, log, news };
}

/** The port of a rig's engine. */
export function rigPort(rig: Rig, { features = [], sources }: RigPortOptions = {}): EnginePort {
  const { multiplexer } = rig;
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features };
  const { handlers, log, news } = rigAnswers(rig, sources);
  rig.answers(handlers, news);
  return {
    served,
    attach: (request) => connectInproc(multiplexer, request, served),
    query: multiplexer.query,
    log,
    // Differs with each start, as in an engine: a client tells by it that another one has taken over.
    engineId: crypto.randomUUID(),
  };
}
