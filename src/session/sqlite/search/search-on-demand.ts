import type { LogId } from "../../../base/ids.ts";
import type { ProbedLog, SearchIndex, SearchProbe } from "../../search/search-index.ts";
import type { SqliteSearch, SqliteSearchDependencies } from "./sqlite-search.ts";

/** The search index of one file, whose code is loaded when it is first used. */
export class SearchOnDemand implements SearchIndex {
  readonly #dependencies: SqliteSearchDependencies;
  #loading: Promise<SqliteSearch> | undefined;

  constructor(dependencies: SqliteSearchDependencies) {
    this.#dependencies = dependencies;
  }

  async probe(probe: SearchProbe): Promise<readonly ProbedLog[]> {
    return await (await this.#loaded()).probe(probe);
  }

  async index(logId: LogId, signal: AbortSignal): Promise<boolean> {
    return await (await this.#loaded()).index(logId, signal);
  }

  async indexAll(): Promise<void> {
    (await this.#loaded()).indexAll();
  }

  /** Indexes logs until the signal aborts, if this store was searched before: others need no index. */
  async keepUp(signal: AbortSignal): Promise<void> {
    const { connection } = this.#dependencies.parts();
    if (connection.first("SELECT 1 FROM search_segments LIMIT 1") === undefined) return;
    await (await this.#loaded()).indexUntil(signal);
  }

  /** Resolves when nothing is indexed in the background. The signal of the store has aborted. */
  async ended(): Promise<void> {
    await (await this.#loading)?.ended();
  }

  #loaded(): Promise<SqliteSearch> {
    this.#loading ??= import("./sqlite-search.ts").then(
      ({ SqliteSearch }) => new SqliteSearch(this.#dependencies),
    );
    return this.#loading;
  }
}
