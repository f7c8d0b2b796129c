import { defined } from "../../src/base/defined.ts";
import { HarnessError } from "../../src/base/errors.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { SuiteTokens } from "../../src/conformance/tokens.ts";
import type {
  Client,
  CommandAnswer,
  FollowOptions,
  SilenceLimit,
  SuiteTransport,
} from "../../src/conformance/transports/transport.ts";
import { EventStream } from "../../src/conformance/transports/transport.ts";
import type { Connection } from "../../src/protocol/connection.ts";
import { readCommand } from "../../src/protocol/read.ts";
import type { EnginePort } from "../../src/session/engine-port.ts";

/** Within one process there is no token but who one is. */
export const inprocTokens: SuiteTokens = {
  main: "human",
  mint: ({ identity_class }) => Promise.resolve(identity_class),
};

/** The same scenarios within the process: what every other wire is measured by. */
export function inprocWire(engine: EnginePort): SuiteTransport {
  return {
    name: "inproc",
    async attach(token, { shake, version, signal, patience }) {
      const identityClass = token === "agent" ? "agent" : "human";
      const connection = engine.attach({ identityClass, label: "conformance" });
      if (shake) await connection.handshake(version);
      return new InprocClient(connection, signal, patience);
    },
  };
}

class InprocClient implements Client {
  readonly #connection: Connection;
  readonly #signal: AbortSignal;
  readonly #patience: SilenceLimit | undefined;

  constructor(connection: Connection, signal: AbortSignal, patience: SilenceLimit | undefined) {
    this.#patience = patience;
    this.#connection = connection;
    this.#signal = signal;
  }

  get id(): string {
    return this.#connection.clientId;
  }

  handshake(version: string): Promise<CommandAnswer> {
    return answerOf(async () => ({ ...(await this.#connection.handshake(version)) }));
  }

  send(command: JsonObject): Promise<CommandAnswer> {
    return answerOf(async () => ({ ...(await this.#connection.send(readCommand(command))) }));
  }

  async follow(session: string, since?: number, { args }: FollowOptions = {}): Promise<EventStream> {
    const leave = new AbortController();
    const signal = AbortSignal.any([this.#signal, leave.signal]);
    const options = { signal, ...defined({ since, args }) };
    const { sessionId } = readCommand({ kind: "AttachSession", sessionId: session }) as {
      readonly sessionId: Parameters<Connection["subscribe"]>[0];
    };
    const events = this.#connection.subscribe(sessionId, options);
    const left = async () => {
      leave.abort(new Error("left"));
      await reading;
    };
    const stream = new EventStream(this.#signal, left, this.#patience);
    const reading = (async () => {
      for await (const event of events) stream.push({ ...event });
    })()
      .catch(() => undefined) // it was left, or refused: it is over either way
      .finally(() => stream.end());
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}

async function answerOf(act: () => Promise<JsonObject>): Promise<CommandAnswer> {
  try {
    return { kind: "accepted", body: await act() };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    const { reason, message } = thrown;
    return { kind: "refused", reason, message };
  }
}
