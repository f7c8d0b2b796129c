import { defined } from "../../base/defined.ts";
import { hasReason } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { jsonLine } from "../../view/wire-json.ts";
import { asRefusal, errorBody } from "../http/answers.ts";
import type { FailedFrame, OpenedFrame, PromptFrame, PromptRequest } from "./frames.ts";
import { INPUT_FRAME_ID } from "./frames.ts";

/** Sessions of prompts, and clients of them. */
export interface PromptSessions {
  /** Opens a session in which nobody is asked. @throws HarnessError. */
  readonly openSession: (request: PromptRequest) => Promise<OpenedPrompt>;
  /** Attaches the person who typed the prompt. */
  readonly attach: () => Promise<Connection>;
}

export interface OpenedPrompt {
  readonly session: SessionId;
  /** Sentences for the person. */
  readonly notices: readonly string[];
}

export interface PromptWire {
  /** Lines of the client: its request, then its frames. */
  readonly lines: AsyncGenerator<string>;
  /** Sends a line; resolves once there is room for more. Nothing is sent to a client that has gone. */
  write(line: string): Promise<void>;
  /** Aborts once the client has gone, or the engine ends. */
  readonly stop: AbortSignal;
}

/**
 * Opens a session for one prompt and carries frames until the client leaves, or has gone, however it ended. Then a turn
 * is cancelled, and the session ends: nobody else started it (REL-03).
 * @throws HarnessError if the session cannot be opened.
 */
export async function carryPrompt(parts: PromptSessions, wire: PromptWire): Promise<void> {
  const { lines, write, stop } = wire;
  const { readRequest } = await import("./read-request.ts");
  const { value: line, done } = await lines.next();
  if (done === true) return;
  const request = await readRequest(line);
  if (stop.aborted) return; // the client has given up
  const { session, notices } = await parts.openSession(request);
  await using connection = await parts.attach();
  const run = new PromptRun(connection, session, { wire, deltasMayWait: request.deltasMayWait ?? false });
  try {
    await connection.handshake(PROTOCOL_VERSION);
    await write(
      jsonLine({ frame: "opened", session, client: connection.clientId, notices } satisfies OpenedFrame),
    );
    const { input } = request;
    if (input !== undefined && !stop.aborted)
      run.send(INPUT_FRAME_ID, {
        kind: "SendInput",
        sessionId: session,
        ...input,
        content: [...input.content],
      });
    await run.take(lines, stop);
  } finally {
    await run.end(hasReason(stop.reason, "EngineStopping"));
  }
  await write(jsonLine({ frame: "left" }));
}

/** One prompt that runs. */
class PromptRun {
  readonly #connection: Connection;
  readonly #session: SessionId;
  readonly #wire: PromptWire;
  readonly #deltasMayWait: boolean;
  readonly #left = new AbortController();
  /** Answers on their way to the client. */
  readonly #answers = new Set<Promise<void>>();
  #events: Promise<void> | undefined;

  constructor(
    connection: Connection,
    session: SessionId,
    { wire, deltasMayWait }: { readonly wire: PromptWire; readonly deltasMayWait: boolean },
  ) {
    this.#connection = connection;
    this.#session = session;
    this.#wire = wire;
    this.#deltasMayWait = deltasMayWait;
  }

  /** Carries out the client's frames until it leaves or is gone, or the engine ends. */
  async take(lines: AsyncGenerator<string>, stop: AbortSignal): Promise<void> {
    const { readPromptFrame } = await import("./read-request.ts");
    const stopped = Promise.withResolvers<undefined>();
    const onStop = () => stopped.resolve(undefined);
    stop.addEventListener("abort", onStop, { once: true });
    if (stop.aborted) onStop();
    for (;;) {
      const next = await Promise.race([lines.next(), stopped.promise]);
      if (next === undefined || next.done === true) return;
      const frame = readPromptFrame(next.value);
      if (frame.frame === "leave") return;
      await this.#carryOut(frame);
    }
  }

  async #carryOut({ frame, id, body }: Exclude<PromptFrame, { readonly frame: "leave" }>): Promise<void> {
    if (frame === "query") return await this.#query(id, body);
    const { readCommand } = await import("../../protocol/read.ts");
    const command = readCommand(body);
    if (command.kind === "SendInput") this.send(id, command);
    else this.#answer(id, "accepted", this.#connection.send(command));
  }

  async #query(id: number, body: JsonObject): Promise<void> {
    const { readQuery } = await import("../../protocol/queries/read-query.ts");
    this.#answer(id, "result", this.#connection.query(readQuery(body), this.#left.signal));
  }

  /** Sends an input. The first opens a subscription before, to what all of them bring about. */
  send(id: number, command: CommandOf<"SendInput">): void {
    this.#events ??= this.#subscribe();
    this.#answer(id, "accepted", this.#connection.send(command));
  }

  #subscribe(): Promise<void> {
    const events = this.#connection.subscribe(this.#session, {
      signal: this.#left.signal,
      ...(this.#deltasMayWait ? { deltasMayWait: true } : {}),
    });
    const reader = events[Symbol.asyncIterator]();
    const first = reader.next(); // opens the subscription
    return this.#pass(first, reader);
  }

  /** Sends an answer once it is there. `end` waits for it. */
  #answer(id: number, frame: "accepted" | "result", answer: Promise<unknown>): void {
    const sending = this.#sendAnswer(id, frame, answer);
    this.#answers.add(sending);
    void sending.finally(() => this.#answers.delete(sending));
  }

  async #sendAnswer(id: number, frame: "accepted" | "result", answer: Promise<unknown>): Promise<void> {
    let line: string;
    try {
      line = jsonLine({ frame, id, ...defined({ body: await answer }) });
    } catch (thrown) {
      line = jsonLine({ frame: "error", id, body: errorBody(asRefusal(thrown)) });
    }
    await this.#wire.write(line);
  }

  /** Sends events until the session ends. The next is read once there is room for it. */
  async #pass(first: Promise<IteratorResult<Envelope>>, reader: AsyncIterator<Envelope>): Promise<void> {
    try {
      for (let next = await first; next.done !== true; next = await reader.next())
        await this.#wire.write(jsonLine({ frame: "event", body: next.value }));
    } catch (thrown) {
      if (this.#left.signal.aborted) return;
      await this.#wire.write(
        jsonLine({ frame: "failed", body: errorBody(asRefusal(thrown)) } satisfies FailedFrame),
      );
    }
  }

  /**
   * Ends the session, and with it a turn that runs. It may have ended already. An engine that stops ends all its
   * sessions by itself: the client gets the events up to that end.
   */
  async end(isStopping: boolean): Promise<void> {
    if (isStopping || (await this.#isEnding())) await this.#events;
    this.#left.abort(new Error("the client has left"));
    await Promise.all([this.#events, ...this.#answers]);
  }

  /** Ends the session. Returns true if it is being ended already, by itself or with its engine. */
  async #isEnding(): Promise<boolean> {
    try {
      await this.#connection.send({ kind: "EndSession", sessionId: this.#session });
    } catch (thrown) {
      if (hasReason(thrown, "EngineStopping") || hasReason(thrown, "SessionEnding")) return true;
      if (!hasReason(thrown, "UnknownSession")) throw thrown;
    }
    return false;
  }
}
