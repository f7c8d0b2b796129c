import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import type { Cache, CacheBudget } from "../../../base/cache-budget.ts";
import { messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import { COMPLETIONS } from "../../../protocol/queries/completion-queries.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import type { SessionLists } from "../../../session/commands/lists.ts";
import type { AskQuery, QueryContext, QueryHandlers } from "../../../session/commands/query-handlers.ts";
import type { ArgumentBegun } from "../../../view/slash/complete-argument.ts";

/** Sessions among which an id or a title is looked for: the newest. */
const SESSIONS_MAX = 200;
/** Time limit for the models of a provider. */
const MODELS_MS_MAX = 2_000;
/** A list of models is used for so long, an empty one of a provider that failed too. */
const MODELS_KEPT_MS = 300_000;
/** Characters of a title that is shown beside an id. */
const TITLE_UNITS_MAX = 80;
/** Characters that could drive a terminal or deceive its reader. */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

type Item = ResultOf<"Complete">["items"][number];

/** Candidates for one range, all of them or the first. */
interface Candidates {
  readonly from: number;
  readonly items: readonly Item[];
  readonly more?: boolean;
}

interface KnownModels {
  readonly ids: readonly string[];
  readonly atMs: number;
}

export interface CompletionSources {
  readonly world: Pick<World, "clock" | "log">;
  readonly caches: Pick<CacheBudget, "open">;
  /** Answers the queries whose lists are completed from, as if the client had asked them itself. */
  readonly ask: AskQuery;
  /** Completes what a feature of a running session reads in an input. */
  readonly ofSession: (query: QueryOf<"Complete">) => NonNullable<SessionLists["completes"]> | undefined;
}

/** Answers `Complete` from the lists of other queries, and from the features of the session (CTL-19). */
export function completionQueries(sources: CompletionSources): Required<Pick<QueryHandlers, "Complete">> {
  const completer = new CommandLineCompleter(sources);
  return {
    async Complete(query, asking) {
      const { text, cursor, limit = COMPLETIONS } = query;
      const typed = { text, cursor, limit };
      const ofSession = await sources.ofSession(query)?.(typed, asking.signal);
      if (ofSession !== undefined) return ofSession;
      const found = text.startsWith("/") ? await completer.complete(query, asking) : undefined;
      if (found === undefined) return { from: cursor, to: cursor, items: [], more: false };
      const items = found.items.filter(isShowable).slice(0, limit);
      const rest = /^\S*/.exec(text.slice(cursor))?.[0].length ?? 0;
      const more = found.more === true || found.items.filter(isShowable).length > limit;
      return { from: found.from, to: cursor + rest, items, more };
    },
  };
}

/** Completes slash commands and the words behind them. */
class CommandLineCompleter {
  readonly #sources: CompletionSources;
  readonly #models: Cache<KnownModels>;

  constructor(sources: CompletionSources) {
    this.#sources = sources;
    this.#models = sources.caches.open("completed models");
  }

  async complete(query: QueryOf<"Complete">, asking: QueryContext): Promise<Candidates | undefined> {
    const { sessionId, text, cursor } = query;
    const typed = text.slice(0, cursor);
    const { ask } = this.#sources;
    const listed = await ask({ kind: "ListSlashCommands", sessionId }, asking);
    const commands = listed.slash_commands.flatMap((info) => [
      info,
      ...(info.aliases ?? []).map((name) => ({ ...info, name })),
    ]);
    const { COMPLETED_MAX, completeSlash } = await import("../../../view/slash/complete.ts");
    const slash = completeSlash(typed, commands)?.candidates;
    if (/^\/\S*$/.test(typed)) {
      const items = (slash ?? []).map((candidate) => commandItem(candidate, commands));
      return { from: 0, items, more: items.length === COMPLETED_MAX };
    }
    const { argumentBegun } = await import("../../../view/slash/complete-argument.ts");
    const begun = argumentBegun(typed, commands);
    if (begun === undefined) return undefined;
    const names = (slash ?? []).map((candidate) => argumentItem(candidate.slice(begun.from)));
    const part = begun.word.toLowerCase();
    const choices = begun.choices.filter((choice) => choice.toLowerCase().startsWith(part)).map(argumentItem);
    const sessions = begun.takesSession ? await this.#sessions(begun, asking) : NONE;
    const models = begun.takesModel ? await this.#modelItems(begun, asking) : NONE;
    const items = [...names, ...choices, ...sessions.items, ...models.items];
    return { from: begun.from, items, more: sessions.more || models.more };
  }

  /** Finds sessions that the client may see by the beginning of an id, or a part of the title. */
  async #sessions({ word }: ArgumentBegun, asking: QueryContext): Promise<Found> {
    const { ask } = this.#sources;
    const query = { kind: "ListSessions", past: true, limit: SESSIONS_MAX } as const;
    const { sessions } = await ask(query, asking);
    const part = word.toLowerCase();
    const items = sessions
      .filter(
        ({ session, title = "", unused = false }) =>
          !unused && (session.toLowerCase().startsWith(part) || title.toLowerCase().includes(part)),
      )
      .map(
        ({ session, title }): Item => ({
          ...{ insert: session, label: session, kind: "session" },
          ...(title === undefined
            ? {}
            : { detail: title.replaceAll(UNSHOWABLE, " ").slice(0, TITLE_UNITS_MAX) }),
        }),
      );
    return { items, more: sessions.length === SESSIONS_MAX };
  }

  /** Finds providers, and behind a colon the models of one. */
  async #modelItems({ word }: ArgumentBegun, asking: QueryContext): Promise<Found> {
    const { ask } = this.#sources;
    const { providers } = await ask({ kind: "ListProviders", models: false }, asking);
    const configured = providers.filter((each) => each.configured).map(({ name }) => name);
    const named = configured.find((name) => word.startsWith(`${name}:`));
    if (named === undefined) {
      const begins = configured.filter((name) => name.startsWith(word));
      return { items: begins.map((name) => modelItem(`${name}:`)), more: false };
    }
    const known = await this.#modelsOf(named, asking);
    const part = word.slice(named.length + 1).toLowerCase();
    const fits = (known ?? []).filter((id) => id.toLowerCase().includes(part));
    return { items: fits.map((id) => modelItem(`${named}:${id}`)), more: known === undefined };
  }

  /**
   * Returns the models of a provider, which is asked once for many keys; undefined if they are not known. A query of an
   * agent sends no request with the person's keys.
   */
  async #modelsOf(provider: string, asking: QueryContext): Promise<readonly string[] | undefined> {
    const { world, ask } = this.#sources;
    const known = this.#models.get(provider);
    if (known !== undefined && world.clock.now() - known.atMs < MODELS_KEPT_MS) return known.ids;
    if (asking.identityClass !== "human") return undefined;
    using limit = deadline(world.clock, MODELS_MS_MAX, asking.signal);
    try {
      const context = { ...asking, signal: limit.signal };
      const listing = ask({ kind: "ListModels", provider }, context);
      const ids = (await whileAlive(listing, limit.signal)).models.map(({ id }) => id);
      this.#models.set(provider, { ids, atMs: world.clock.now() });
      return ids;
    } catch (thrown) {
      asking.signal.throwIfAborted();
      const fields = { provider, what: messageOf(thrown) };
      world.log.for("completion").write("warn", "models could not be listed", fields);
      this.#models.set(provider, { ids: [], atMs: world.clock.now() }); // not asked again at the next key
      return undefined;
    }
  }
}

/** Candidates for a word, and if some are missing. */
interface Found {
  readonly items: readonly Item[];
  readonly more: boolean;
}

const NONE: Found = { items: [], more: false };

function commandItem(candidate: string, commands: readonly SlashCommandInfo[]): Item {
  const name = candidate.slice(1);
  const help = commands.find((each) => each.name === name)?.help ?? "";
  const kind = name.startsWith("skills:") ? "skill" : name.startsWith("agents:") ? "agent" : "command";
  const detail = help.replaceAll(UNSHOWABLE, " ");
  return { insert: candidate, label: candidate, ...(detail === "" ? {} : { detail }), kind };
}

function argumentItem(word: string): Item {
  return { insert: word, label: word, kind: "argument" };
}

function modelItem(name: string): Item {
  return { insert: name, label: name, kind: "model" };
}

/** Foreign names with control characters are left out. */
function isShowable({ insert }: Item): boolean {
  return insert.search(UNSHOWABLE) === -1 && !/\s/.test(insert);
}
