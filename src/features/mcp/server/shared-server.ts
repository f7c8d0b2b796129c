import type { CallToolResult } from "@modelcontextprotocol/client";
import { whileAlive } from "../../../base/async/deadline.ts";
import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import { shortened } from "../../../base/text/text.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { ElicitationContext } from "../elicitation/elicitation.ts";
import type { ToolDefinition } from "../tools/definition.ts";
import { KnownTools } from "../tools/known-tools.ts";
import { ToolRefresher } from "../tools/tool-refresher.ts";
import type { CallOptions, McpConnection } from "../transport/mcp-connection.ts";
import { isPermanent, McpConnector } from "./mcp-connector.ts";
import { mayHaveTakenEffect, UNKNOWN_OUTCOME } from "./outcome.ts";
import type { Proposal } from "./proposal.ts";
import { readProposal } from "./proposal.ts";
import type { Failures } from "./restarts.ts";
import { COOLDOWN_MS, NO_FAILURES, planAfterFailure } from "./restarts.ts";
import type { ServerDependencies, ServerEvent } from "./server-dependencies.ts";
import type { ServerSpec } from "./server-spec.ts";

export type ServerState = "stopped" | "starting" | "running" | "degraded";

/** Reason why a server is not called, and the end of that time. */
interface Outage {
  readonly error: HarnessError;
  readonly untilMs: number;
  /** Fingerprint of the stored logins with which the server refused access. */
  readonly logins: string;
}

const WHY_CHARACTERS_MAX = 500;

/**
 * One server, shared by all sessions that use it (MCP-05). It starts at its first use, restarts when it ends by
 * itself, and is given up after too many failures (MCP-03).
 *
 * A failure affects only the server's own calls. Each of them fails with the reason.
 */
export class SharedServer {
  readonly spec: ServerSpec;
  readonly #dependencies: ServerDependencies;
  readonly #log: Log;
  readonly #life = new AbortController();
  readonly #watchers = new Set<(event: ServerEvent) => void>();
  readonly #elicitations = new Set<ElicitationContext>();
  #state: ServerState = "stopped";
  #connection: McpConnection | undefined;
  #startedMs = 0;
  #starting: Promise<McpConnection> | undefined;
  #tried: Promise<void> = Promise.resolve();
  #failures: Failures = NO_FAILURES;
  #down: Outage | undefined;
  /** The refusal of the last call by a running server that wants a login. */
  #refusal: HarnessError | undefined;
  #promptsAt = 0;
  readonly #known: KnownTools;
  readonly #connector: McpConnector;
  readonly #listing: ToolRefresher;
  #hurry = new AbortController();

  constructor(spec: ServerSpec, dependencies: ServerDependencies) {
    this.spec = spec;
    this.#dependencies = dependencies;
    this.#log = dependencies.world.log.for(`mcp.${spec.name}`);
    this.#known = new KnownTools({
      spec,
      records: dependencies.records,
      log: this.#log,
      onChanged: (tools) => this.#emit({ kind: "changed", tools }),
    });
    this.#listing = new ToolRefresher({
      clock: dependencies.world.clock,
      log: this.#log,
      list: () => this.#list(),
      signal: this.#life.signal,
    });
    this.#connector = new McpConnector({
      spec,
      dependencies: dependencies,
      log: this.#log,
      approved: () => this.#known.program(),
      prepare:
        dependencies.prepare === undefined ? undefined : (client) => dependencies.prepare?.(client, this),
      onToolsChanged: () => this.#listing.refresh(),
      onPromptsChanged: () => {
        this.#promptsAt += 1;
      },
    });
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Its known tools, and which of them a person has approved. */
  get known(): Pick<KnownTools, "tools" | "unapproved" | "load" | "accept"> {
    return this.#known;
  }

  /** A number that changes whenever its prompts may have changed. */
  get promptsVersion(): number {
    return this.#promptsAt;
  }

  /** The running start; undefined if there is none. Each start is another promise. */
  get starting(): Promise<unknown> | undefined {
    return this.#starting;
  }

  /** Resolves after the first failed start. Nobody needs to wait for the retries. */
  get firstFailure(): Promise<void> {
    return this.#tried;
  }

  /** Reason why it is not called until the cooldown ends. */
  get problem(): HarnessError | undefined {
    const { clock } = this.#dependencies.world;
    return this.#down !== undefined && clock.monotonic() < this.#down.untilMs ? this.#down.error : undefined;
  }

  /** The problem that a person has to solve: why it was given up, or that it wants a login. */
  get trouble(): HarnessError | undefined {
    return this.problem ?? this.#refusal;
  }

  watch(watcher: (event: ServerEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Allows a new start if the server was given up for want of a login and one has been stored since. */
  async retryAfterLogin(): Promise<void> {
    const down = this.#down;
    if (down === undefined || !needsLogin(down.error)) return;
    if ((await this.#dependencies.logins()) === down.logins || this.#down !== down) return;
    this.#down = undefined;
    this.#state = "stopped";
  }

  /**
   * Returns a connection. Starts the server if needed, and waits for a restart.
   * @throws the signal's reason; HarnessError MCPServerUnavailable, MCPServerSHA256Mismatch, McpProgramMissing …
   */
  async connected(signal: AbortSignal): Promise<McpConnection> {
    signal.throwIfAborted();
    this.#life.signal.throwIfAborted();
    if (this.#connection !== undefined) return this.#connection;
    if (this.#down !== undefined) await this.retryAfterLogin();
    if (this.problem !== undefined) throw this.problem;
    return await whileAlive(this.#begin(), signal);
  }

  /**
   * Calls one of its tools.
   * @throws like `connected`; Error in words for people if the call fails.
   */
  async call(
    tool: ToolDefinition,
    input: JsonObject,
    { elicitation, ...options }: CallOptions & { readonly elicitation?: ElicitationContext },
  ): Promise<CallToolResult> {
    const connection = await this.connected(options.signal);
    const now = this.#known.tools.find(({ name }) => name === tool.name);
    if (now?.sha256 !== tool.sha256)
      throw new Error("its description of this tool has changed: look it up again");
    if (elicitation !== undefined) this.#elicitations.add(elicitation);
    try {
      const result = await connection.call(tool.name, input, options);
      this.#refusal = undefined;
      return result;
    } catch (thrown) {
      if (options.signal.aborted) throw thrown;
      if (thrown instanceof HarnessError && needsLogin(thrown)) this.#refusal = thrown;
      const isGone = this.#connection !== connection;
      const why = isGone ? (this.#connector.problem ?? "it ended during the call") : messageOf(thrown);
      if (mayHaveTakenEffect(thrown)) throw new Error(`${why}. ${UNKNOWN_OUTCOME}`, { cause: thrown });
      throw isGone ? new Error(why, { cause: thrown }) : thrown;
    } finally {
      if (elicitation !== undefined) this.#elicitations.delete(elicitation);
    }
  }

  /**
   * The people to ask on the server's behalf: those of the one session with a running call. Undefined if several
   * sessions have one.
   */
  get elicitation(): ElicitationContext | undefined {
    const [first, ...others] = this.#elicitations;
    return others.every(({ ask }) => ask === first?.ask) ? first : undefined;
  }

  /** Restarts it, whatever its state. @throws like `connected`. */
  async restart(signal: AbortSignal): Promise<void> {
    const before = this.#connection;
    this.#connection = undefined;
    this.#failures = NO_FAILURES;
    this.#down = undefined;
    this.#refusal = undefined;
    this.#connector.forget();
    this.#hurry.abort(new Cancelled("engine", "it is being restarted"));
    await before?.close();
    await this.connected(signal);
  }

  /** True if a person has stopped it. */
  get isStopped(): boolean {
    return this.#down?.error.reason === "McpServerStopped";
  }

  /** Keeps it from starting until `restart`. */
  hold(): void {
    const error = new HarnessError("McpServerStopped", { name: this.spec.name });
    this.#down = { error, untilMs: Number.POSITIVE_INFINITY, logins: "" };
    this.#state = "stopped";
  }

  /** Ends it, with all of its processes, and keeps it from starting until `restart`. */
  async stop(): Promise<void> {
    const before = this.#connection;
    this.#connection = undefined;
    this.#failures = NO_FAILURES;
    this.#refusal = undefined;
    this.hold();
    this.#hurry.abort(new Cancelled("engine", "it was stopped"));
    await before?.close();
    await this.#starting?.catch(() => undefined); // those who waited for it got the error
  }

  /** Returns what a person may approve of it now. @throws HarnessError McpProgramMissing, McpRecordUnusable. */
  async proposal(): Promise<Proposal> {
    return await readProposal(this.spec, this.#dependencies.world.files, this.#known);
  }

  /**
   * Saves a person's approval of the proposal, not of anything that changed since.
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

  /** Ends it, with all of its processes. */
  async close(): Promise<void> {
    this.#life.abort(new Cancelled("engine", "no session uses the server any more"));
    const connection = this.#connection;
    this.#connection = undefined;
    this.#state = "stopped";
    await connection?.close();
    await this.#starting?.then(
      (late) => late.close(),
      () => undefined, // those who waited for it got the error
    );
    await this.#listing.settled;
  }

  #begin(): Promise<McpConnection> {
    if (this.#starting !== undefined) return this.#starting;
    this.#down = undefined;
    const starting = this.#start().finally(() => {
      this.#starting = undefined;
    });
    this.#starting = starting;
    starting.catch(() => undefined); // those who wait for it get the error; there may be none
    return starting;
  }

  /** Starts it, with retries as long as they are worth it. Retries at once if a person restarts it meanwhile. */
  async #start(): Promise<McpConnection> {
    this.#state = "starting";
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tried = promise;
    for (let failures = 1; ; failures += 1) {
      this.#assertNotStopped(resolve);
      const hurry = new AbortController();
      this.#hurry = hurry;
      try {
        return await this.#open(AbortSignal.any([this.#life.signal, hurry.signal]));
      } catch (thrown) {
        this.#assertNotStopped(resolve);
        if (hurry.signal.aborted && !this.#life.signal.aborted) continue;
        resolve();
        this.#life.signal.throwIfAborted();
        const emitsFailing = failures === 1;
        await this.#afterFailure(thrown, { ranMs: 0, emitsFailing });
      }
    }
  }

  /** @throws HarnessError McpServerStopped, after `failed`, if a person has stopped it meanwhile. */
  #assertNotStopped(failed: () => void): void {
    if (!this.isStopped) return;
    failed();
    throw this.#down?.error;
  }

  /** Resolves when it may be started again. @throws HarnessError if it is given up. */
  async #afterFailure(
    thrown: unknown,
    { ranMs, emitsFailing = false }: { readonly ranMs: number; readonly emitsFailing?: boolean },
  ): Promise<void> {
    const { clock } = this.#dependencies.world;
    const reason = messageOf(thrown);
    this.#log.write("warn", "the server failed", { reason });
    const next = planAfterFailure(this.#failures, { nowMs: clock.monotonic(), ranMs });
    if (next.kind === "restart" && !isPermanent(thrown)) {
      this.#failures = next.failures;
      this.#state = "starting";
      if (emitsFailing) this.#emit({ kind: "failing", reason });
      await this.#pause(next.afterMs);
      return;
    }
    const attempts = next.kind === "give-up" ? next.restarts : this.#failures.inARow;
    this.#failures = NO_FAILURES;
    this.#state = "degraded";
    const error = isPermanent(thrown) ? thrown : this.#unavailable(attempts, thrown);
    const logins = needsLogin(error) ? await this.#connector.refusedLogins() : "";
    this.#down = { error, untilMs: clock.monotonic() + COOLDOWN_MS, logins };
    if (isPermanent(thrown)) this.#emit({ kind: "refused", error: thrown });
    else this.#emit({ kind: "down", reason, attempts });
    throw error;
  }

  #unavailable(attempts: number, cause: unknown): HarnessError {
    const { name } = this.spec;
    const why = shortened(visibleLine(messageOf(cause)), WHY_CHARACTERS_MAX);
    const fields = { name, attempts: String(attempts), log: this.#dependencies.log, why };
    return new HarnessError("MCPServerUnavailable", fields, { cause });
  }

  /** Waits, unless a person restarts the server. */
  async #pause(ms: number): Promise<void> {
    this.#hurry = new AbortController();
    const signal = AbortSignal.any([this.#life.signal, this.#hurry.signal]);
    try {
      await this.#dependencies.world.clock.sleep(ms, signal);
    } catch (thrown) {
      if (!this.#hurry.signal.aborted || this.#life.signal.aborted) throw thrown;
    }
  }

  async #open(signal: AbortSignal): Promise<McpConnection> {
    const connection = await this.#connector.connect(signal);
    try {
      await this.#known.update(await connection.tools(signal));
    } catch (thrown) {
      await connection.close();
      const { problem } = this.#connector;
      throw problem === undefined ? thrown : new Error(problem, { cause: thrown });
    }
    if (signal.aborted) {
      await connection.close();
      throw signal.reason;
    }
    this.#connection = connection;
    this.#promptsAt += 1;
    this.#startedMs = this.#dependencies.world.clock.monotonic();
    this.#state = "running";
    this.#log.write("info", "the server runs", {
      protocol: connection.client.getNegotiatedProtocolVersion(),
      tools: this.#known.tools.length,
    });
    void connection.closed.then(() => this.#onClosed(connection));
    return connection;
  }

  #onClosed(connection: McpConnection): void {
    if (this.#connection !== connection) return; // we closed it
    this.#connection = undefined;
    const { clock } = this.#dependencies.world;
    const ranMs = clock.monotonic() - this.#startedMs;
    const reason = new Error(this.#connector.problem ?? "the connection was closed");
    this.#state = "starting";
    const starting = this.#recover(connection, reason, ranMs).finally(() => {
      this.#starting = undefined;
    });
    this.#starting = starting;
    starting.catch(() => undefined); // reported as an event, and to those who wait for it
  }

  async #recover(before: McpConnection, reason: Error, ranMs: number): Promise<McpConnection> {
    await before.close();
    await this.#afterFailure(reason, { ranMs });
    return await this.#start();
  }

  async #list(): Promise<void> {
    const connection = this.#connection;
    if (connection !== undefined) await this.#known.update(await connection.tools(this.#life.signal));
  }

  #emit(event: ServerEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

/** Returns true for errors that a person can solve by logging in or granting more rights. */
export function needsLogin({ reason }: HarnessError): boolean {
  return reason === "McpLoginNeeded" || reason === "McpScopeMissing";
}
