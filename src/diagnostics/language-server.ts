import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { deadline, whileAlive } from "../base/deadline.ts";
import { Cancelled, messageOf } from "../base/errors.ts";
import { arrayAt, isObject, objectAt } from "../base/json.ts";
import { decode, shortened } from "../base/text.ts";
import type { Child, Spawn, World } from "../base/world.ts";
import { codeOf, PathMoved } from "../base/world.ts";
import { coversBy } from "./covers.ts";
import type { Problem } from "./problem.ts";
import { problemText } from "./problem.ts";
import { problemsIn, published } from "./reported.ts";
import type { ServerConnection } from "./server-connection.ts";
import { connectServer } from "./server-connection.ts";
import type { DiagnosticSource, SourceSettings } from "./source.ts";
import { START_MS_MAX } from "./source.ts";
import { WatchedTree } from "./watched-tree.ts";

/** A larger file is not sent to a server. */
const FILE_BYTES_MAX = 4 * 1_048_576;
/** Files that a server holds open; the one that was changed longest ago is closed for the next. */
const OPEN_FILES_MAX = 32;
/** A server that tells of files by itself may correct itself: so long after its last word it is believed. */
const QUIET_MS = 400;
/** Starts that failed in a row; then it is left alone for this session. */
const FAILURES_MAX = 3;
const SHUTDOWN_MS_MAX = 2_000;
const LOGGED_CHARACTERS_MAX = 2_000;
/** Marks every process of a server, so that those that leave its group are ended too. */
const MARK = "CINCH_LANGUAGE_SERVER";

export interface LanguageServerParts {
  readonly world: Pick<World, "clock" | "files" | "ids" | "log" | "machine">;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** How it is started: in the sandbox. @throws an Error that says why it cannot be. */
  readonly spawn: () => Promise<Spawn>;
}

/**
 * A language server that is asked about files after each edit (TOOL-11). It is started with the first question and lives
 * as long as the session; one that has died is started anew, `FAILURES_MAX` times in a row at most.
 */
export function languageServer(settings: SourceSettings, parts: LanguageServerParts): DiagnosticSource {
  const { name, waitMs } = settings;
  const { clock } = parts.world;
  let running: Promise<Running> | undefined;
  let failures = 0;
  /** How often files may have changed unseen, and how often of that it was told. */
  let [changes, told] = [0, 0];
  let stop = new AbortController();
  const end = async () => {
    const ending = running;
    running = undefined;
    stop.abort(new Cancelled("engine", "it was ended"));
    stop = new AbortController();
    await (await ending?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };

  async function started(signal: AbortSignal): Promise<Running> {
    running ??= start(settings, parts, stop.signal);
    const server = await whileAlive(running, signal);
    if (server.problem === undefined) return server;
    await end();
    throw new Error(server.problem);
  }

  return {
    name,
    covers: coversBy(settings.files, parts.root),
    stale() {
      changes += 1;
    },
    async check(paths, signal) {
      if (failures >= FAILURES_MAX)
        return `[${name}: it has failed ${failures} times, and is not asked any more]`;
      const isNew = running === undefined;
      using limit = deadline(clock, isNew ? START_MS_MAX : waitMs, signal);
      try {
        const server = await started(limit.signal);
        const until = changes;
        if (until > told) await server.lookAround(limit.signal);
        told = until;
        const problems = await server.check(paths, limit.signal);
        failures = 0;
        return problemText(name, problems, parts.root);
      } catch (thrown) {
        signal.throwIfAborted();
        // One that is only slow may answer the next time; one that cannot be talked to is started anew.
        if (limit.reached && !isNew) return `[${name}: no answer within ${waitMs / 1_000} s]`;
        failures += 1;
        await end();
        const why = limit.reached ? `it was not ready within ${START_MS_MAX / 1_000} s` : messageOf(thrown);
        return `[${name}: ${why}]`;
      }
    },
    [Symbol.asyncDispose]: end,
  };
}

interface Running extends AsyncDisposable {
  /** Why it cannot be talked to any more. */
  readonly problem: string | undefined;
  /** Tells it what else has changed on the disk. */
  lookAround(signal: AbortSignal): Promise<void>;
  check(paths: readonly string[], signal: AbortSignal): Promise<readonly Problem[]>;
}

async function start(
  settings: SourceSettings,
  parts: LanguageServerParts,
  stop: AbortSignal,
): Promise<Running> {
  const { world, root, env, spawn } = parts;
  const begin = await spawn();
  stop.throwIfAborted();
  const child = begin({
    argv: settings.command,
    cwd: root,
    env: { ...env, PWD: root, [MARK]: `${world.ids.next("call")}.${world.machine.pid}` },
    mark: MARK,
    talks: true,
  });
  try {
    logErrors(child, settings.name, parts).catch(() => undefined); // its pipe broke: it has ended
    const server = new Server(settings, parts, child, await connectServer(child));
    using limit = deadline(world.clock, START_MS_MAX, stop);
    await whileAlive(server.initialize(limit.signal), limit.signal);
    return server;
  } catch (thrown) {
    await child[Symbol.asyncDispose]();
    const exit = await child.exited;
    throw exit.kind === "failed" ? exit.error : thrown;
  }
}

interface OpenFile {
  version: number;
  text: string;
}

class Server implements Running {
  readonly #settings: SourceSettings;
  readonly #parts: LanguageServerParts;
  readonly #child: Child;
  readonly #server: ServerConnection;
  readonly #open = new Map<string, OpenFile>();
  readonly #told = new Map<string, { readonly version: number; readonly problems: readonly Problem[] }>();
  readonly #tree: WatchedTree;
  readonly #over: Promise<never>;
  #problem: string | undefined;
  #answersWhenAsked = false;
  #onTold: () => void = () => undefined;

  constructor(settings: SourceSettings, parts: LanguageServerParts, child: Child, server: ServerConnection) {
    this.#settings = settings;
    this.#parts = parts;
    this.#child = child;
    this.#server = server;
    this.#tree = new WatchedTree(parts.world.files, parts.root);
    this.#over = server.over.then((why) => {
      this.#problem = why;
      throw new Error(why);
    });
    this.#over.catch(() => undefined); // whoever waits for an answer is told
    const { connection } = server;
    connection.onRequest((method: string, params: unknown) => answer(method, params));
    connection.onNotification("textDocument/publishDiagnostics", (params: unknown) => this.#publish(params));
    connection.onError(([error]) => {
      this.#problem ??= error.message;
    });
    connection.listen();
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async initialize(signal: AbortSignal): Promise<void> {
    const { root, world } = this.#parts;
    const uri = uriOf(root);
    await this.#tree.look(signal); // it knows the files as they are from now on
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

  async lookAround(signal: AbortSignal): Promise<void> {
    const changes = await this.#tree.look(signal);
    if (changes.length === 0) return;
    await this.#notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: uriOf(path), type })),
    });
  }

  async check(paths: readonly string[], signal: AbortSignal): Promise<readonly Problem[]> {
    this.#server.fresh();
    const read: string[] = [];
    for (const path of paths) if (await whileAlive(this.#sync(path), signal)) read.push(path);
    // What else it holds may have been changed by a command since.
    for (const path of [...this.#open.keys()])
      if (!read.includes(path)) await whileAlive(this.#sync(path), signal);
    const found = this.#answersWhenAsked
      ? await whileAlive(Promise.all(read.map((path) => this.#ask(path))), signal)
      : await this.#listen(read, signal);
    return found.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { clock } = this.#parts.world;
    using limit = deadline(clock, SHUTDOWN_MS_MAX, new AbortController().signal);
    try {
      if (this.#problem === undefined) {
        await whileAlive(this.#request("shutdown", undefined), limit.signal);
        await whileAlive(this.#notify("exit", undefined), limit.signal);
        this.#child.input?.end();
        await whileAlive(this.#child.exited, limit.signal);
      }
    } catch {
      // one that does not end by itself is ended
    } finally {
      this.#server.connection.dispose();
      await this.#child[Symbol.asyncDispose]();
    }
  }

  async #ask(path: string): Promise<readonly Problem[]> {
    const report: unknown = await this.#request("textDocument/diagnostic", {
      textDocument: { uri: uriOf(path) },
    });
    return problemsIn(path, arrayAt(report, "items"));
  }

  /** For a server that tells by itself: what it says of the newest version, once it has been quiet for a while. */
  async #listen(paths: readonly string[], signal: AbortSignal): Promise<readonly (readonly Problem[])[]> {
    const { clock } = this.#parts.world;
    const isTold = (path: string) =>
      (this.#told.get(path)?.version ?? 0) >= (this.#open.get(path)?.version ?? 0);
    while (!paths.every(isTold)) await this.#nextTold(signal);
    while (true) {
      using quiet = deadline(clock, QUIET_MS, signal);
      try {
        await this.#nextTold(quiet.signal);
      } catch (thrown) {
        if (!quiet.reached) throw thrown;
        return paths.map((path) => this.#told.get(path)?.problems ?? []);
      }
    }
  }

  #nextTold(signal: AbortSignal): Promise<void> {
    const told = new Promise<void>((resolve) => {
      this.#onTold = resolve;
    });
    return whileAlive(Promise.race([told, this.#over]), signal);
  }

  #publish(params: unknown): void {
    const found = published(params);
    const file = found === undefined ? undefined : this.#open.get(found.path);
    if (found === undefined || file === undefined) return;
    const { path, version = file.version, problems } = found;
    this.#told.set(path, { version, problems });
    this.#onTold();
  }

  /** Sends a file as it is on the disk, where that is not what the server has. False where it cannot be sent. */
  async #sync(path: string): Promise<boolean> {
    const text = await this.#textOf(path);
    const textDocument = { uri: uriOf(path) };
    const file = this.#open.get(path);
    if (text === undefined) {
      if (this.#open.delete(path)) await this.#notify("textDocument/didClose", { textDocument });
      return false;
    }
    if (file === undefined) {
      await this.#makeRoom();
      this.#open.set(path, { version: 1, text });
      const languageId = this.#settings.language ?? languageOf(path);
      await this.#notify("textDocument/didOpen", {
        textDocument: { ...textDocument, languageId, version: 1, text },
      });
      return true;
    }
    if (file.text === text) return true;
    file.version += 1;
    file.text = text;
    this.#open.delete(path);
    this.#open.set(path, file); // the one that was changed last
    const { version } = file;
    await this.#notify("textDocument/didChange", {
      textDocument: { ...textDocument, version },
      contentChanges: [{ text }],
    });
    await this.#notify("textDocument/didSave", { textDocument });
    return true;
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#open.keys();
    if (this.#open.size < OPEN_FILES_MAX || oldest === undefined) return;
    this.#open.delete(oldest);
    this.#told.delete(oldest);
    await this.#notify("textDocument/didClose", { textDocument: { uri: uriOf(oldest) } });
  }

  /** What is at that very path: a command may have put a link in its place, to what no command may read. */
  async #textOf(path: string): Promise<string | undefined> {
    try {
      await using file = await this.#parts.world.files.openResolved(path);
      return file.info.size > FILE_BYTES_MAX ? undefined : decode(await file.read(0, FILE_BYTES_MAX));
    } catch (thrown) {
      if (thrown instanceof PathMoved || codeOf(thrown) !== undefined) return undefined;
      throw thrown;
    }
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

/** What servers ask of their client: nothing is configured here, and everything else is taken note of. */
function answer(method: string, params: unknown): unknown {
  return method === "workspace/configuration" ? arrayAt(params, "items").map(() => null) : null;
}

function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescriptreact",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascriptreact",
  py: "python",
  rs: "rust",
  rb: "ruby",
  sh: "shellscript",
  md: "markdown",
  yml: "yaml",
  h: "c",
  hpp: "cpp",
  cc: "cpp",
};

function languageOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase();
  return (Object.hasOwn(LANGUAGES, extension) ? LANGUAGES[extension] : undefined) ?? extension;
}

/** What a server says on standard error goes to the operational log, as far as there is room for it. */
async function logErrors({ stderr }: Child, name: string, { world }: LanguageServerParts): Promise<void> {
  const log = world.log.for("diagnostics");
  let left = LOGGED_CHARACTERS_MAX;
  for await (const chunk of stderr) {
    if (left <= 0) continue;
    const said = shortened(decode(chunk), left);
    left -= said.length;
    log.write("debug", "language server says", { name, said });
  }
}
