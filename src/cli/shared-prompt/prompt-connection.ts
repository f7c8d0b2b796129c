import { BoundedQueue } from "../../base/async/queue.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { isId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { arrayAt, numberAt, stringAt } from "../../base/json.ts";
import { refusalFromBody } from "../../client/remote/server-frames.ts";
import type { Accepted, Command } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { PromptInput, PromptRequest } from "../../server/prompt/frames.ts";
import { INPUT_FRAME_ID } from "../../server/prompt/frames.ts";
import type { OpenedSession, PromptLink } from "./prompt-link.ts";

/** Events that wait for the output; the engine is made to wait long before. */
const EVENTS_MAX = 1_048_576;

interface Waiting {
  resolve(body: unknown): void;
  reject(thrown: unknown): void;
}

/** A prompt that a running engine carries out. Disposing it ends its session and waits for that. */
export interface RunningPrompt extends AsyncDisposable {
  /** The input that was sent along already. */
  readonly input?: PromptInput;
  /** Sends the request, if it was not sent along. */
  begin(input: PromptInput | undefined): void;
  /** @throws HarnessError the refusal of the session, EngineLost. */
  readonly opened: Promise<OpenedSession>;
  /** Commands and queries about its session. */
  readonly connection: Connection;
}

/** Returns the prompt behind a link whose engine has agreed to carry it out. */
export function runningPromptOn(link: PromptLink, request: PromptRequest, isSent: boolean): RunningPrompt {
  const opening = Promise.withResolvers<OpenedSession>();
  opening.promise.catch(() => undefined); // the reader of `opened` gets it
  const left = Promise.withResolvers<void>();
  const waiting = new Map<number, Waiting>();
  const events = new BoundedQueue<readonly [Envelope, number]>(EVENTS_MAX);
  let opened: OpenedSession | undefined;
  let last = INPUT_FRAME_ID;
  let failure: HarnessError | undefined;
  let sentInput = isSent && request.input !== undefined ? answerTo(INPUT_FRAME_ID) : undefined;

  function answerTo(id: number): Promise<unknown> {
    const { promise, ...answer } = Promise.withResolvers<unknown>();
    promise.catch(() => undefined); // whoever asked gets it
    if (failure === undefined) waiting.set(id, answer);
    else answer.reject(failure);
    return promise;
  }

  function ask(frame: "command" | "query", body: object): Promise<unknown> {
    last += 1;
    const answer = answerTo(last);
    link.send({ frame, id: last, body });
    return answer;
  }

  function fail(error: HarnessError): void {
    failure ??= error;
    opening.reject(failure);
    for (const answer of waiting.values()) answer.reject(failure);
    waiting.clear();
    events.fail(failure);
    left.resolve();
  }

  link.read({
    frame(frame, bytes) {
      const { frame: kind, body } = frame;
      if (kind !== "event") link.taken(bytes);
      if (kind === "event") events.push([body as Envelope, bytes]);
      else if (kind === "opened") opening.resolve((opened = readOpened(frame)));
      else if (kind === "failed") fail(refusalFromBody(body));
      else if (kind === "left") left.resolve();
      else settle(waiting, frame);
    },
    closed() {
      fail(
        new HarnessError("EngineLost", {
          session: opened?.session ?? "unknown: cinch sessions list shows it",
        }),
      );
    },
  });

  const connection: Connection = {
    get clientId() {
      if (opened === undefined) throw new HarnessError("HandshakeRequired", {});
      return opened.client;
    },
    identityClass: "human",
    handshake: () => Promise.reject(new TypeError("the engine has shaken hands for its prompt")),
    async send(command: Command) {
      const isInput = command.kind === "SendInput" && sentInput !== undefined;
      return (await (isInput ? sentInput : ask("command", command))) as Accepted;
    },
    async query<Kind extends QueryKind>(query: QueryOf<Kind>) {
      const answer = await ask("query", query);
      const { readResult } = await import("../../protocol/queries/read-query.ts");
      return readResult(query.kind, answer) as ResultOf<Kind>;
    },
    async *subscribe(_session, { signal }) {
      const stop = () => events.end();
      signal.addEventListener("abort", stop, { once: true });
      try {
        for await (const [event, bytes] of events) {
          link.taken(bytes);
          yield event;
        }
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return {
    ...(isSent ? defined({ input: request.input }) : {}),
    begin(input) {
      if (isSent) return;
      if (input !== undefined) sentInput = answerTo(INPUT_FRAME_ID);
      link.send({ ...request, ...defined({ input }) });
    },
    opened: opening.promise,
    connection,
    async [Symbol.asyncDispose]() {
      if (failure === undefined) link.send({ frame: "leave" });
      await left.promise;
      link[Symbol.dispose]();
    },
  };
}

function settle(waiting: Map<number, Waiting>, frame: JsonObject): void {
  const id = numberAt(frame, "id") ?? -1;
  const answer = waiting.get(id);
  waiting.delete(id);
  if (frame["frame"] === "error") answer?.reject(refusalFromBody(frame["body"]));
  else answer?.resolve(frame["body"] ?? {});
}

function readOpened(frame: JsonObject): OpenedSession {
  const [session = "", client = ""] = [stringAt(frame, "session"), stringAt(frame, "client")];
  if (!isId("sess", session) || !isId("cli", client)) throw new TypeError("the engine has named no session");
  const notices = (arrayAt(frame, "notices") ?? []).filter((notice) => typeof notice === "string");
  return { session, client, notices };
}
