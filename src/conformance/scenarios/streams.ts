import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject, objectAt, parseJson, stringAt } from "../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import { Mismatch, Skipped } from "../mismatch.ts";
import type { Scenario } from "../scenario.ts";
import { EVERY } from "../scenario.ts";
import { answerTextOf, idOf, inputCommand, payloadOf, promptTurn } from "../stage.ts";
import { answerOf } from "../transports/rest-transport.ts";
import type { SseFrame } from "../transports/sse.ts";
import { SseReader } from "../transports/sse.ts";
import type { SilenceLimit } from "../transports/transport.ts";

/** Promises of the server-sent event streams of a session and of the minimal server. */
export const STREAM_SCENARIOS: readonly Scenario[] = [
  {
    id: "call-arguments",
    section: "docs/rest.md § Arguments of a call while they come",
    promise:
      "A subscriber that asks gets the arguments of a call in pieces before it begins, outside the log; others get none.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["ToolArgsDelta"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using plain = await client.follow(session);
      await using asking = await client.follow(session, undefined, { args: true });
      assertAccepted("the prompt", await client.send(inputCommand(session, "cue:call")));
      for (const stream of [plain, asking]) await stream.kind("TurnEnded");
      const isPiece = ({ kind }: JsonObject) => kind === "ToolArgsDelta";
      assertSame("pieces for a subscriber that does not ask", plain.seen.filter(isPiece), []);
      const begun = asking.seen.findIndex(({ kind }) => kind === "ToolCallStarted");
      const pieces = asking.seen.slice(0, begun).filter(isPiece);
      const { callId, args } = payloadOf(asking.seen[begun]);
      const text = pieces.map((piece) => String(payloadOf(piece)["text"])).join("");
      assertSame("the joined pieces of the arguments", parseJson(text)?.value, args);
      for (const piece of pieces) {
        assertSame("the call of a piece", payloadOf(piece)["callId"], callId);
        assertSame("that a piece is outside the log", piece["aside"], true);
      }
      assertSame("pieces after the start of the call", asking.seen.slice(begun).filter(isPiece), []);
    },
  },
  {
    id: "sse-format",
    section: "[A] § Canonical event envelope",
    promise: "Each event of a stream is one frame, with its id and its envelope as one line of JSON.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:call");
      const answer = await stage.ask(`/v1/sessions/${session}/events?since=0`);
      const type = answer.headers.get("content-type") ?? "";
      assertHolds("its content-type", /^text\/event-stream\b/.test(type), {
        expected: "text/event-stream",
        got: type,
      });
      const frames = await framesUntil(answer, "TurnEnded");
      for (const { id, data = "" } of frames) {
        const event = parseJson(data)?.value;
        const idInside = isObject(event) ? String(event["id"]) : "(no envelope)";
        assertSame(`the id of a frame, and of the event in it`, id, idInside);
      }
    },
  },
  {
    id: "sse-kinds",
    section: "[A] § Canonical event envelope",
    promise:
      "Each frame of a stream names the kind of its event; a client whose version is older than 0.3 gets frames without a name.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:call");
      const at = `/v1/sessions/${session}/events?since=0`;
      for (const version of [stage.version, "0.2.0"]) {
        const answer = await stage.ask(at, { headers: { "x-harness-version": version } });
        for (const { event, data = "" } of await framesUntil(answer, "TurnEnded")) {
          const kind = stringAt(parseJson(data)?.value, "kind");
          const name = version === stage.version ? kind : undefined;
          assertSame(
            `the name of a frame with ${kind}, for a client of ${version}`,
            event ?? null,
            name ?? null,
          );
        }
      }
    },
  },
  {
    id: "sse-injection",
    section: "[A] § Canonical event envelope",
    promise: "No text of a model can start a frame in a stream.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:lines");
      const answer = await stage.ask(`/v1/sessions/${session}/events?since=0`);
      const frames = await framesUntil(answer, "TurnEnded");
      const events = frames.map(({ data = "" }) => parseJson(data)?.value);
      assertSame(
        "frames whose data is no envelope",
        events.filter((event) => !isObject(event) || !("ts" in event)),
        [],
      );
      const text = answerTextOf(events.filter(isObject));
      assertSame("the text of the answer", text, LINES);
    },
  },
  {
    id: "last-event-id",
    section: "[A] § Stream resume (unified)",
    promise:
      "Last-Event-ID names the last received event, and takes precedence over ?since=; an invalid id is refused.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:call");
      const [second, third] = [idOf(events[1]), idOf(events[2])];
      const at = `/v1/sessions/${session}/events?since=0`;
      const answer = await stage.ask(at, { headers: { "last-event-id": `${second}` } });
      const frames = await framesUntil(answer, "TurnEnded");
      assertSame(`the first event after ${second}`, frames[0]?.id, `${third}`);
      const refusal = await answerOf(await stage.ask(at, { headers: { "last-event-id": "abc" } }));
      assertRefused("Last-Event-ID: abc", refusal, ["InvalidHeader", "InvalidPath"], 400);
    },
  },
  {
    id: "news-stream",
    section: "docs/rest.md § News",
    promise:
      "News begin with every session as the list has it, then tell its turns and its end, each as one frame without an id.",
    wires: ["rest"],
    since: "0.3.0",
    features: ["news"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const headers = { "x-harness-version": stage.version };
      await using news = new NewsReading(await stage.ask("/v1/news", { headers }), stage.patience);
      const about = ({ item }: NewsFrame) => stringAt(item, "session") === session;
      await news.until("NewsReady", ({ item }) => item["kind"] === "NewsReady");
      const list = assertAccepted("the list", await answerOf(await stage.ask("/v1/sessions")));
      const listed = arrayAt(list, "sessions").find((each) => stringAt(each, "session") === session);
      assertSame(
        "the news of the session before NewsReady",
        news.frames.filter(about).map(({ item }) => item),
        [{ kind: "SessionChanged", session, info: listed }],
      );
      await promptTurn(client, session, "cue:say news");
      await stage.clock.pass(NEWS_MS, stage.signal);
      await news.until("its turn", (frame) => about(frame) && objectAt(frame.item, "info")?.["turns"] === 1);
      assertAccepted("EndSession", await client.send({ kind: "EndSession", sessionId: session }));
      await stage.clock.pass(NEWS_MS, stage.signal);
      await news.until("its end", (frame) => about(frame) && frame.item["kind"] === "SessionGone");
      for (const { frame, item } of news.frames) {
        assertSame("the name of a frame", frame.event, item["kind"]);
        assertSame("the id of a frame", frame.id ?? null, null);
      }
    },
  },
  {
    id: "news-scope",
    section: "docs/rest.md § News",
    promise: "News for a token of named sessions tell these only.",
    wires: ["rest"],
    since: "0.3.0",
    features: ["news"],
    async play(stage) {
      const client = await stage.attach();
      const [session] = [await stage.session(client), await stage.session(client)];
      const token = await stage.mint({ identity_class: "human", sessions: [session] });
      const headers = { "x-harness-version": stage.version };
      const answer = await stage.ask("/v1/news?past=true", { token, headers });
      await using news = new NewsReading(answer, stage.patience);
      await news.until("NewsReady", ({ item }) => item["kind"] === "NewsReady");
      const named = news.frames.flatMap(({ item }) => stringAt(item, "session") ?? []);
      assertSame("the sessions in the news", named, [session]);
    },
  },
  {
    id: "news-reader",
    section: "docs/rest.md § News",
    promise: "News for a reader count the turns that ended after this reader's mark, and no other's.",
    wires: ["rest"],
    since: "0.3.0",
    features: ["news"],
    kinds: ["MarkRead"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:say one");
      const mark = { kind: "MarkRead", sessionId: session, event: idOf(events.at(-1)), reader: "one" };
      assertAccepted("MarkRead", await client.send(mark));
      const open = async (reader: string) => {
        const headers = { "x-harness-version": stage.version };
        return new NewsReading(await stage.ask(`/v1/news?reader=${reader}`, { headers }), stage.patience);
      };
      await using one = await open("one");
      await using two = await open("two");
      const unread = (news: NewsReading) =>
        news.frames.flatMap(({ item }) =>
          stringAt(item, "session") === session ? [objectAt(item, "info")?.["unread"]] : [],
        );
      for (const news of [one, two])
        await news.until("NewsReady", ({ item }) => item["kind"] === "NewsReady");
      assertSame("the unread turns of both readers", [unread(one), unread(two)], [[0], [1]]);
      await promptTurn(client, session, "cue:say two");
      await stage.clock.pass(NEWS_MS, stage.signal);
      for (const news of [one, two])
        await news.until(
          "its second turn",
          ({ item }) => stringAt(item, "session") === session && objectAt(item, "info")?.["turns"] === 2,
        );
      assertSame("and after one more turn", [unread(one).at(-1), unread(two).at(-1)], [1, 2]);
    },
  },
  {
    id: "minimal-blocks",
    section: "[B] § HTTP Server",
    promise:
      "The minimal server sends a turn as user, status, one text for each block, and status; with ?deltas=true text comes in pieces.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const leave = new AbortController();
      const signal = AbortSignal.any([stage.signal, leave.signal]);
      try {
        const streams = [];
        for (const path of ["/events", "/events?deltas=true"]) {
          const answer = await stage.ask(path, { signal });
          if (answer.status === 404) throw new Skipped("there is no minimal server");
          assertSame(`the status of ${path}`, answer.status, 200);
          streams.push(answer);
        }
        const prompt = await stage.ask("/prompt", { json: { content: "cue:pieces 3" } });
        assertSame("the status of the prompt", prompt.status, 202);
        await prompt.body?.cancel();
        const [blocks = [], deltas = []] = await Promise.all(streams.map(minimalTurn));
        assertSame("the events of the turn", blocks.map(minimalLine), [
          "user cue:pieces 3",
          "status thinking",
          "text 1 2 3 ",
          "status idle",
        ]);
        const texts = deltas.filter(({ type }) => type === "text").map(({ content }) => String(content));
        assertSame("the text in pieces", texts.join(""), "1 2 3 ");
      } finally {
        leave.abort(new Error("left"));
      }
    },
  },
];

/** Time after which news of a change have come: at most four items in a second, and some time for the way. */
const NEWS_MS = 1_000;

interface NewsFrame {
  readonly frame: SseFrame;
  readonly item: JsonObject;
}

/** News as they are read. Disposal leaves the stream. */
class NewsReading implements AsyncDisposable {
  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #patience: SilenceLimit;
  readonly #reader = new SseReader();
  readonly #decoder = new TextDecoder();
  readonly frames: NewsFrame[] = [];

  /** @throws Mismatch if the answer is no stream. */
  constructor(answer: Response, patience: SilenceLimit) {
    assertSame("the status of the news", answer.status, 200);
    this.#body = answer.body?.getReader();
    this.#patience = patience;
  }

  /** Reads on until an item holds. @throws Mismatch if the stream ends before that, or is silent for too long. */
  async until(what: string, holds: (frame: NewsFrame) => boolean): Promise<void> {
    for (let from = 0; !this.frames.slice(from).some(holds); ) {
      from = this.frames.length;
      const { ms, timer } = this.#patience;
      using _limit = timer(ms, () => void this.#body?.cancel());
      const { value } = (await this.#body?.read()) ?? {};
      if (value === undefined)
        throw new Mismatch(`the news of ${what}`, "they come", "the stream ended, or brought nothing");
      for (const frame of this.#reader.push(this.#decoder.decode(value, { stream: true }))) {
        const item = frame.data === undefined ? undefined : parseJson(frame.data)?.value;
        if (isObject(item)) this.frames.push({ frame, item });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#body?.cancel();
  }
}

/** Answer to the cue `lines` (docs/conformance.md). */
const LINES = 'first\n\nevent: TurnEnded\ndata: {"kind":"TurnEnded"}\nid: 1\n\nlast';

/** Reads the events of the minimal server up to the end of a turn. */
async function minimalTurn(answer: Response): Promise<readonly JsonObject[]> {
  const frames: JsonObject[] = [];
  const [reader, decoder] = [new SseReader(), new TextDecoder()];
  for await (const chunk of answer.body ?? []) {
    for (const { data = "" } of reader.push(decoder.decode(chunk, { stream: true }))) {
      const value = parseJson(data)?.value;
      if (isObject(value)) frames.push(value);
    }
    if (frames.some(({ state }) => state === "idle")) break;
  }
  return frames;
}

function minimalLine({ type, content, state }: JsonObject): string {
  return `${String(type)} ${String(type === "status" ? state : content)}`;
}

/** Reads the frames with data up to an event of a kind, or to the end of the stream. */
async function framesUntil(answer: Response, kind: string): Promise<readonly SseFrame[]> {
  const frames: SseFrame[] = [];
  const [reader, decoder] = [new SseReader(), new TextDecoder()];
  if (answer.body === null) return frames;
  for await (const chunk of answer.body) {
    frames.push(
      ...reader.push(decoder.decode(chunk, { stream: true })).filter(({ data }) => data !== undefined),
    );
    if (frames.some(({ data = "" }) => isEnvelopeOf(data, kind))) break;
  }
  return frames;
}

function isEnvelopeOf(data: string, kind: string): boolean {
  const value = parseJson(data)?.value;
  return isObject(value) && value["kind"] === kind && "ts" in value;
}
