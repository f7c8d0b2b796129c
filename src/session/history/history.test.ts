import { expect, test } from "bun:test";
import { event, newLog, says, texts } from "../../../test/support/store-rig.ts";
import { checkValid } from "../../../test/support/valid-history.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Message } from "../../protocol/message.ts";
import { memorySessionStore } from "../store/memory-store.ts";
import type { Intent, StoredMessage } from "../store/store.ts";
import { rebuild, resumeHistory } from "./history.ts";
import { validHistory } from "./valid-history.ts";

const world = testWorld();
const session = world.ids.next("sess");
const originator = world.ids.next("cli");
const [read, bash] = [world.ids.next("call"), world.ids.next("call")] as const;

const go = says("user", "go");
const calls: Message = { role: "assistant", content: [use(read, "Read"), use(bash, "Bash")] };
const results: Message = { role: "user", content: [result(read, "r"), result(bash, "b")] };

test("[SES-07] a finished turn comes back as it was stored", () => {
  const stored = [at(1, go), at(4, says("assistant", "done"))];
  expect(rebuild(stored, [endTurn(5, 1)])).toEqual({
    history: [go, says("assistant", "done")],
    recovered: [],
    openCalls: [],
    lastTurn: 1,
  });
});

test("[SES-06 SES-17] the number of turns continues where all content has expired, and a turn that never ended still ends", async () => {
  const DAY_MS = 86_400_000;
  const clocked = testWorld();
  const store = memorySessionStore(clocked.machine);
  const seen: unknown[] = [];
  for (const isWhole of [true, false]) {
    const log = newLog(clocked);
    await using writer = await store.create(log, clocked.machine);
    const told = [startTurn(1, 1, "one"), endTurn(2, 1), startTurn(3, 2, "two"), endTurn(4, 2)];
    const ts = new Date(clocked.clock.now()).toISOString();
    const events = told.slice(0, isWhole ? 4 : 3).map((each) => ({ ...each, session: log.session, ts }));
    await writer.append({ events, messages: [at(1, go)] }, "process");
    await writer[Symbol.asyncDispose]();
    const tomorrow = new Date(clocked.clock.now() + DAY_MS).toISOString().slice(0, 10);
    await clocked.clock.advance(DAY_MS);
    expect(await store.expire(log.logId, tomorrow)).toBe(events.length);
    seen.push(await resumeHistory(store, log.logId));
  }
  const empty = { history: [], recovered: [], openCalls: [], lastTurn: 2 };
  expect(seen).toEqual([empty, { ...empty, interruptedTurn: 2 }]);
});

test("[SES-07 R13] what was shown of an answer that broke off is kept, and the turn is known to be open", () => {
  const tail = [...texts(session, 2, ["Let me ", "see"]), event(session, 4, childText())];
  expect(rebuild([at(1, go)], tail)).toEqual({
    history: [go, says("assistant", "Let me see")],
    recovered: [says("assistant", "Let me see")],
    openCalls: [],
    interruptedTurn: 1,
    lastTurn: 1,
  });
});

test("[SES-07] a prompt that was accepted and never stored as a message is not lost", () => {
  const stored = [at(1, go), at(2, says("assistant", "done"))];
  const tail = [endTurn(3, 1), startTurn(4, 2, "next"), ...texts(session, 5, ["on it"])];
  const recovered = [says("user", "next"), says("assistant", "on it")];
  expect(rebuild(stored, tail)).toEqual({
    history: [go, says("assistant", "done"), ...recovered],
    recovered,
    openCalls: [],
    interruptedTurn: 2,
    lastTurn: 2,
  });
  expect(rebuild([at(0, go)], [startTurn(1, 1, "go")]).recovered).toEqual([]); // its prompt is among the messages
});

test("[SES-03 SES-07 R38] a call that finished keeps its result; the others are open, with what is known of them", () => {
  const tail = [start(3, read, "Read"), ended(4, read, "r"), start(5, bash, "Bash")];
  const answered: Message = { role: "user", content: [result(read, "r")] };
  expect(rebuild([at(1, go), at(2, calls)], tail)).toEqual({
    history: [go, calls, answered],
    recovered: [answered],
    openCalls: [{ callId: bash, name: "Bash", input: { x: 1 }, mutating: true }],
    interruptedTurn: 1,
    lastTurn: 1,
  });
  expect(rebuild([at(1, go), at(2, calls)], []).openCalls).toEqual([
    { callId: read, name: "Read", input: { x: 1 } },
    { callId: bash, name: "Bash", input: { x: 1 } },
  ]);
});

test("[SES-17] whether the last turn ended is read from the log, also after a compaction between turns", async () => {
  for (const ends of [true, false]) {
    await using store = memorySessionStore(world.machine);
    const log = newLog(world);
    await using writer = await store.create(log, world.machine);
    const quiet = Array.from({ length: 2_500 }, (_, index) => skills(3 + index));
    const mark = ends ? endTurn(2, 1) : texts(session, 2, ["…"]);
    await writer.append({ events: [startTurn(1, 1, "go"), mark, ...quiet].flat() }, "process");
    await writer.append({ messages: [{ ...at(2_502, says("user", "sum")), boundary: true }] }, "process");
    const { history, interruptedTurn } = await resumeHistory(store, log.logId);
    expect({ history, interruptedTurn }).toEqual({
      history: [says("user", "sum")],
      interruptedTurn: ends ? undefined : 1,
    });
  }
});

test("[SES-15 SES-07] a log in which nothing was asked yet and that was set back has no turn to be ended when it continues", async () => {
  await using store = memorySessionStore(world.machine);
  const log = newLog(world);
  await using writer = await store.create(log, world.machine);
  const payload = { namespace: "cinch", kind: "Rewound", payload: { to: 0, what: "conversation" } };
  const beginning: StoredMessage = { ...at(1, says("user", "(set back)")), boundary: true };
  await writer.append(
    { events: [event(log.session, 1, { kind: "CustomEvent", payload })], messages: [beginning] },
    "power",
  );
  expect(await resumeHistory(store, log.logId)).toEqual({
    history: [says("user", "(set back)")],
    recovered: [],
    openCalls: [],
    lastTurn: 0,
  });
});

test("[SES-07 ENG-18 R02] killed after any event or message of a turn, a log resumes to a valid history that loses nothing", async () => {
  const steps: readonly (Envelope | Message)[] = [
    startTurn(1, 1, "go"),
    go,
    ...texts(session, 2, ["Look", "ing"]),
    { role: "assistant", content: [{ type: "text", text: "Looking" }, ...calls.content] },
    start(4, read, "Read"),
    ended(5, read, "r"),
    start(6, bash, "Bash"),
    ended(7, bash, "b"),
    results,
    ...texts(session, 8, ["all ", "done"]),
    says("assistant", "all done"),
    endTurn(10, 1),
  ];
  for (let kept = 0; kept <= steps.length; kept++) {
    await using store = memorySessionStore(world.machine);
    const log = newLog(world);
    await using writer = await store.create(log, world.machine);
    let last = 0;
    for (const step of steps.slice(0, kept)) {
      if ("role" in step) await writer.append({ messages: [at(last, step)] }, "process");
      else await writer.append({ events: [step], intents: intentOf(step) }, "process");
      if ("kind" in step) last = step.id;
    }
    const rebuilt = await resumeHistory(store, log.logId);
    expect(checkValid(validHistory(rebuilt.history))).toEqual([]);
    const shown = steps.slice(0, kept).flatMap((step) => ("kind" in step ? wordsOf(step) : []));
    expect(wordsIn(rebuilt.history)).toBe(shown.join(""));
    expect(rebuilt.interruptedTurn).toBe(kept === 0 || kept === steps.length ? undefined : 1);

    // Stored, the recovered messages make the next resume give the same.
    const messages = rebuilt.recovered.map((message) => at(last, message));
    await writer.append({ messages }, "power");
    const again = await resumeHistory(store, log.logId);
    expect({ ...again, recovered: [] }).toEqual({ ...rebuilt, recovered: [] });
  }
});

function intentOf(step: Envelope): Intent[] {
  if (step.kind !== "ToolCallStarted") return [];
  const { callId, tool, mutating } = step.payload;
  return [{ callId, tool, mutating, argsHash: "", summary: "", startedAt: step.ts }];
}

function wordsOf(step: Envelope): string[] {
  if (step.kind === "TextDelta") return [step.payload.text];
  if (step.kind === "TurnStarted") return [textOf(step.payload.content ?? [])];
  return step.kind === "ToolResult" ? [textOf(step.payload.content)] : [];
}

function wordsIn(history: readonly Message[]): string {
  return history.map(({ content }) => textOf(content)).join("");
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .map((block) =>
      block.type === "text" ? block.text : block.type === "tool_result" ? textOf(block.content) : "",
    )
    .join("");
}

function at(after: number, message: Message): StoredMessage {
  return { after, turn: 1, message };
}

function startTurn(id: number, turn: number, words: string): Envelope {
  const content = [{ type: "text" as const, text: words }];
  return event(session, id, { kind: "TurnStarted", payload: { turn, originator, content } });
}

function endTurn(id: number, turn: number): Envelope {
  return event(session, id, { kind: "TurnEnded", payload: { turn, reason: "complete" } });
}

function start(id: number, callId: typeof read, tool: string): Envelope {
  const payload = { callId, tool, args: { x: 1 }, mutating: tool === "Bash" };
  return event(session, id, { kind: "ToolCallStarted", payload });
}

function ended(id: number, callId: typeof read, words: string): Envelope {
  const content = [{ type: "text" as const, text: words }];
  return event(session, id, { kind: "ToolResult", payload: { callId, content } });
}

function skills(id: number): Envelope {
  return event(session, id, { kind: "SkillRegistryChanged", payload: { skills: [] } });
}

function childText() {
  return { kind: "TextDelta", payload: { text: "a sub-agent's words" }, parentCall: read } as const;
}

function use(id: typeof read, name: string): ContentBlock {
  return { type: "tool_use", id, name, input: { x: 1 } };
}

function result(id: typeof read, words: string): ContentBlock {
  return { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: words }] };
}

test("[SES-15 SES-10] what the conversation was set back from is not rebuilt from events, and turns count on", () => {
  const tail = [
    ...turnOf(1, 1, "one"), // events 1 to 3
    ...turnOf(4, 2, "two"), // events 4 to 6
    rewound(7, 4, "conversation"), // to before the second turn
    ...turnOf(8, 3, "three"), // events 8 to 10
    rewound(11, 0, "files"), // says nothing of the conversation
    ...turnOf(12, 4, "four"), // events 12 to 14
    rewound(15, 10, "both"), // to the end of the third turn
  ];
  expect(rebuild([], tail)).toMatchObject({
    history: [
      says("user", "one"),
      says("assistant", "one!"),
      says("user", "three"),
      says("assistant", "three!"),
    ],
    lastTurn: 4,
  });
  expect(rebuild([], [...tail, rewound(16, 7, "both")]).history).toEqual([
    says("user", "one"),
    says("assistant", "one!"),
  ]);
  expect(rebuild([], [...tail, rewound(16, 0, "both")]).history).toEqual([]);
});

function turnOf(from: number, turn: number, text: string): Envelope[] {
  const content = [{ type: "text" as const, text }];
  return [
    event(session, from, { kind: "TurnStarted", payload: { turn, originator, content } }),
    ...texts(session, from + 1, [`${text}!`]),
    event(session, from + 2, { kind: "TurnEnded", payload: { turn, reason: "complete" } }),
  ];
}

function rewound(id: number, to: number, what: string): Envelope {
  return event(session, id, {
    kind: "CustomEvent",
    payload: { namespace: "cinch", kind: "Rewound", payload: { to, what, files: {} } },
  });
}
