import { deadline, whileAlive } from "../../base/async/deadline.ts";
import type { CacheBudget } from "../../base/cache-budget.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { EventSeq, LogId, SessionId, TaskId } from "../../base/ids.ts";
import { plain } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import { listedCommand, SLASH_COMMANDS } from "../../protocol/commands/slash-commands.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type {
  McpServerInfo,
  ModelInfo,
  ProfileInfo,
  ProviderInfo,
  SessionInfo,
  SkillText,
  SlashCommandInfo,
  TaskInfo,
  ToolInfo,
} from "../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { reaches } from "../../session/access/reach.ts";
import type { Scope } from "../../session/access/scope.ts";
import { EVERYTHING } from "../../session/access/scope.ts";
import type { Catalogue } from "../../session/engine-port.ts";
import { streamGap, withGaps } from "../../session/history/gaps.ts";
import { isInRanges } from "../../session/store/expired.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { sessionRow } from "../../session/transcript/overview.ts";

/** Events read from the log in one go. */
const PAGE_EVENTS = 256;
/** Characters of a wrong name that its refusal shows. */
const NAME_CHARS_MAX = 100;

export interface CatalogueSources {
  readonly world: Pick<World, "clock" | "machine" | "random">;
  readonly store: Pick<SessionStore, "expired" | "find" | "list" | "markedEvents">;
  /** The version of this program. */
  readonly version: string;
  readonly caches: Pick<CacheBudget, "bytes" | "bytesMax" | "counts">;
  /** The sessions that run here now. */
  live(): readonly SessionId[];
  /** Waits for a session that was told of and is only being opened. */
  whenThere?(id: SessionId): Promise<void>;
  /** An event before the questions that wait for an answer in a session; undefined where none does. */
  askedSince?(id: SessionId): EventSeq | undefined;
  profiles(): Promise<readonly ProfileInfo[]>;
  /** Undefined where there is none of this name. */
  profile(name: string): Promise<ProfileInfo | undefined>;
  providers(): Promise<readonly ProviderInfo[]>;
  models(provider: string, signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Those of one session, or cinch's own and what these sessions have beside them. */
  tools(session?: SessionId, among?: readonly SessionId[]): Promise<readonly ToolInfo[]>;
  /** What these of the sessions that run here have, or all. */
  skills(among?: readonly SessionId[]): readonly SkillText[];
  mcpServers(among?: readonly SessionId[]): readonly McpServerInfo[];
  /** Beyond those that are the same for every session: of one, of these, or of all. */
  slashCommands(
    of?: SessionId | readonly SessionId[],
  ): readonly SlashCommandInfo[] | Promise<readonly SlashCommandInfo[]>;
}

const ENGINE_BYTES = 16;

/** Time limit for the models of a provider that is listed with them. */
const CATALOGUE_MS_MAX = 5_000;

/** What one engine has to look at, each part from who has it (CTL-15). */
export function openCatalogue(sources: CatalogueSources): Catalogue {
  const { world, store, version, caches } = sources;
  const startedAt = new Date(world.clock.now()).toISOString();
  const engine = Buffer.from(world.random.bytes(ENGINE_BYTES)).toString("hex");
  const logOf = async (id: SessionId) => (await store.find(id))?.logId;

  /** @throws HarnessError Forbidden before it is told whether there is such a session. */
  async function found(id: SessionId, scope: Scope): Promise<LogInfo> {
    await sources.whenThere?.(id);
    if (!(await reaches(scope, id, logOf)))
      throw new HarnessError("Forbidden", { what: `the session ${id}` });
    const info = await store.find(id);
    if (info === undefined) throw new HarnessError("UnknownSession", { id });
    return info;
  }

  /** The sessions that run here and that a scope reaches; undefined where it reaches all. */
  async function among(scope: Scope = EVERYTHING): Promise<readonly SessionId[] | undefined> {
    if (scope.sessions === "all") return undefined;
    const reached: SessionId[] = [];
    for (const id of sources.live()) if (await reaches(scope, id, logOf)) reached.push(id);
    return reached;
  }

  const told = (info: LogInfo): SessionInfo => {
    const { pid: _pid, branch_of: _branch, ...row } = sessionRow(info);
    const { session, logId: log, branchOf } = info;
    const asked = sources.askedSince?.(session);
    return {
      ...row,
      session,
      log,
      live: sources.live().includes(session),
      ...(asked === undefined ? {} : { asked_since: asked }),
      ...(branchOf === undefined ? {} : { branch_of: { log: branchOf.logId, event: branchOf.at } }),
    };
  };

  async function withModels(provider: ProviderInfo, signal: AbortSignal): Promise<ProviderInfo> {
    if (!provider.configured) return provider;
    using limit = deadline(world.clock, CATALOGUE_MS_MAX, signal);
    try {
      const models = await whileAlive(sources.models(provider.name, limit.signal), limit.signal);
      return { ...provider, models: [...models] };
    } catch (thrown) {
      signal.throwIfAborted();
      return { ...provider, error: messageOf(thrown) };
    }
  }

  async function* log(id: SessionId, since: EventSeq, scope: Scope): AsyncGenerator<Envelope> {
    const { logId, lastEvent: to, updatedAt: ts } = await found(id, scope);
    const expired = await store.expired(logId);
    let [cursor, last] = [since, since];
    while (cursor < to) {
      const page = await store.markedEvents(logId, cursor, PAGE_EVENTS);
      cursor = page.at(-1)?.id ?? to;
      const left = page.filter((event) => event.id <= to && !isInRanges(event.id, expired));
      for (const event of withGaps(left, last, id)) {
        last = event.id;
        yield event;
      }
    }
    if (last < to) yield streamGap({ from: last + 1, to }, { session: id, ts });
  }

  return {
    async sessions({ past, limit }, scope) {
      if (scope.sessions !== "all") return await named(scope.sessions, { past, limit });
      if (past) return (await store.list({ limit })).map(told);
      return await named(sources.live(), { past, limit });
    },
    session: async (id, scope) => told(await found(id, scope)),
    log,
    async tasks(id, scope) {
      const tasks = new Map<TaskId, TaskInfo>();
      // Nothing of a session runs once the process that ran it is gone, however that went.
      const { session: newest, heldBy } = await found(id, scope);
      const lives = (run: SessionId) => run === newest && heldBy !== undefined;
      for await (const { kind, payload, ts, session } of log(id, 0, scope)) {
        if (kind !== "TaskChanged") continue;
        const { taskId: task, what } = payload;
        const isLost = payload.state === "running" && !lives(session);
        const { state, detail } = isLost ? LOST : payload;
        tasks.set(task, { task, what, state, ...(detail === undefined ? {} : { detail }), updated_at: ts });
      }
      return [...tasks.values()];
    },
    profiles: () => sources.profiles(),
    async profile(name) {
      const profile = await sources.profile(name);
      if (profile === undefined) throw unknown("profile", name);
      return profile;
    },
    providers: () => sources.providers(),
    async providerCatalogues(signal) {
      const all = await sources.providers();
      return await Promise.all(all.map((provider) => withModels(provider, signal)));
    },
    models: (provider, signal) => sources.models(provider, signal),
    tools: async (session, scope) => await sources.tools(session, await among(scope)),
    async skills(scope) {
      const { listedDescription } = await import("../../features/skills/texts.ts");
      return sources.skills(await among(scope)).map(({ name, description, source }) => {
        return { name, description: listedDescription(description), source };
      });
    },
    async skill(name, scope) {
      const skill = sources.skills(await among(scope)).find((each) => each.name === name);
      if (skill === undefined) throw unknown("skill", name);
      return skill;
    },
    mcpServers: async (scope) => sources.mcpServers(await among(scope)),
    slashCommands: async (session, scope) =>
      [...SLASH_COMMANDS, ...(await sources.slashCommands(session ?? (await among(scope))))].map(
        listedCommand,
      ),
    health: () => ({ status: "ok", protocol_version: PROTOCOL_VERSION }),
    runtime(scope = EVERYTHING) {
      const own = { version, protocol_version: PROTOCOL_VERSION, engine };
      if (scope.sessions !== "all") return own;
      return {
        ...own,
        pid: world.machine.pid,
        started_at: startedAt,
        sessions: sources.live().length,
        caches: { bytes: caches.bytes, bytes_max: caches.bytesMax, each: [...caches.counts()] },
      };
    },
  };

  /** The logs that these runs belong to, each once, the newest first. */
  async function named(
    ids: readonly SessionId[],
    { past, limit }: { readonly past: boolean; readonly limit: number },
  ): Promise<readonly SessionInfo[]> {
    const logs = new Map<LogId, SessionInfo>();
    for (const id of ids) {
      const info = await store.find(id);
      if (info !== undefined) logs.set(info.logId, told(info));
    }
    return [...logs.values()]
      .filter(({ live }) => past || live)
      .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
      .slice(0, limit);
  }
}

const LOST = { state: "stopped", detail: "it ended with the process that ran it" } as const;

function unknown(what: string, name: string): HarnessError<"UnknownResource"> {
  return new HarnessError("UnknownResource", { what, name: plain(name, NAME_CHARS_MAX) });
}
