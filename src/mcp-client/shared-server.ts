import type { CallToolResult, Client, Transport } from "@modelcontextprotocol/client";
import { whileAlive } from "../base/deadline.ts";
import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { shortened } from "../base/text.ts";
import type { World } from "../base/world.ts";
import { visible } from "../trust/hidden.ts";
import type { CallOptions, Connection, Era } from "./connection.ts";
import { connect } from "./connection.ts";
import type { Definition } from "./definition.ts";
import type { Asking } from "./elicitation.ts";
import { KnownTools } from "./known-tools.ts";
import { launch } from "./launch.ts";
import { mayHaveTakenEffect, UNKNOWN_OUTCOME } from "./outcome.ts";
import { findProgram, hashOf } from "./program.ts";
import type { Records } from "./records.ts";
import type { Failures } from "./restarts.ts";
import { afterFailure, COOLDOWN_MS, NO_FAILURES } from "./restarts.ts";
import type { AddressSpec, ServerSpec } from "./server-spec.ts";
import type { StdioTransport } from "./stdio.ts";

export type ServerState = "stopped" | "starting" | "running" | "degraded";

/** What a session is told of a server that it uses. */
export type ServerEvent =
  /** It is given up: its tools stay listed and answer nothing. */
  | { readonly kind: "down"; readonly reason: string; readonly attempts: number }
  /** It has failed to start for the first time, and is tried again: whoever waited for its tools goes on without. */
  | { readonly kind: "failing"; readonly reason: string }
  /** A request, or a search for tools, has begun to wait for it; or goes on without it after the longest wait. */
  | { readonly kind: "slow" | "late"; readonly waitMsMax: number }
  /** It was not even started, or could not be kept; the words are the error's. */
  | { readonly kind: "refused"; readonly error: HarnessError }
  /** These tools are others than those that were approved. */
  | { readonly kind: "changed"; readonly tools: readonly string[] };

/** What a person may approve of a server, exactly so. */
export interface Proposal {
  /** What of it is other than what was approved, to be read before. */
  readonly lines: readonly string[];
  readonly tools: readonly Definition[];
  /** The SHA-256 of a pinned program. */
  readonly program?: string;
}

export interface ServerPorts {
  readonly world: Pick<World, "clock" | "files" | "spawn" | "log" | "machine">;
  /** Of cinch. */
  readonly version: string;
  readonly records: Records;
  /** Where the operational log is, for people. */
  readonly log: string;
  /** Another text as soon as another login than before is stored: cheap, and nothing of a login. */
  logins(): Promise<string>;
  /** Opens the wire to a server that is elsewhere. Its failures say what is wrong in words for people. */
  openAddress(spec: AddressSpec, log: Log): Promise<Transport>;
  /** Whatever the client answers to a server that asks. */
  prepare?(client: Client, server: SharedServer): void;
}

/** Why a server is down that is not tried any more. */
interface Down {
  readonly error: HarnessError;
  readonly untilMs: number;
  /** What was known of logins when it was tried. */
  readonly logins: string;
}

const WHY_CHARACTERS_MAX = 500;
/** A server that keeps saying that its tools are others is asked no more often. */
const LIST_PAUSE_MS = 1_000;
/** A greeting in words that a server does not know may end it; it is greeted in the older ones then. */
const FIRST_ERA: Era = "auto";

/**
 * One server, for all sessions that use it (MCP-05): started when it is first asked for, started again when it ends by
 * itself, and given up after too much of that (MCP-03).
 *
 * Nothing it does reaches further than its own calls: these fail, each with the reason.
 */
export class SharedServer {
  readonly spec: ServerSpec;
  readonly #ports: ServerPorts;
  readonly #log: Log;
  readonly #life = new AbortController();
  readonly #watchers = new Set<(event: ServerEvent) => void>();
  readonly #askings = new Set<Asking>();
  #state: ServerState = "stopped";
  #era: Era = FIRST_ERA;
  #connection: Connection | undefined;
  #startedMs = 0;
  #starting: Promise<Connection> | undefined;
  #tried: Promise<void> = Promise.resolve();
  #failures: Failures = NO_FAILURES;
  #down: Down | undefined;
  #logins = "";
  #promptsAt = 0;
  readonly #known: KnownTools;
  #hurry = new AbortController();
  #stale = false;
  #listing: Promise<void> | undefined;
  #wire: StdioTransport | undefined;

  constructor(spec: ServerSpec, ports: ServerPorts) {
    this.spec = spec;
    this.#ports = ports;
    this.#log = ports.world.log.for(`mcp.${spec.name}`);
    this.#known = new KnownTools({
      spec,
      records: ports.records,
      log: this.#log,
      onChanged: (tools) => this.#tell({ kind: "changed", tools }),
    });
  }

  get state(): ServerState {
    return this.#state;
  }

  /** What is known of its tools, and what of that a person has let pass. */
  get known(): Pick<KnownTools, "tools" | "isNew" | "recall" | "accept"> {
    return this.#known;
  }

  /** Another number each time that its prompts may be others than before. */
  get promptsAt(): number {
    return this.#promptsAt;
  }

  /** What can be waited for where it is being started; a later start is another. */
  get starting(): Promise<unknown> | undefined {
    return this.#starting;
  }

  /** Resolves when it has failed to start for the first time: what comes then may take its time. */
  get failed(): Promise<void> {
    return this.#tried;
  }

  /** Why it is given up, for as long as it is. */
  get problem(): HarnessError | undefined {
    const { clock } = this.#ports.world;
    return this.#down !== undefined && clock.monotonic() < this.#down.untilMs ? this.#down.error : undefined;
  }

  watch(watcher: (event: ServerEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Where it was refused for want of a login, and one has been made since, it may be started again. */
  async lookForLogin(): Promise<void> {
    const down = this.#down;
    if (down === undefined || !wantsLogin(down.error)) return;
    if ((await this.#ports.logins()) === down.logins || this.#down !== down) return;
    this.#down = undefined;
    this.#state = "stopped";
  }

  /**
   * A connection to it; starts it where it does not run, and waits while it is being started again.
   * @throws the signal's reason; HarnessError MCPServerUnavailable, MCPServerSHA256Mismatch, McpProgramMissing …
   */
  async connected(signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    this.#life.signal.throwIfAborted();
    if (this.#connection !== undefined) return this.#connection;
    if (this.#down !== undefined) await this.lookForLogin();
    if (this.problem !== undefined) throw this.problem;
    return await whileAlive(this.#begin(), signal);
  }

  /**
   * Calls one of its tools.
   * @throws as `connected`; Error in words for people where the call fails.
   */
  async call(
    tool: Definition,
    input: JsonObject,
    { asking, ...options }: CallOptions & { readonly asking?: Asking },
  ): Promise<CallToolResult> {
    const connection = await this.connected(options.signal);
    const now = this.#known.tools.find(({ name }) => name === tool.name);
    if (now?.sha256 !== tool.sha256)
      throw new Error("it says something else of this tool by now: look it up again");
    if (asking !== undefined) this.#askings.add(asking);
    try {
      return await connection.call(tool.name, input, options);
    } catch (thrown) {
      if (options.signal.aborted) throw thrown;
      const isGone = this.#connection !== connection;
      const why = isGone ? (this.#wire?.problem ?? "it ended during the call") : messageOf(thrown);
      if (mayHaveTakenEffect(thrown)) throw new Error(`${why}. ${UNKNOWN_OUTCOME}`, { cause: thrown });
      throw isGone ? new Error(why, { cause: thrown }) : thrown;
    } finally {
      if (asking !== undefined) this.#askings.delete(asking);
    }
  }

  /** Whom a question of the server is for: the one session that it works for now; with several, nobody can tell. */
  get asking(): Asking | undefined {
    const [first, ...others] = this.#askings;
    return others.every(({ ask }) => ask === first?.ask) ? first : undefined;
  }

  /** Starts it anew, whatever became of it before. @throws as `connected`. */
  async restart(signal: AbortSignal): Promise<void> {
    const before = this.#connection;
    this.#connection = undefined;
    this.#failures = NO_FAILURES;
    this.#down = undefined;
    this.#hurry.abort(new Cancelled("engine", "it is started anew at once"));
    await before?.close();
    await this.connected(signal);
  }

  /**
   * What there is to approve of it now: its program, and what it says of its tools.
   * @throws HarnessError McpProgramMissing, McpRecordUnusable.
   */
  async proposal(): Promise<Proposal> {
    const { spec } = this;
    const { files } = this.#ports.world;
    const { lines, tools } = await this.#known.changes();
    if (spec.transport !== "stdio" || spec.sha256 === undefined) return { lines, tools };
    const found = await findProgram(files, spec);
    const program = await hashOf(files, found);
    const approved = (await this.#known.program()) ?? spec.sha256;
    if (program === approved || program === spec.sha256) return { lines, tools, program };
    const paths = found.files.map(visible).join(" and ");
    const head = [`== ${paths}: changed`, `-sha256 ${approved}`, `+sha256 ${program}`];
    return { lines: [...head, ...lines], tools, program };
  }

  /**
   * A person accepts what was proposed, and nothing that became of it since.
   * @throws HarnessError McpRecordUnusable.
   */
  async approve({ program, tools }: Proposal): Promise<void> {
    await this.#known.approve(program, tools);
    if (this.#down?.error.reason === "MCPServerSHA256Mismatch") {
      this.#down = undefined;
      this.#failures = NO_FAILURES;
      this.#state = "stopped";
    }
  }

  /** Ends it, with every process of its own. */
  async close(): Promise<void> {
    this.#life.abort(new Cancelled("engine", "no session uses the server any more"));
    const connection = this.#connection;
    this.#connection = undefined;
    this.#state = "stopped";
    await connection?.close();
    await this.#starting?.then(
      (late) => late.close(),
      () => undefined, // whoever waited for it has been told
    );
    await this.#listing;
  }

  #begin(): Promise<Connection> {
    if (this.#starting !== undefined) return this.#starting;
    this.#down = undefined;
    const starting = this.#start().finally(() => {
      this.#starting = undefined;
    });
    this.#starting = starting;
    starting.catch(() => undefined); // whoever waits for it is told; nobody may
    return starting;
  }

  /** Tries, and tries again as long as that is worth it. */
  async #start(): Promise<Connection> {
    this.#state = "starting";
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tried = promise;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#open();
      } catch (thrown) {
        resolve();
        this.#life.signal.throwIfAborted();
        if (failures === 1 && !isFinal(thrown)) this.#tell({ kind: "failing", reason: messageOf(thrown) });
        await this.#afterFailure(thrown, 0);
      }
    }
  }

  /** Resolves when it may be tried again. @throws HarnessError where it may not: it is given up. */
  async #afterFailure(thrown: unknown, ranMs: number): Promise<void> {
    const { clock } = this.#ports.world;
    const reason = messageOf(thrown);
    this.#log.write("warn", "the server failed", { reason });
    const next = afterFailure(this.#failures, { nowMs: clock.monotonic(), ranMs });
    if (next.kind === "restart" && !isFinal(thrown)) {
      this.#failures = next.failures;
      this.#state = "starting";
      await this.#pause(next.afterMs);
      return;
    }
    const attempts = next.kind === "give-up" ? next.restarts : this.#failures.inARow;
    this.#failures = NO_FAILURES;
    this.#state = "degraded";
    const error = isFinal(thrown) ? thrown : this.#unavailable(attempts, thrown);
    this.#down = { error, untilMs: clock.monotonic() + COOLDOWN_MS, logins: this.#logins };
    if (isFinal(thrown)) this.#tell({ kind: "refused", error: thrown });
    else this.#tell({ kind: "down", reason, attempts });
    throw error;
  }

  #unavailable(attempts: number, cause: unknown): HarnessError {
    const { name } = this.spec;
    const why = shortened(visible(messageOf(cause)), WHY_CHARACTERS_MAX);
    const fields = { name, attempts: String(attempts), log: this.#ports.log, why };
    return new HarnessError("MCPServerUnavailable", fields, { cause });
  }

  /** Waits, unless a person wants it started anew. */
  async #pause(ms: number): Promise<void> {
    this.#hurry = new AbortController();
    const signal = AbortSignal.any([this.#life.signal, this.#hurry.signal]);
    try {
      await this.#ports.world.clock.sleep(ms, signal);
    } catch (thrown) {
      if (!this.#hurry.signal.aborted || this.#life.signal.aborted) throw thrown;
    }
  }

  async #open(): Promise<Connection> {
    const { spec } = this;
    const { world, version } = this.#ports;
    const { signal } = this.#life;
    const parts = {
      clock: world.clock,
      log: this.#log,
      version,
      capabilities: this.#ports.prepare === undefined ? {} : { elicitation: { form: {}, url: {} } },
      prepare: (client: Client) => this.#ports.prepare?.(client, this),
      onToolsChanged: () => this.#onToolsChanged(),
      onPromptsChanged: () => {
        this.#promptsAt += 1;
      },
    };
    const greet = async (era: Era) => {
      const transport = await this.#wireTo(spec);
      try {
        return await connect(transport, era, parts, signal);
      } catch (thrown) {
        const problem = transport === this.#wire ? this.#wire?.problem : undefined;
        if (problem === undefined || signal.aborted) throw thrown;
        throw new Error(problem, { cause: thrown });
      }
    };
    let connection: Connection;
    try {
      connection = await greet(this.#era);
    } catch (thrown) {
      const hasEnded = this.#era === "auto" && this.#wire?.problem !== undefined && !isFinal(thrown);
      if (!hasEnded || signal.aborted) throw await this.#refusal(thrown);
      connection = await greet("legacy");
      this.#era = "legacy";
    }
    try {
      await this.#known.learn(await connection.tools(signal));
    } catch (thrown) {
      await connection.close();
      throw this.#wire?.problem === undefined ? thrown : new Error(this.#wire.problem, { cause: thrown });
    }
    if (signal.aborted) {
      await connection.close();
      throw signal.reason;
    }
    this.#connection = connection;
    this.#promptsAt += 1;
    this.#startedMs = world.clock.monotonic();
    this.#state = "running";
    this.#log.write("info", "the server runs", {
      protocol: connection.client.getNegotiatedProtocolVersion(),
      tools: this.#known.tools.length,
    });
    void connection.closed.then(() => this.#onClosed(connection));
    return connection;
  }

  /** What keeps us out of a server that is elsewhere, wherever in a chain of causes it stands. */
  async #refusal(thrown: unknown): Promise<unknown> {
    if (this.spec.transport === "stdio") return thrown;
    const { refusalIn } = await import("./http.ts");
    return refusalIn(thrown) ?? thrown;
  }

  async #wireTo(spec: ServerSpec): Promise<Transport> {
    if (spec.transport !== "stdio") {
      this.#logins = await this.#ports.logins();
      return await this.#ports.openAddress(spec, this.#log);
    }
    const approved = await this.#known.program();
    this.#wire = await launch(spec, { world: this.#ports.world, log: this.#log, approved });
    return this.#wire;
  }

  #onClosed(connection: Connection): void {
    if (this.#connection !== connection) return; // we closed it
    this.#connection = undefined;
    const { clock } = this.#ports.world;
    const ranMs = clock.monotonic() - this.#startedMs;
    const reason = new Error(this.#wire?.problem ?? "the connection was closed");
    this.#state = "starting";
    const starting = this.#recover(connection, reason, ranMs).finally(() => {
      this.#starting = undefined;
    });
    this.#starting = starting;
    starting.catch(() => undefined); // told as an event, and to whoever waits for it
  }

  async #recover(before: Connection, reason: Error, ranMs: number): Promise<Connection> {
    await before.close();
    await this.#afterFailure(reason, ranMs);
    return await this.#start();
  }

  /** Reads its tools again, as often as it says that they are others, and no more often than once in a while. */
  #onToolsChanged(): void {
    this.#stale = true;
    this.#listing ??= this.#listAgain().finally(() => {
      this.#listing = undefined;
    });
  }

  async #listAgain(): Promise<void> {
    const { signal } = this.#life;
    try {
      while (this.#stale && this.#connection !== undefined) {
        this.#stale = false;
        await this.#known.learn(await this.#connection.tools(signal));
        await this.#ports.world.clock.sleep(LIST_PAUSE_MS, signal);
      }
    } catch (thrown) {
      if (!signal.aborted)
        this.#log.write("warn", "its tools cannot be listed again", { error: messageOf(thrown) });
    }
  }

  #tell(event: ServerEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

/** What trying again does not help against. */
function isFinal(thrown: unknown): thrown is HarnessError {
  return thrown instanceof HarnessError;
}

/** What a person helps against who logs in, or grants more rights. */
export function wantsLogin({ reason }: HarnessError): boolean {
  return reason === "McpLoginNeeded" || reason === "McpScopeMissing";
}
