import { expect, test } from "bun:test";
import { fakeId } from "../../../test/support/fake-connection.ts";
import { until } from "../../../test/support/until.ts";
import { remoteParts } from "../../../test/support/ws-rig.ts";
import type { JsonObject } from "../../base/json.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { connectRemote } from "./connect-remote.ts";

const [RUN, NEXT] = [fakeId("sess", 1), fakeId("sess", 2)];

interface Frame {
  readonly frame: string;
  readonly id: number;
  readonly body: JsonObject;
}

/** An engine that answers over sockets in this process. `restart` closes them, and knows the session no more. */
function openEngine() {
  const sockets = new Set<EventTarget>();
  const asked: Frame[] = [];
  const urls: string[] = [];
  let engine = "eng_1";
  let clients = 0;
  let isAttached = false;
  /** Refusals of the old run that are sent once the session is attached. */
  const late: (() => void)[] = [];

  const refuseLate = (refuse: () => void) => {
    if (isAttached) refuse();
    else late.push(refuse);
  };

  function answer(say: (frame: object) => void, { frame, id, body }: Frame): void {
    if (frame === "handshake") {
      if (id === 0) clients += 1;
      say({
        frame: "handshake",
        id,
        client: fakeId("cli", clients),
        engine,
        identityClass: "human",
        body: {},
      });
      return;
    }
    asked.push({ frame, id, body });
    const refuse = () =>
      say({ frame: "error", id, body: { reason: "UnknownSession", id: RUN, message: "" } });
    if (engine === "eng_1") say({ frame: "accepted", id, body: { sessionId: RUN } });
    else if (body["kind"] === "AttachSession") {
      say({ frame: "accepted", id, body: { sessionId: NEXT } });
      isAttached = true;
      // The client has taken note of the new run by then.
      setImmediate(() => {
        for (const refuseNow of late.splice(0)) refuseNow();
      });
    } else if (body["sessionId"] === NEXT)
      say(
        frame === "query"
          ? { frame: "result", id, body: { text: "kept" } }
          : { frame: "accepted", id, body: {} },
      );
    else if (asked.filter((each) => each.body["kind"] === "MarkRead").length === 1) refuse();
    else refuseLate(refuse);
  }

  function openSocket(url: string): WebSocket {
    urls.push(url);
    const socket = new EventTarget();
    sockets.add(socket);
    const say = (frame: object) =>
      queueMicrotask(() =>
        socket.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) })),
      );
    queueMicrotask(() => socket.dispatchEvent(new Event("open")));
    return Object.assign(socket, {
      send(text: string) {
        const frame = JSON.parse(text) as Frame;
        answer(say, frame);
        if (frame.frame === "handshake" && engine === "eng_2" && url.includes(RUN))
          refuseLate(() => {
            say({ frame: "error", body: { reason: "UnknownSession", message: "" } });
            queueMicrotask(() => socket.dispatchEvent(new Event("close")));
          });
      },
      close: () => undefined,
    }) as unknown as WebSocket;
  }

  return {
    asked,
    urls,
    openSocket,
    restart() {
      engine = "eng_2";
      for (const socket of sockets) socket.dispatchEvent(new Event("close"));
    },
  };
}

test("[CTL-03 REL-07] what was refused while another one attached its session again goes to the new run", async () => {
  const engine = openEngine();
  const { signal } = new AbortController();
  const reading = new AbortController();
  const { openSocket } = engine;
  await using connection = await connectRemote(
    { ...remoteParts("http://127.0.0.1:1"), token: () => "t", openSocket },
    signal,
  );
  await connection.handshake(PROTOCOL_VERSION);
  await connection.send({ kind: "AttachSession", sessionId: RUN as never });
  const events = connection.subscribe(RUN as never, { since: 0, signal: reading.signal });
  const read = Array.fromAsync(events);
  await until("the events are read", () => engine.urls.some((url) => url.includes(RUN)));
  engine.restart();
  const mark = { kind: "MarkRead", sessionId: RUN, event: 1, reader: "person" } as never;
  const draft = { kind: "GetDraft", sessionId: RUN, reader: "person" } as never;
  const [, , kept] = await Promise.all([
    connection.send(mark),
    connection.send(mark),
    connection.query<"GetDraft">(draft),
  ]);
  expect(kept.text).toBe("kept");
  const later = engine.asked
    .slice(1)
    .map(({ body }) => `${body["kind"]} ${body["sessionId"] === NEXT ? "new" : "old"}`);
  expect(later.filter((each) => each === "AttachSession old")).toHaveLength(1);
  expect(later.filter((each) => each === "MarkRead new")).toHaveLength(2);
  await Promise.race([read, until("the events go on", () => engine.urls.some((url) => url.includes(NEXT)))]);
  reading.abort();
  expect(await read).toEqual([]);
});
