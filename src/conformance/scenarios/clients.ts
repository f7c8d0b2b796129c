import type { JsonObject } from "../../base/json.ts";
import { isObject, parseJson, stringAt } from "../../base/json.ts";
import { CLIENT_LABEL_CHARACTERS_MAX } from "../../protocol/events/acting-client.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { AGENTS_TOO, EVERY } from "../scenario.ts";
import {
  answerCommand,
  idOf,
  inputCommand,
  listKinds,
  newestTurn,
  payloadOf,
  promptTurn,
  requestPermission,
} from "../stage.ts";

export const CLIENT_SCENARIOS: readonly Scenario[] = [
  {
    id: "multi-attach",
    section: "[A] § Multi-client semantics",
    promise: "Two subscribers of a session get the same events in the same order.",
    wires: AGENTS_TOO,
    async play(stage) {
      const [one, two] = [await stage.attach(), await stage.attach()];
      const session = await stage.session(one);
      await using seenByOne = await one.follow(session);
      await using seenByTwo = await two.follow(session);
      assertAccepted("the prompt", await one.send(inputCommand(session, "cue:call")));
      await Promise.all([seenByOne.kind("TurnEnded"), seenByTwo.kind("TurnEnded")]);
      assertSame(
        "what the second client saw",
        newestTurn(seenByTwo.seen).events,
        newestTurn(seenByOne.seen).events,
      );
    },
  },
  {
    id: "originator",
    section: "[A] § Multi-client semantics",
    promise:
      "The events of a turn name the client that sent its input, and turns of different clients name different ones.",
    wires: EVERY,
    async play(stage) {
      const [one, two] = [await stage.attach(), await stage.attach()];
      const session = await stage.session(one);
      const by: string[] = [];
      for (const client of [one, two, one]) {
        const { events } = await promptTurn(client, session, "cue:say hello");
        const named = events.map((event) => stringAt(event, "originator"));
        assertSame("the originators of the events of one turn", new Set(named).size, 1);
        by.push(named[0] ?? "");
      }
      assertSame("whether the first and the third turn are one client's", by[0] === by[2], true);
      assertSame("whether the first and the second are", by[0] === by[1], false);
      if (one.id !== undefined) assertSame("the originator of the first", by[0], one.id);
    },
  },
  {
    id: "client-named",
    section: "docs/rest.md § Who is here",
    promise:
      "Events that name a client say what it calls itself, on one short line without control characters, and its class.",
    wires: EVERY,
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      assertAccepted("the prompt", await client.send(inputCommand(session, "cue:say hello")));
      const { who } = payloadOf(await stream.kind("TurnStarted"));
      const label = isObject(who) ? stringAt(who, "label") : undefined;
      const isClean =
        label !== undefined && label.length <= CLIENT_LABEL_CHARACTERS_MAX && !UNSEEN.test(label);
      assertHolds("the label of the client that started the turn", isClean, {
        expected: "a short line of visible characters",
        got: who,
      });
      assertSame("its class", isObject(who) ? who["identityClass"] : undefined, "human");
      await stream.kind("TurnEnded");
    },
  },
  {
    id: "disconnect",
    section: "[A] § Multi-client semantics: detach is non-destructive",
    promise: "A turn continues when its only client disconnects, and its questions wait for the next client.",
    wires: EVERY,
    async play(stage) {
      const [leaving, next] = [await stage.attach(), await stage.attach()];
      const session = await stage.session(leaving);
      const stream = await leaving.follow(session);
      const { callId } = await requestPermission(leaving, session, stream);
      await stream[Symbol.asyncDispose]();
      await leaving[Symbol.asyncDispose]();
      await using seen = await next.follow(session, 0);
      const asked = await seen.kind("PermissionRequested");
      assertSame("the question that waits", payloadOf(asked)["callId"], callId);
      assertAccepted("the answer", await next.send(answerCommand(session, callId, "allow", "once")));
      await seen.kind("TurnEnded");
      const { text, reason } = newestTurn(seen.seen);
      assertSame("what became of the turn", [text, reason], ["allowed", "complete"]);
    },
  },
  {
    id: "detach",
    section: "[A] § Multi-client semantics: detach is non-destructive",
    promise: "DetachSession ends nothing, and AttachSession returns to the session.",
    wires: AGENTS_TOO,
    kinds: ["AttachSession", "DetachSession"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      assertAccepted("DetachSession", await client.send({ kind: "DetachSession", sessionId: session }));
      const back = assertAccepted(
        "AttachSession",
        await client.send({ kind: "AttachSession", sessionId: session }),
      );
      assertSame("the session that is attached to", back["sessionId"] ?? session, session);
      assertSame(
        "the answer after it",
        (await promptTurn(client, session, "cue:say still here")).text,
        "still here",
      );
    },
  },
  {
    id: "end-session",
    section: "[A] § REST surface",
    promise:
      "An ended session emits SessionEnded by the user, its stream ends, and it accepts no more commands.",
    wires: AGENTS_TOO,
    since: "0.2.0",
    kinds: ["SessionEnded"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      assertAccepted("EndSession", await client.send({ kind: "EndSession", sessionId: session }));
      const ended = await stream.kind("SessionEnded");
      assertSame("why it ended", payloadOf(ended)["reason"], "user");
      await stream.over("the end of the stream");
      assertRefused("a prompt after it", await client.send(inputCommand(session, "cue:say late")), [
        "UnknownSession",
        "SessionEnded",
      ]);
    },
  },
  {
    id: "reattach-ended",
    section: "[A] § Stream resume (unified)",
    promise:
      "AttachSession to an ended session resumes its log: the model knows the conversation, and the events are there.",
    wires: AGENTS_TOO,
    since: "0.2.0",
    kinds: ["AttachSession"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const before = await promptTurn(client, session, "cue:say remember me");
      assertAccepted("EndSession", await client.send({ kind: "EndSession", sessionId: session }));
      const back = assertAccepted(
        "AttachSession",
        await client.send({ kind: "AttachSession", sessionId: session }),
      );
      const run = stringAt(back, "sessionId") ?? session;
      stage.ends(run);
      assertSame(
        "what the model knows",
        (await promptTurn(client, run, "cue:recall")).text,
        "cue:say remember me",
      );
      await using replayed = await client.follow(run, 0);
      await replayed.kind("TurnEnded", 2);
      assertSame("the first events of the log", replayed.seen.slice(0, before.events.length), before.events);
    },
  },
  {
    id: "resume-exact",
    section: "[A] § Stream resume (unified)",
    promise: "A client that resumes after any event gets every later event once, in order.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:call");
      await using whole = await client.follow(session, 0);
      await whole.kind("TurnEnded");
      const all = [...whole.seen];
      for (const [at, event] of all.slice(0, -1).entries()) {
        await using rest = await client.follow(session, idOf(event));
        await rest.kind("TurnEnded");
        assertSame(`what follows event ${idOf(event)}`, rest.seen, all.slice(at + 1));
      }
    },
  },
  {
    id: "resume-live",
    section: "[A] § Stream resume (unified)",
    promise: "A resumed stream continues with new events after those of the log.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:say one");
      await using stream = await client.follow(session, 1);
      await stream.kind("TurnEnded");
      assertAccepted("the next prompt", await client.send(inputCommand(session, "cue:say two")));
      await stream.kind("TurnEnded", 2);
      assertSame("the answer of the next turn", newestTurn(stream.seen).text, "two");
    },
  },
  {
    id: "live-is-logged",
    section: "[A] § Stream resume (unified)",
    promise: "A live event and the same event from the log are identical.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const live = await promptTurn(client, session, "cue:call");
      await using replayed = await client.follow(session, 0);
      await replayed.kind("TurnEnded");
      assertSame("the turn as the log has it", newestTurn(replayed.seen).events, live.events);
    },
  },
  {
    id: "slow-reader",
    section: "[A] § Stream resume (unified): never silently skip",
    promise: "A reader that stops delays nobody, and loses nothing when it continues.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const stalled = await stage.ask(`/v1/sessions/${session}/events?since=0`);
      await using stream = await client.follow(session);
      for (let number = 1; number <= SLOW_TURNS; number++) {
        assertAccepted(`prompt ${number}`, await client.send(inputCommand(session, "cue:loop")));
        await stream.kind("TurnEnded", number);
      }
      const last = idOf(stream.seen.at(-1));
      const ids = await idsUpTo(stalled, last);
      const missing = stream.seen.map(idOf).filter((id) => !ids.has(id));
      assertSame(`events of ${last} that the slow reader did not get`, missing, []);
    },
  },
  {
    id: "queued-input",
    section: "docs/protocol/compatibility.md; ENG-26",
    promise: "Input with delivery queue waits for the running turn, and then starts another turn.",
    wires: EVERY,
    since: "0.2.0",
    kinds: ["InputQueued"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const queued = assertAccepted(
        "the second prompt",
        await client.send(inputCommand(session, "cue:say second", { delivery: "queue" })),
      );
      assertHolds("what it answers", typeof queued["inputId"] === "string", {
        expected: "an inputId",
        got: queued,
      });
      await stream.kind("InputQueued");
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded", 2);
      assertSame("the answer of the second turn", newestTurn(stream.seen).text, "second");
    },
  },
  {
    id: "withdrawn-input",
    section: "docs/protocol/compatibility.md; ENG-26",
    promise: "A client can withdraw its waiting input, which then never starts.",
    wires: EVERY,
    since: "0.2.0",
    kinds: ["InputWithdrawn", "WithdrawInput"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const second = inputCommand(session, "cue:say unwanted", { delivery: "queue" });
      const { inputId } = assertAccepted("the second prompt", await client.send(second));
      assertAccepted(
        "WithdrawInput",
        await client.send({ kind: "WithdrawInput", sessionId: session, inputId }),
      );
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded");
      assertAccepted(
        "a third prompt",
        await client.send(inputCommand(session, "cue:say third", { delivery: "queue" })),
      );
      await stream.until("the third answer", (event) => payloadOf(event)["text"] === "third");
      const turnCount = listKinds(stream.seen).filter((kind) => kind === "TurnStarted").length;
      assertSame("how many turns have begun", turnCount, 2);
      const withdrawn = stream.seen.filter(({ kind }) => kind === "InputWithdrawn").map(payloadOf);
      assertSame(
        "the inputs that were reported as withdrawn",
        withdrawn.map((each) => each["inputId"]),
        [inputId],
      );
    },
  },
];

/** Control characters, line separators, and characters that change the direction of a text. */
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** Number of turns with some fifty events each: more events than a server buffers for a reader. */
const SLOW_TURNS = 8;

/** Reads the ids of the events in a body up to `last`. */
async function idsUpTo(answer: Response, last: number): Promise<ReadonlySet<number>> {
  const ids = new Set<number>();
  const decoder = new TextDecoder();
  let text = "";
  if (answer.body === null) return ids;
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) ids.add(idOf(parseObject(line.slice(6))));
    if (ids.has(last)) break;
  }
  return ids;
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text)?.value;
  return isObject(value) ? value : {};
}
