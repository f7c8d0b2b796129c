import { BoundedQueue } from "../../base/async/queue.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError, hasReason } from "../../base/errors.ts";
import { isId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { arrayAt, numberAt, stringAt } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import { refusalFromBody } from "../../client/remote/server-frames.ts";
import type { Accepted, Command } from "../../protocol/commands/commands.ts";
import type { Connection, SubscribeOptions } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { PromptInput, PromptRequest } from "../../server/prompt/frames.ts";
import { INPUT_FRAME_ID, READING_MS } from "../../server/prompt/frames.ts";
import type { PromptLink, PromptReader, PromptSession } from "./prompt-link.ts";

/** Events that wait for the output; the engine is made to wait long before. */
const EVENTS_MAX = 1_048_576;

/** A prompt that a running engine carries out. Disposing it ends its session and waits for that. */
export interface RunningPrompt extends AsyncDisposable {
  /** The input that was sent along already. */
  readonly input?: PromptInput;
  /** Sends the request, if it was not sent along. */
  begin(input: PromptInput | undefined): void;
  /** @throws HarnessError the refusal of the session, EngineLost. */
  readonly opened: Promise<PromptSession>;
  /** Commands and queries about its session. */
  readonly connection: Connection;
  /** Monotonic time at which the engine was asked. */
  readonly sinceMs: number;
  /** True if the session has ended because the engine was stopped. Read it after the prompt was disposed. */
  readonly wasStopped: boolean;
}

/** Returns the prompt behind a link whose engine has agreed to carry it out. */
export function runningPromptOn(
  link: PromptLink,
  request: PromptRequest,
  {
    isSent,
    clock,
    sinceMs,
  }: { readonly isSent: boolean; readonly clock: Pick<Clock, "timer"> } & Pick<RunningPrompt, "sinceMs">,
): RunningPrompt {
  const connection = new PromptConnection(link);
  let reading: Disposable | undefined;
  /** Says that the request still comes, as long as standard input is read. */
  function stayAlive(): void {
    reading = clock.timer(READING_MS, () => {
      link.send({ frame: "reading" });
      stayAlive();
    });
  }
  if (!isSent) stayAlive();
  if (isSent && request.input !== undefined) connection.expectInput();
  link.read(connection);
  return {
    ...(isSent ? defined({ input: request.input }) : {}),
    begin(input) {
      if (isSent) return;
      reading?.[Symbol.dispose]();
      if (input !== undefined) connection.expectInput();
      link.send({ ...request, ...defined({ input }) });
    },
    opened: connection.opened,
    connection,
    sinceMs,
    get wasStopped() {
      return connection.wasStopped;
    },
    [Symbol.asyncDispose]() {
      reading?.[Symbol.dispose]();
      return connection.leave();
    },
  };
}

interface WaitingAnswer {
  resolve(body: unknown): void;
  reject(thrown: unknown): void;
}

/** Connection to the one session of a prompt. */
class PromptConnection implements Connection, PromptReader {
  readonly identityClass = "human";
  readonly #link: PromptLink;
  readonly #opening = Promise.withResolvers<PromptSession>();
  readonly #left = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, WaitingAnswer>();
  readonly #events = new BoundedQueue<readonly [Envelope, number]>(EVENTS_MAX);
  /** The answer to the input that went with the request. */
  #inputAnswer: Promise<unknown> | undefined;
  /** Id of the frame with the input. */
  #inputFrame = INPUT_FRAME_ID;
  #session: PromptSession | undefined;
  #last = INPUT_FRAME_ID;
  #failure: HarnessError | undefined;
  #wasStopped = false;
  #isLeaving = false;
  /** True once the engine has said that nothing follows. */
  #hasEnded = false;

  constructor(link: PromptLink) {
    this.#link = link;
    this.opened.catch(() => undefined); // its reader gets it
  }

  get opened(): Promise<PromptSession> {
    return this.#opening.promise;
  }

  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  get clientId() {
    if (this.#session === undefined) throw new HarnessError("HandshakeRequired", {});
    return this.#session.client;
  }

  handshake(): Promise<never> {
    return Promise.reject(new TypeError("the engine has shaken hands for its prompt"));
  }

  /** Expects the answer to the input of the request. */
  expectInput(): void {
    this.#inputAnswer = this.#answerTo(INPUT_FRAME_ID);
  }

  async send(command: Command): Promise<Accepted> {
    if (command.kind !== "SendInput") return (await this.#ask("command", command)) as Accepted;
    if (this.#inputAnswer === undefined) this.#inputFrame = this.#last + 1;
    return (await (this.#inputAnswer ?? this.#ask("command", command))) as Accepted;
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind>> {
    const answer = await this.#ask("query", query);
    const { readResult } = await import("../../protocol/queries/read-query.ts");
    return readResult(query.kind, answer) as ResultOf<Kind>;
  }

  async *subscribe(_session: unknown, { signal }: SubscribeOptions): AsyncGenerator<Envelope> {
    const stop = () => this.#events.end();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const [event, bytes] of this.#events) {
        this.#link.taken(bytes);
        yield event;
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  frame(frame: JsonObject, bytes: number): void {
    const { frame: kind, body } = frame;
    if (kind === "event") {
      const event = body as Envelope;
      if (this.#begins(event)) this.#settle({ frame: "accepted", id: this.#inputFrame });
      if (event.kind === "SessionEnded") this.#wasStopped = event.payload.reason === "binary-shutdown";
      this.#events.push([event, bytes]);
      return;
    }
    this.#link.taken(bytes);
    if (kind === "opened") {
      this.#session = readOpened(frame);
      this.#opening.resolve(this.#session);
    } else if (kind === "failed") this.#fail(refusalFromBody(body));
    else if (kind === "left") {
      this.#hasEnded = true;
      this.#left.resolve();
    } else this.#settle(frame);
  }

  /** An engine that says `left` before it closes the connection has ended in order. Another was killed. */
  closed(): void {
    const id = this.#session?.session;
    const session = id === undefined ? "its session, if it had begun one" : `the session ${id}`;
    this.#fail(
      this.#hasEnded ? new HarnessError("EngineStopping", {}) : new HarnessError("EngineLost", { session }),
    );
  }

  /** Ends the session, and waits until the engine has done that, or is gone. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    if (this.#failure === undefined) this.#link.send({ frame: "leave" });
    await this.#left.promise;
    this.#link[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /**
   * Returns true for the start of the prompt's turn. Its input was accepted then, even if the engine is lost or hangs
   * before it says so: the log is synced in between.
   */
  #begins({ kind, payload, parentCall }: Envelope): boolean {
    return kind === "TurnStarted" && parentCall === undefined && payload.originator === this.#session?.client;
  }

  #ask(frame: "command" | "query", body: object): Promise<unknown> {
    this.#last += 1;
    const answer = this.#answerTo(this.#last);
    this.#link.send({ frame, id: this.#last, body });
    return answer;
  }

  #answerTo(id: number): Promise<unknown> {
    const { promise, ...answer } = Promise.withResolvers<unknown>();
    promise.catch(() => undefined); // the caller gets it
    if (this.#failure === undefined) this.#waiting.set(id, answer);
    else answer.reject(this.#failure);
    return promise;
  }

  #settle(frame: JsonObject): void {
    const id = numberAt(frame, "id") ?? -1;
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (frame["frame"] === "error") answer?.reject(refusalFromBody(frame["body"]));
    else answer?.resolve(frame["body"] ?? {});
  }

  #fail(error: HarnessError): void {
    this.#failure ??= error;
    if (!this.#isLeaving && hasReason(this.#failure, "EngineStopping")) this.#wasStopped = true;
    this.#opening.reject(this.#failure);
    for (const answer of this.#waiting.values()) answer.reject(this.#failure);
    this.#waiting.clear();
    this.#events.fail(this.#failure);
    this.#left.resolve();
  }
}

function readOpened(frame: JsonObject): PromptSession {
  const [session = "", client = ""] = [stringAt(frame, "session"), stringAt(frame, "client")];
  if (!isId("sess", session) || !isId("cli", client)) throw new TypeError("the engine has named no session");
  const notices = (arrayAt(frame, "notices") ?? []).filter((notice) => typeof notice === "string");
  return { session, client, notices };
}
