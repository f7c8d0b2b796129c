import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import type { CacheBudget } from "../../../base/cache-budget.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { plain } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { describeCommand } from "../../../protocol/commands/slash-commands.ts";
import type {
  McpServerInfo,
  ModelInfo,
  ProfileInfo,
  ProviderInfo,
  SkillText,
  SlashCommandInfo,
  ToolInfo,
} from "../../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import { reachesSession } from "../../../session/access/reach.ts";
import type { Scope } from "../../../session/access/scope.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import type { QueryHandlers } from "../../../session/commands/query-handlers.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";

/** Characters of a wrong name that its refusal shows. */
const NAME_CHARS_MAX = 100;
/** Time limit for the models of a provider that is listed with them. */
const MODELS_MS_MAX = 5_000;

/** One session, several, or the common part of all sessions with the additions of the running ones. */
type SessionSelection = SessionId | readonly SessionId[] | undefined;

export interface EngineQuerySources {
  readonly world: Pick<World, "clock" | "machine">;
  /** Differs with each start of the engine. */
  readonly engineId: string;
  readonly startedAt: string;
  /** The version of this program. */
  readonly version: string;
  readonly caches: Pick<CacheBudget, "bytes" | "bytesMax" | "counts">;
  live(): readonly SessionId[];
  readonly store: Pick<SessionStore, "find">;
  profiles(): Promise<readonly ProfileInfo[]>;
  /** Returns undefined if no profile has this name. */
  profile(name: string): Promise<ProfileInfo | undefined>;
  providers(): Promise<readonly ProviderInfo[]>;
  /** Returns the model of a new session without flags and profile; undefined if none can be used. */
  usableModel(signal: AbortSignal): Promise<string | undefined>;
  models(provider: string, signal: AbortSignal): Promise<readonly ModelInfo[]>;
  tools(of: SessionSelection): readonly ToolInfo[] | Promise<readonly ToolInfo[]>;
  skills(of: SessionSelection): readonly SkillText[];
  mcpServers(of: SessionSelection): readonly McpServerInfo[];
  /** Slash commands that are the same for every session. Default: those that come with cinch. */
  readonly shipped: readonly SlashCommandInfo[];
  /** Returns the commands beyond those that are the same for every session. */
  slashCommands(of: SessionSelection): readonly SlashCommandInfo[] | Promise<readonly SlashCommandInfo[]>;
  /** Returns why alias files of a session bring none of their aliases. */
  aliasProblems?(session: SessionId): Promise<readonly string[]>;
}

/** Answers the queries about an engine, each from its source (CTL-15). */
export function engineQueries(sources: EngineQuerySources): QueryHandlers {
  const { world, version, caches, engineId, startedAt } = sources;

  const of = (session: SessionId | undefined, scope: Scope | undefined) =>
    selectionOf(sources, session, scope);

  return {
    GetHealth: async () => ({ status: "ok", protocol_version: PROTOCOL_VERSION }),
    async GetRuntime(_query, { scope = EVERYTHING }) {
      const own = { version, protocol_version: PROTOCOL_VERSION, engine: engineId };
      if (scope.sessions !== "all") return own;
      return {
        ...own,
        pid: world.machine.pid,
        started_at: startedAt,
        sessions: sources.live().length,
        caches: { bytes: caches.bytes, bytes_max: caches.bytesMax, each: [...caches.counts()] },
      };
    },
    async ListProfiles({ sessionId }) {
      const profiles = await sources.profiles();
      if (sessionId === undefined) return { profiles };
      return { profiles, current: (await mustFind(sources, sessionId)).profile };
    },
    async GetProfile({ name }) {
      const profile = await sources.profile(name);
      if (profile === undefined) throw unknown("profile", name);
      return profile;
    },
    // A query that an agent reads in passing must not send requests with the person's keys.
    async ListProviders(query, { identityClass, signal }) {
      const { models = identityClass === "human", choice = false } = query;
      const providers = await sources.providers();
      const default_model = choice ? await sources.usableModel(signal) : undefined;
      const listed = models
        ? await Promise.all(providers.map((each) => withModels(sources, each, signal)))
        : providers;
      return { providers: listed, ...defined({ default_model }) };
    },
    ListModels: async ({ provider }, { signal }) => ({ models: await sources.models(provider, signal) }),
    ListTools: async ({ sessionId }, { scope }) => ({
      tools: await sources.tools(await of(sessionId, scope)),
    }),
    async ListSkills({ sessionId }, { scope }) {
      const { listedDescription } = await import("../../../safety/listed-description.ts");
      const skills = sources.skills(await of(sessionId, scope));
      return {
        skills: skills.map(({ name, description, source }) => ({
          name,
          description: listedDescription(description),
          source,
        })),
      };
    },
    async GetSkill({ name }, { scope }) {
      const skill = sources.skills(await of(undefined, scope)).find((each) => each.name === name);
      if (skill === undefined) throw unknown("skill", name);
      return skill;
    },
    async ListSlashCommands({ sessionId }, { scope }) {
      const own = await sources.slashCommands(await of(sessionId, scope));
      const problems = sessionId === undefined ? [] : ((await sources.aliasProblems?.(sessionId)) ?? []);
      return {
        slash_commands: [...sources.shipped, ...own].map(describeCommand),
        ...(problems.length === 0 ? {} : { alias_problems: problems }),
      };
    },
    ListMcpServers: async ({ sessionId }, { scope }) => ({
      servers: sources.mcpServers(await of(sessionId, scope)),
    }),
  };
}

/** Returns the session that is asked about, else those that a scope reaches; undefined if it reaches all. */
async function selectionOf(
  sources: Pick<EngineQuerySources, "live" | "store">,
  session: SessionId | undefined,
  { sessions }: Scope = EVERYTHING,
): Promise<SessionSelection> {
  if (session !== undefined) return (await mustFind(sources, session)).session;
  if (sessions === "all") return undefined;
  const logOf = async (id: SessionId) => (await sources.store.find(id))?.logId;
  const reached: SessionId[] = [];
  for (const id of sources.live())
    if (await reachesSession({ sessions, commands: [] }, id, logOf)) reached.push(id);
  return reached;
}

/** @throws HarnessError UnknownSession. */
async function mustFind({ store }: Pick<EngineQuerySources, "store">, id: SessionId): Promise<LogInfo> {
  const info = await store.find(id);
  if (info === undefined) throw new HarnessError("UnknownSession", { id });
  return info;
}

/** Adds its models to a provider that is set up, or the reason why they cannot be listed. */
async function withModels(
  sources: Pick<EngineQuerySources, "world" | "models">,
  provider: ProviderInfo,
  signal: AbortSignal,
): Promise<ProviderInfo> {
  if (!provider.configured) return provider;
  using limit = deadline(sources.world.clock, MODELS_MS_MAX, signal);
  try {
    const listed = await whileAlive(sources.models(provider.name, limit.signal), limit.signal);
    return { ...provider, models: [...listed] };
  } catch (thrown) {
    signal.throwIfAborted();
    return { ...provider, error: messageOf(thrown) };
  }
}

function unknown(what: string, name: string): HarnessError<"UnknownResource"> {
  return new HarnessError("UnknownResource", { what, name: plain(name, NAME_CHARS_MAX) });
}
