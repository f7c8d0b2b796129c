import { defined } from "../base/defined.ts";
import type { JsonObject } from "../base/json.ts";
import { stringAt } from "../base/json.ts";
import { assertAccepted } from "./check.ts";
import type { HttpAccess, SuiteClock } from "./http-access.ts";
import { Mismatch, Skipped } from "./mismatch.ts";
import type { AskedClaims, SuiteTokens } from "./tokens.ts";
import { McpClient } from "./transports/mcp-transport.ts";
import type { RestAsk } from "./transports/rest-transport.ts";
import { askRest } from "./transports/rest-transport.ts";
import type { Client, EventStream, SilenceLimit, SuiteTransport } from "./transports/transport.ts";

export interface StageDependencies {
  readonly wire: SuiteTransport;
  /** Absent if the server is not reachable over HTTP. */
  readonly http?: HttpAccess;
  readonly tokens: SuiteTokens;
  readonly clock: SuiteClock;
  /** Protocol version in use. */
  readonly version: string;
  readonly profile: string;
  /** Aborts at the scenario's time limit. */
  readonly signal: AbortSignal;
  /** Longest silence of the server, in milliseconds, during a wait. */
  readonly silenceMsMax: number;
}

/** Context of one scenario on one transport. Owns the clients, sessions and tokens that the scenario makes. */
export class ScenarioStage implements AsyncDisposable {
  readonly #dependencies: StageDependencies;
  readonly #clients: Client[] = [];
  readonly #sessions = new Map<string, Client | undefined>();

  constructor(dependencies: StageDependencies) {
    this.#dependencies = dependencies;
  }

  get wire(): SuiteTransport["name"] {
    return this.#dependencies.wire.name;
  }
  get clock(): SuiteClock {
    return this.#dependencies.clock;
  }
  get signal(): AbortSignal {
    return this.#dependencies.signal;
  }
  get patience(): SilenceLimit {
    const { clock, silenceMsMax } = this.#dependencies;
    return { ms: silenceMsMax, timer: (ms, callback) => clock.timer(ms, callback) };
  }
  get version(): string {
    return this.#dependencies.version;
  }
  get mainToken(): string {
    return this.#dependencies.tokens.main;
  }

  /** The server over HTTP. @throws Skipped if it is not reachable so. */
  get http(): HttpAccess {
    const { http } = this.#dependencies;
    if (http === undefined) throw new Skipped("the server is not reached over HTTP");
    return http;
  }

  /** Connects a client, by default with the suite's token: a human's, with all rights. */
  async attach({ token = this.mainToken, shake = true } = {}): Promise<Client> {
    const { wire, version, signal } = this.#dependencies;
    if (wire.isAlone === true && this.#clients.length > 0)
      throw new Skipped("each client is a process here, with a separate session");
    const client = await wire.attach(token, { shake, version, signal, patience: this.patience });
    this.#clients.push(client);
    return client;
  }

  /** Mints a token. @throws Skipped if the server requires a person for that. */
  async mint(claims: AskedClaims): Promise<string> {
    return await this.#dependencies.tokens.mint(claims, this.signal);
  }

  /** Connects a client of class agent. @throws Skipped if no token can be minted. */
  async attachAgent(): Promise<Client> {
    return await this.attach({ token: await this.mint({ identity_class: "agent" }) });
  }

  /** Creates a session with the scripted model; disposal ends it. */
  async session(by: Client): Promise<string> {
    const { profile } = this.#dependencies;
    const made = assertAccepted(
      `CreateSession with the profile ${profile}`,
      await by.send({ kind: "CreateSession", profile }),
    );
    const id = stringAt(made, "sessionId");
    if (id === undefined)
      throw new Mismatch("what CreateSession answers", "its sessionId", JSON.stringify(made));
    this.#sessions.set(id, by);
    return id;
  }

  /** Registers a session that the scenario created in another way, so that disposal ends it. */
  ends(session: string): void {
    this.#sessions.set(session, undefined);
  }

  /** Connects an MCP client. @throws Skipped if the transport is another one. */
  async attachMcp(): Promise<McpClient> {
    const client = await this.attach();
    if (client instanceof McpClient) return client;
    throw new Skipped("the server is not reached over MCP");
  }

  /** Sends a request, by default with the suite's token. */
  async ask(
    path: string,
    ask: Omit<RestAsk, "signal"> & { readonly signal?: AbortSignal } = {},
  ): Promise<Response> {
    return await askRest(this.http, path, { ...this.#limits, token: this.mainToken, ...ask });
  }

  /** Sends a request without a token. */
  async askBare(path: string, ask: Omit<RestAsk, "signal" | "token"> = {}): Promise<Response> {
    return await askRest(this.http, path, { ...this.#limits, ...ask });
  }

  get #limits() {
    return { signal: this.signal, patience: this.patience };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#sessions.size > 0) await this.#endSessions();
    } finally {
      await Promise.allSettled(this.#clients.map((client) => client[Symbol.asyncDispose]()));
    }
  }

  /** Ends the sessions. Failures are ignored: other scenarios test EndSession. */
  async #endSessions(): Promise<void> {
    try {
      const isAlone = this.#dependencies.wire.isAlone === true;
      const other = isAlone ? undefined : await this.attach();
      for (const [sessionId, maker] of this.#sessions)
        await (other ?? maker)?.send({ kind: "EndSession", sessionId });
    } catch {
      // The scenario's result is already decided.
    }
  }
}

/** Returns the SendInput command for a text. */
export function inputCommand(sessionId: string, text: string, more: JsonObject = {}): JsonObject {
  return { kind: "SendInput", sessionId, content: [{ type: "text", text }], ...more };
}

/** One turn as a client received it, from TurnStarted to TurnEnded. */
export interface ReceivedTurn {
  readonly events: readonly JsonObject[];
  readonly text: string;
  readonly reason: string;
}

/** Sends a prompt and reads events to the end of its turn. @throws Mismatch if that does not come. */
export async function promptTurn(by: Client, session: string, cue: string): Promise<ReceivedTurn> {
  await using stream = await by.follow(session);
  assertAccepted(`the prompt ${cue}`, await by.send(inputCommand(session, cue)));
  await stream.kind("TurnEnded");
  return newestTurn(stream.seen);
}

/** Returns the newest ended turn of a list of events. */
export function newestTurn(seen: readonly JsonObject[]): ReceivedTurn {
  const end = seen.findLastIndex(({ kind }) => kind === "TurnEnded");
  const begin = seen.slice(0, end).findLastIndex(({ kind }) => kind === "TurnStarted");
  const events = seen.slice(begin, end + 1);
  return { events, text: answerTextOf(events), reason: String(payloadOf(events.at(-1))["reason"] ?? "") };
}

/** Joins the model's text in these events. */
export function answerTextOf(events: readonly JsonObject[]): string {
  return events
    .map((event) => (event["kind"] === "TextDelta" ? String(payloadOf(event)["text"]) : ""))
    .join("");
}

export function payloadOf(event: JsonObject | undefined): JsonObject {
  const payload = event?.["payload"];
  return typeof payload === "object" && payload !== null ? (payload as JsonObject) : {};
}

export function listKinds(events: readonly JsonObject[]): readonly string[] {
  return events.map(({ kind }) => String(kind));
}

/** Returns the id of an event; NaN if it has none. */
export function idOf(event: JsonObject | undefined): number {
  const id = event?.["id"];
  return typeof id === "number" ? id : Number.NaN;
}

/** Sends the cue `ask` and waits for the permission request. */
export async function requestPermission(
  by: Client,
  session: string,
  stream: EventStream,
  cue = "cue:ask",
): Promise<{ readonly callId: string; readonly event: JsonObject }> {
  assertAccepted(`the prompt ${cue}`, await by.send(inputCommand(session, cue)));
  const event = await stream.kind("PermissionRequested");
  return { callId: String(payloadOf(event)["callId"]), event };
}

/** Returns the command that answers a permission request. */
export function answerCommand(
  sessionId: string,
  callId: string,
  decision: "allow" | "deny",
  scope?: string,
): JsonObject {
  return { kind: "AnswerPermission", sessionId, callId, decision, ...defined({ scope }) };
}
