import type { CallToolResult } from "@modelcontextprotocol/client";
import { whileAlive } from "../../../base/async/deadline.ts";
import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import { shortened } from "../../../base/text/text.ts";
import { visible } from "../../../safety/hidden.ts";
import type { Asking } from "../elicitation/elicitation.ts";
import type { Definition } from "../tools/definition.ts";
import { KnownTools } from "../tools/known-tools.ts";
import { Listing } from "../tools/listing.ts";
import type { CallOptions, Connection } from "../transport/connection.ts";
import { Greeter, isFinal } from "./greeter.ts";
import { mayHaveTakenEffect, UNKNOWN_OUTCOME } from "./outcome.ts";
import type { Proposal } from "./proposal.ts";
import { proposalOf } from "./proposal.ts";
import type { Failures } from "./restarts.ts";
import { afterFailure, COOLDOWN_MS, NO_FAILURES } from "./restarts.ts";
import type { ServerEvent, ServerPorts } from "./server-ports.ts";
import type { ServerSpec } from "./server-spec.ts";

export type ServerState = "stopped" | "starting" | "running" | "degraded";

/** Why a server is down that is not tried any more. */
interface Down {
  readonly error: HarnessError;
  readonly untilMs: number;
  /** What was known of logins that it let nobody in with. */
  readonly logins: string;
}

const WHY_CHARACTERS_MAX = 500;

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
  #connection: Connection | undefined;
  #startedMs = 0;
  #starting: Promise<Connection> | undefined;
  #tried: Promise<void> = Promise.resolve();
  #failures: Failures = NO_FAILURES;
  #down: Down | undefined;
  /** Why it runs and lets nobody in any more, as its last call has found. */
  #refusal: HarnessError | undefined;
  #promptsAt = 0;
  readonly #known: KnownTools;
  readonly #greeter: Greeter;
  readonly #listing: Listing;
  #hurry = new AbortController();

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
    this.#listing = new Listing({
      clock: ports.world.clock,
      log: this.#log,
      list: () => this.#list(),
      signal: this.#life.signal,
    });
    this.#greeter = new Greeter({
      spec,
      ports,
      log: this.#log,
      approved: () => this.#known.program(),
      prepare: ports.prepare === undefined ? undefined : (client) => ports.prepare?.(client, this),
      onToolsChanged: () => this.#listing.changed(),
      onPromptsChanged: () => {
        this.#promptsAt += 1;
      },
    });
  }

  get state(): ServerState {
    return this.#state;
  }

  /** What is known of its tools, and what of that a person has let pass. */
  get known(): Pick<KnownTools, "tools" | "unapproved" | "recall" | "accept"> {
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

  /** What a person has to do something about: why it is given up, or lets nobody in. */
  get trouble(): HarnessError | undefined {
    return this.problem ?? this.#refusal;
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
      const result = await connection.call(tool.name, input, options);
      this.#refusal = undefined;
      return result;
    } catch (thrown) {
      if (options.signal.aborted) throw thrown;
      if (thrown instanceof HarnessError && wantsLogin(thrown)) this.#refusal = thrown;
      const isGone = this.#connection !== connection;
      const why = isGone ? (this.#greeter.problem ?? "it ended during the call") : messageOf(thrown);
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
    this.#refusal = undefined;
    this.#greeter.forget();
    this.#hurry.abort(new Cancelled("engine", "it is started anew at once"));
    await before?.close();
    await this.connected(signal);
  }

  /** What there is to approve of it now. @throws HarnessError McpProgramMissing, McpRecordUnusable. */
  async proposal(): Promise<Proposal> {
    return await proposalOf(this.spec, this.#ports.world.files, this.#known);
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
    await this.#listing.settled;
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

  /** Tries, and tries again as long as that is worth it; at once where a person wants it started anew in the midst of it. */
  async #start(): Promise<Connection> {
    this.#state = "starting";
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tried = promise;
    for (let failures = 1; ; failures += 1) {
      const hurry = new AbortController();
      this.#hurry = hurry;
      try {
        return await this.#open(AbortSignal.any([this.#life.signal, hurry.signal]));
      } catch (thrown) {
        if (hurry.signal.aborted && !this.#life.signal.aborted) continue;
        resolve();
        this.#life.signal.throwIfAborted();
        const tellsFailing = failures === 1;
        await this.#afterFailure(thrown, { ranMs: 0, tellsFailing });
      }
    }
  }

  /** Resolves when it may be tried again. @throws HarnessError where it may not: it is given up. */
  async #afterFailure(
    thrown: unknown,
    { ranMs, tellsFailing = false }: { readonly ranMs: number; readonly tellsFailing?: boolean },
  ): Promise<void> {
    const { clock } = this.#ports.world;
    const reason = messageOf(thrown);
    this.#log.write("warn", "the server failed", { reason });
    const next = afterFailure(this.#failures, { nowMs: clock.monotonic(), ranMs });
    if (next.kind === "restart" && !isFinal(thrown)) {
      this.#failures = next.failures;
      this.#state = "starting";
      if (tellsFailing) this.#tell({ kind: "failing", reason });
      await this.#pause(next.afterMs);
      return;
    }
    const attempts = next.kind === "give-up" ? next.restarts : this.#failures.inARow;
    this.#failures = NO_FAILURES;
    this.#state = "degraded";
    const error = isFinal(thrown) ? thrown : this.#unavailable(attempts, thrown);
    const logins = wantsLogin(error) ? await this.#greeter.refusedLogins() : "";
    this.#down = { error, untilMs: clock.monotonic() + COOLDOWN_MS, logins };
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

  async #open(signal: AbortSignal): Promise<Connection> {
    const connection = await this.#greeter.greet(signal);
    try {
      await this.#known.learn(await connection.tools(signal));
    } catch (thrown) {
      await connection.close();
      const { problem } = this.#greeter;
      throw problem === undefined ? thrown : new Error(problem, { cause: thrown });
    }
    if (signal.aborted) {
      await connection.close();
      throw signal.reason;
    }
    this.#connection = connection;
    this.#promptsAt += 1;
    this.#startedMs = this.#ports.world.clock.monotonic();
    this.#state = "running";
    this.#log.write("info", "the server runs", {
      protocol: connection.client.getNegotiatedProtocolVersion(),
      tools: this.#known.tools.length,
    });
    void connection.closed.then(() => this.#onClosed(connection));
    return connection;
  }

  #onClosed(connection: Connection): void {
    if (this.#connection !== connection) return; // we closed it
    this.#connection = undefined;
    const { clock } = this.#ports.world;
    const ranMs = clock.monotonic() - this.#startedMs;
    const reason = new Error(this.#greeter.problem ?? "the connection was closed");
    this.#state = "starting";
    const starting = this.#recover(connection, reason, ranMs).finally(() => {
      this.#starting = undefined;
    });
    this.#starting = starting;
    starting.catch(() => undefined); // told as an event, and to whoever waits for it
  }

  async #recover(before: Connection, reason: Error, ranMs: number): Promise<Connection> {
    await before.close();
    await this.#afterFailure(reason, { ranMs });
    return await this.#start();
  }

  async #list(): Promise<void> {
    const connection = this.#connection;
    if (connection !== undefined) await this.#known.learn(await connection.tools(this.#life.signal));
  }

  #tell(event: ServerEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

/** What a person helps against who logs in, or grants more rights. */
export function wantsLogin({ reason }: HarnessError): boolean {
  return reason === "McpLoginNeeded" || reason === "McpScopeMissing";
}
