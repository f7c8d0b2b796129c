import type { JsonObject } from "../../base/json.ts";
import { objectAt, stringAt } from "../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import type { ScenarioStage } from "../stage.ts";
import { promptTurn } from "../stage.ts";
import { answerOf } from "../transports/rest-transport.ts";
import { refusedAnswer } from "../transports/transport.ts";
import { WsSocket } from "../transports/ws-transport.ts";

export const FRAME_SCENARIOS: readonly Scenario[] = [
  {
    id: "ws-token",
    section: "[A] § Authentication: per-transport rules",
    promise: "No WebSocket opens without a token: 401.",
    wires: ["ws"],
    async play(stage) {
      assertRefused(
        "GET /v1/ws without a token",
        await answerOf(await stage.askBare("/v1/ws")),
        ["TokenMissing"],
        401,
      );
    },
  },
  {
    id: "ws-garbage",
    section: "[A] § User-facing errors",
    promise: "An invalid frame is answered with an error, and the socket stays open.",
    wires: ["ws"],
    async play(stage) {
      await using socket = await shakenSocket(stage);
      const wrong = [
        "{",
        "null",
        "[]",
        '"text"',
        '{"frame":"unheard","body":{}}',
        '{"frame":"command","body":7}',
      ];
      for (const [at, text] of [...wrong, new Uint8Array([0, 255])].entries()) {
        socket.send(text);
        const error = await socket.until(`an error for ${String(text)}`, (frame) =>
          nth(socket, "error", at).includes(frame),
        );
        assertRefused(`the frame ${String(text)}`, refusedAnswer(error["body"]), [
          "InvalidFrame",
          "InvalidCommand",
          "InvalidBody",
        ]);
      }
      socket.send({ frame: "ping", id: 90 });
      await socket.until("a pong after all of it", ({ frame }) => frame === "pong");
    },
  },
  {
    id: "ws-queries",
    section: "[A] § REST surface",
    promise:
      "A query in a frame has the same answer as its REST address; an unknown or incomplete query is refused.",
    wires: ["ws"],
    since: "0.3.0",
    async play(stage) {
      await using socket = await shakenSocket(stage);
      const session = await stage.session(await stage.attach());
      const answered = async (id: number, body: object) => {
        socket.send({ frame: "query", id, body });
        return await socket.until(
          `an answer to the query ${JSON.stringify(body)}`,
          (frame) => frame["id"] === id,
        );
      };
      const tasks = await answered(1, { kind: "ListTasks", sessionId: session });
      assertSame("the frame of the answer", tasks["frame"], "result");
      const rest = await answerOf(await stage.ask(`/v1/sessions/${session}/tasks`));
      assertSame("the answer to ListTasks", tasks["body"], assertAccepted("the tasks", rest));
      for (const [at, body] of [{ kind: "DropTables" }, { kind: "ListTasks" }].entries()) {
        const error = await answered(2 + at, body);
        assertRefused(`the query ${JSON.stringify(body)}`, refusedAnswer(error["body"]), ["InvalidQuery"]);
      }
    },
  },
  {
    id: "ws-events",
    section: "[A] § Canonical event envelope",
    promise: "Each event is one frame named event, with the envelope as its body.",
    wires: ["ws"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:say framed");
      await using socket = await shakenSocket(stage, `?session=${session}&lastEventId=0`);
      const frame = await socket.until("the end of the turn as a frame", ({ frame: name, body }) => {
        return name === "event" && stringAt(body, "kind") === "TurnEnded";
      });
      assertSame("its body", frame["body"], events.at(-1));
    },
  },
  {
    id: "ws-news",
    section: "docs/websocket.md § News",
    promise: "subscribe-news is accepted once, and each item of the news is one frame named news.",
    wires: ["ws"],
    since: "0.3.0",
    features: ["news"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      await using socket = await shakenSocket(stage);
      socket.send({ frame: "subscribe-news", id: 1 });
      const answer = await socket.until("an answer to subscribe-news", ({ id }) => id === 1);
      assertSame("the answer to subscribe-news", [answer["frame"], answer["body"]], ["accepted", {}]);
      const isNews = (name: string) => (frame: JsonObject) =>
        frame["frame"] === "news" && stringAt(frame["body"], "kind") === name;
      await socket.until("NewsReady", isNews("NewsReady"));
      const named = socket.frames
        .filter(isNews("SessionChanged"))
        .map(({ body }) => stringAt(body, "session"));
      assertHolds("the sessions before NewsReady", named.includes(session), {
        expected: session,
        got: named,
      });
      socket.send({ frame: "subscribe-news", id: 2 });
      const again = await socket.until("an answer to the second subscribe-news", ({ id }) => id === 2);
      assertRefused("a second subscribe-news", refusedAnswer(again["body"]), ["InvalidFrame"]);
    },
  },
  {
    id: "ws-attach",
    section: "docs/websocket.md § Files; CTL-19",
    promise:
      "A file comes in pieces, each of which is answered, and the last answer names the file by its bytes.",
    wires: ["ws"],
    since: "0.3.0",
    kinds: ["RunShell"],
    async play(stage) {
      const sessionId = await stage.session(await stage.attach());
      await using socket = await shakenSocket(stage);
      const asked = async (id: number, frame: string, body: object) => {
        socket.send({ frame, id, body });
        return await socket.until(`an answer to ${frame}`, (answer) => answer["id"] === id);
      };
      const none = await asked(1, "attach-piece", { data: "AA==" });
      assertRefused("a piece of no file", refusedAnswer(none["body"]), ["InvalidFrame"]);
      const begun = await asked(2, "attach", {
        sessionId,
        name: "words.txt",
        mediaType: "text/plain",
        bytes: 9,
      });
      assertSame("the answer to attach", [begun["frame"], begun["body"]], ["accepted", {}]);
      const first = await asked(3, "attach-piece", { data: "iVBORw0K" });
      assertSame("the answer to the first piece", first["body"], { received: 6 });
      const { body } = await asked(4, "attach-piece", { data: "GgoA" });
      const file = [stringAt(body, "name"), stringAt(body, "media_type"), Object(body)["bytes"]];
      assertSame("the file that is kept", file, ["words.txt", "image/png", 9]);
    },
  },
  {
    id: "ws-ids",
    section: "[A] § WebSocket surface",
    promise: "An answer has the id of the frame that it answers.",
    wires: ["ws"],
    async play(stage) {
      await using socket = await shakenSocket(stage);
      for (const [at, id] of [5, 9_007_199_254_740_991].entries()) {
        socket.send({ frame: "ping", id });
        const pong = await socket.until(`pong ${at + 1}`, (frame) => nth(socket, "pong", at).includes(frame));
        assertSame("its id", pong["id"], id);
      }
    },
  },
  {
    id: "ws-spellings",
    section: "[A] § Control plane; § WebSocket surface",
    promise: "A frame may also have the form {kind: command, cmd, …}, or be a bare command.",
    wires: ["ws"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      await using socket = await shakenSocket(stage);
      const spellings = [
        { kind: "command", id: 11, cmd: "CancelTurn", sessionId: session },
        { kind: "CancelTurn", id: 12, body: { sessionId: session } },
      ];
      for (const frame of spellings) {
        socket.send(frame);
        const answer = await socket.until(
          `an answer to ${JSON.stringify(frame)}`,
          ({ id }) => id === frame.id,
        );
        assertSame(`the answer to ${JSON.stringify(frame)}`, answer["frame"], "accepted");
      }
    },
  },
  {
    id: "ws-greeting",
    section: "[A] § Handshake: WS, first frame",
    promise: "The handshake of a socket names the client and its identity class.",
    wires: ["ws"],
    async play(stage) {
      await using socket = await shakenSocket(stage);
      const greeting = await socket.until("the handshake", ({ frame }) => frame === "handshake");
      const client = stringAt(greeting, "client") ?? "";
      assertHolds("the client", /^cli_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(client), {
        expected: "a client id",
        got: client,
      });
      assertSame("the identity class", greeting["identityClass"], "human");
      assertHolds("the body", objectAt(greeting, "body") !== undefined, {
        expected: "the handshake",
        got: greeting["body"],
      });
    },
  },
];

/** Returns the nth frame of a kind as a list, which is empty if there is none. */
function nth({ frames }: WsSocket, kind: string, at: number): readonly object[] {
  return frames.filter(({ frame }) => frame === kind).slice(at, at + 1);
}

/** Opens a WebSocket and does the handshake. */
export async function shakenSocket(stage: ScenarioStage, query = ""): Promise<WsSocket> {
  const socket = new WsSocket(stage.http, query, {
    token: stage.mainToken,
    signal: stage.signal,
    patience: stage.patience,
  });
  await socket.open();
  socket.send({ frame: "handshake", id: 0, body: { protocol_version: stage.version } });
  await socket.until("an answer to the handshake", ({ id }) => id === 0);
  return socket;
}
