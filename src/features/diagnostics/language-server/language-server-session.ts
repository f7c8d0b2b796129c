import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { arrayAt, isObject, objectAt } from "../../../base/json.ts";
import type { Child, World } from "../../../base/world.ts";
import type { SourceSettings } from "../diagnostic-source.ts";
import { parseDiagnostics, parsePublished } from "../parse-diagnostics.ts";
import type { Problem } from "../problem.ts";
import { fileUri, OpenFiles } from "./open-files.ts";
import type { ServerConnection } from "./server-connection.ts";
import { WatchedTree } from "./watched-tree.ts";

/** Time after the last report of a server that publishes by itself: it may correct itself before. */
const QUIET_MS = 400;
const SHUTDOWN_MS_MAX = 2_000;

export interface LanguageServerSessionDependencies {
  readonly world: Pick<World, "clock" | "files" | "log">;
  /** The folder that it serves. */
  readonly root: string;
}

/** Requests to a running language server, and its reports about files. */
export class LanguageServerSession implements AsyncDisposable {
  readonly #settings: SourceSettings;
  readonly #dependencies: LanguageServerSessionDependencies;
  readonly #child: Child;
  readonly #server: ServerConnection;
  readonly #open: OpenFiles;
  readonly #reports = new Map<string, { readonly version: number; readonly problems: readonly Problem[] }>();
  readonly #tree: WatchedTree;
  readonly #over: Promise<never>;
  #problem: string | undefined;
  #answersWhenAsked = false;
  #onTold: () => void = () => undefined;

  constructor(
    settings: SourceSettings,
    dependencies: LanguageServerSessionDependencies,
    child: Child,
    server: ServerConnection,
  ) {
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#child = child;
    this.#server = server;
    this.#open = new OpenFiles({
      files: dependencies.world.files,
      language: settings.language,
      notify: (method, params) => this.#notify(method, params),
      onClosed: (path) => this.#reports.delete(path),
    });
    this.#tree = new WatchedTree(dependencies.world.files, dependencies.root);
    this.#over = server.over.then((why) => {
      this.#problem = why;
      throw new Error(why);
    });
    this.#over.catch(() => undefined); // every pending request rejects
    const { connection } = server;
    connection.onRequest((method: string, params: unknown) => answer(method, params));
    connection.onNotification("textDocument/publishDiagnostics", (params: unknown) => this.#publish(params));
    connection.onError(([error]) => {
      this.#problem ??= error.message;
    });
    connection.listen();
  }

  /** The reason why it cannot be used any more; undefined while it can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Sends the first request, before any other. @throws the error that ended it; the signal's reason. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { root, world } = this.#dependencies;
    const uri = fileUri(root);
    await this.#tree.scan(signal); // it knows the current files from now on
    const result: unknown = await this.#request("initialize", {
      processId: null,
      clientInfo: { name: "cinch" },
      rootUri: uri,
      workspaceFolders: [{ uri, name: "workspace" }],
      capabilities: {
        textDocument: {
          synchronization: { didSave: true },
          publishDiagnostics: { versionSupport: true },
          diagnostic: { dynamicRegistration: false },
        },
        workspace: { configuration: true, workspaceFolders: true },
        general: { positionEncodings: ["utf-16"] },
      },
    });
    this.#answersWhenAsked = isObject(objectAt(objectAt(result, "capabilities"), "diagnosticProvider"));
    await this.#notify("initialized", {});
    world.log.for("diagnostics").write("info", "language server started", { name: this.#settings.name });
  }

  /** Reports to it what has changed on disk since the last report, also in files that it does not hold open. */
  async reportChanges(signal: AbortSignal): Promise<void> {
    const changes = await this.#tree.scan(signal);
    if (changes.length === 0) return;
    await this.#notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: fileUri(path), type })),
    });
  }

  /**
   * Returns its problems in these files as they are now; skips an unreadable one.
   * @throws the error that ended it; the signal's reason.
   */
  async check(paths: readonly string[], signal: AbortSignal): Promise<readonly Problem[]> {
    this.#server.fresh();
    const read: string[] = [];
    for (const path of paths) if (await whileAlive(this.#open.sync(path), signal)) read.push(path);
    // A command may have changed other open files since.
    for (const path of this.#open.paths)
      if (!read.includes(path)) await whileAlive(this.#open.sync(path), signal);
    const found = this.#answersWhenAsked
      ? await whileAlive(Promise.all(read.map((path) => this.#ask(path))), signal)
      : await this.#listen(read, signal);
    return found.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { clock } = this.#dependencies.world;
    using limit = deadline(clock, SHUTDOWN_MS_MAX, new AbortController().signal);
    try {
      if (this.#problem === undefined) {
        await whileAlive(this.#request("shutdown", undefined), limit.signal);
        await whileAlive(this.#notify("exit", undefined), limit.signal);
        this.#child.input?.end();
        await whileAlive(this.#child.exited, limit.signal);
      }
    } catch {
      // a server that does not end by itself is killed
    } finally {
      this.#server.connection.dispose();
      await this.#child[Symbol.asyncDispose]();
    }
  }

  async #ask(path: string): Promise<readonly Problem[]> {
    const report: unknown = await this.#request("textDocument/diagnostic", {
      textDocument: { uri: fileUri(path) },
    });
    return parseDiagnostics(path, arrayAt(report, "items"));
  }

  /**
   * Waits for a server that publishes by itself: returns its reports on the newest version, once it has been silent
   * for a while.
   */
  async #listen(paths: readonly string[], signal: AbortSignal): Promise<readonly (readonly Problem[])[]> {
    const { clock } = this.#dependencies.world;
    const isTold = (path: string) =>
      (this.#reports.get(path)?.version ?? 0) >= (this.#open.versionOf(path) ?? 0);
    while (!paths.every(isTold)) await this.#nextTold(signal);
    while (true) {
      using quiet = deadline(clock, QUIET_MS, signal);
      try {
        await this.#nextTold(quiet.signal);
      } catch (thrown) {
        if (!quiet.reached) throw thrown;
        return paths.map((path) => this.#reports.get(path)?.problems ?? []);
      }
    }
  }

  #nextTold(signal: AbortSignal): Promise<void> {
    const reported = new Promise<void>((resolve) => {
      this.#onTold = resolve;
    });
    return whileAlive(Promise.race([reported, this.#over]), signal);
  }

  #publish(params: unknown): void {
    const found = parsePublished(params);
    const current = found === undefined ? undefined : this.#open.versionOf(found.path);
    if (found === undefined || current === undefined) return;
    const { path, version = current, problems } = found;
    this.#reports.set(path, { version, problems });
    this.#onTold();
  }

  #request(method: string, params: object | undefined): Promise<unknown> {
    const { connection } = this.#server;
    const sent =
      params === undefined ? connection.sendRequest(method) : connection.sendRequest(method, params);
    return Promise.race([sent, this.#over]);
  }

  #notify(method: string, params: object | undefined): Promise<void> {
    const { connection } = this.#server;
    const sent =
      params === undefined
        ? connection.sendNotification(method)
        : connection.sendNotification(method, params);
    return Promise.race([sent, this.#over]);
  }
}

/** Answers requests of servers to their client: nothing is configured here, and everything else is acknowledged. */
function answer(method: string, params: unknown): unknown {
  return method === "workspace/configuration" ? arrayAt(params, "items").map(() => null) : null;
}
