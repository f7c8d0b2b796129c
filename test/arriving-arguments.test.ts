import { expect, test } from "bun:test";
import type { OpenHarness } from "../src/app/harness.ts";
import { ARGS_CHARACTERS_MAX } from "../src/engine/loop/arriving/arriving-call.ts";
import { ARGS_SHOWN_MS } from "../src/engine/loop/arriving/arriving-calls.ts";
import type { SubscribeOptions } from "../src/protocol/connection.ts";
import type { Envelope, EnvelopeOf } from "../src/protocol/events/envelope.ts";
import { ARGS_DELTA_CHARACTERS_MAX } from "../src/protocol/events/progress-limits.ts";
import { NEW_SESSION, sessionAfter } from "../src/view/session/session-view.ts";
import type { Turn } from "./support/mock-provider/turn.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { connect, openPlace } from "./support/place.ts";

/** For hangs. */
const SLOW_MS = 60_000;

const KEY = `sk-ant-api03-${"a1B2c3D4".repeat(12)}AA`;

type Piece = EnvelopeOf<"ToolArgsDelta">["payload"];

/** Sends a prompt, and returns every event up to the end of its turn. */
async function turnWith(
  harness: OpenHarness,
  options: Omit<SubscribeOptions, "signal">,
): Promise<readonly Envelope[]> {
  const { signal } = new AbortController();
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const events = connection.subscribe(sessionId, { ...options, signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  const seen: Envelope[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.kind === "TurnEnded") break;
  }
  return seen;
}

async function played(script: readonly Turn[], options: Omit<SubscribeOptions, "signal"> = { args: true }) {
  await using place = openPlace(...script);
  await using harness = await place.open({ wishes: { autoApprove: true } });
  return await turnWith(harness, options);
}

function piecesIn(events: readonly Envelope[]): readonly Piece[] {
  return events.flatMap((event) => (event.kind === "ToolArgsDelta" ? [event.payload] : []));
}

function startsIn(events: readonly Envelope[]) {
  return events.flatMap((event) => (event.kind === "ToolCallStarted" ? [event.payload] : []));
}

/** Joins pieces, each of which begins where the one before has ended. */
function joined(pieces: readonly Piece[]): string {
  let text = "";
  for (const piece of pieces) {
    expect(piece.offset).toBe(text.length);
    text += piece.text;
  }
  return text;
}

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at} "quoted" \\ é\n`).join("");
const WRITE = calls("Write", { file_path: "a.txt", content: LINES }, { deltaChars: 9, paceMs: 4 });

test(
  "[CTL-19 CTL-05] a subscriber that asks sees the arguments of a call as they come, under the id of the call, and nobody else does",
  async () => {
    const events = await played([WRITE, says("done")]);
    const pieces = piecesIn(events);
    const [start] = startsIn(events);
    expect(pieces.length).toBeGreaterThan(2);
    expect(JSON.parse(joined(pieces))).toEqual(start?.args);
    expect(pieces.every(({ callId }) => callId === start?.callId)).toBe(true);
    expect(new Set(pieces.map(({ tool }) => tool))).toEqual(new Set(["Write"]));
    expect(pieces.some((piece) => piece.void === true || piece.cut === true)).toBe(false);
    const kinds = events.map(({ kind }) => kind);
    expect(kinds.indexOf("TurnStarted")).toBeLessThan(kinds.indexOf("ToolArgsDelta"));
    expect(kinds.lastIndexOf("ToolArgsDelta")).toBeLessThan(kinds.indexOf("ToolCallStarted"));
    for (const event of events) expect(event.kind === "ToolArgsDelta").toBe(event.aside === true);

    for (const options of [{}, { args: false }])
      expect(piecesIn(await played([WRITE, says("done")], options))).toEqual([]);
  },
  SLOW_MS,
);

test(
  "[CTL-19] the log has no arguments that came in pieces, and events keep their numbers",
  async () => {
    await using place = openPlace(WRITE, says("done"));
    await using harness = await place.open({ wishes: { autoApprove: true } });
    await turnWith(harness, { args: true });
    const connection = await connect(harness);
    const { signal } = new AbortController();
    const later: Envelope[] = [];
    for await (const event of connection.subscribe(harness.session, { since: 0, args: true, signal })) {
      later.push(event);
      if (event.kind === "TurnEnded") break;
    }
    expect(piecesIn(later)).toEqual([]);
    expect(later.map(({ id }) => id)).toEqual(later.map((_, at) => at + 1));
  },
  SLOW_MS,
);

test(
  "[CTL-19 SES-05] a secret that is spread over many pieces is redacted, escaped or not",
  async () => {
    const input = { command: `echo "${KEY}" > a; echo end`, password: 'hunter2"pass' };
    const events = await played([calls("Bash", input, { deltaChars: 3, paceMs: 3 }), says("done")]);
    const text = joined(piecesIn(events));
    expect(text).toContain("«redacted:");
    expect(JSON.parse(text)).toEqual(startsIn(events)[0]?.args);
    expect(JSON.stringify(events)).not.toContain(KEY.slice(20, 60));
    expect(JSON.stringify(events)).not.toContain("hunter2");
  },
  SLOW_MS,
);

test(
  "[CTL-19] pieces come at most ten times in a second, and each is bounded; arguments above the limit are cut",
  async () => {
    const content = "x".repeat(ARGS_CHARACTERS_MAX + 5_000);
    const huge = calls("Write", { file_path: "a.txt", content }, { deltaChars: 4_096 });
    const events = await played([WRITE, huge, says("done")]);
    const [slow, large] = startsIn(events).map(({ callId }) =>
      events.filter((event) => event.kind === "ToolArgsDelta" && event.payload.callId === callId),
    );
    const times = (slow ?? []).map(({ ts }) => Date.parse(ts)).slice(0, -1); // the last comes with the call
    // A busy machine may stamp one piece late, and the next in time.
    for (const [at, time] of times.entries())
      expect(time - (times[0] ?? 0)).toBeGreaterThanOrEqual(at * (ARGS_SHOWN_MS - 2) - ARGS_SHOWN_MS / 2);
    const pieces = piecesIn(large ?? []);
    expect(joined(pieces)).toHaveLength(ARGS_CHARACTERS_MAX);
    expect(pieces.map((piece) => piece.cut ?? false)).toEqual(
      pieces.map((_, at) => at === pieces.length - 1),
    );
    for (const { text } of pieces) expect(text.length).toBeLessThanOrEqual(ARGS_DELTA_CHARACTERS_MAX);
  },
  SLOW_MS,
);

test(
  "[CTL-19 PROV-09] when a request is tried again, the arguments of the first attempt are void, and the second has an id of its own",
  async () => {
    const broken: Turn = { ...WRITE, fault: { kind: "cut", atByte: 3_000 } };
    const events = await played([broken, WRITE, says("done")]);
    const pieces = piecesIn(events);
    const [start] = startsIn(events);
    const ids = [...new Set(pieces.map(({ callId }) => callId))];
    expect(ids).toHaveLength(2);
    expect(ids[1] === start?.callId).toBe(true);
    const first = pieces.filter(({ callId }) => callId === ids[0]);
    expect(first.map((piece) => piece.void ?? false)).toEqual(first.map((_, at) => at === first.length - 1));
    expect(pieces.indexOf(first.at(-1) as Piece)).toBe(first.length - 1);
    const second = pieces.filter(({ callId }) => callId === ids[1]);
    expect(JSON.parse(joined(second))).toEqual(start?.args);
  },
  SLOW_MS,
);

test(
  "[CTL-19 ENG-04] calls that never begin are void: after a failed one, and where the answer was cut off",
  async () => {
    const parts = [
      { tool: "Read", input: { file_path: "missing.txt" } },
      { tool: "Bash", input: { command: "touch b" } },
    ];
    const failed = await played([{ parts }, says("done")]);
    const voids = piecesIn(failed).filter((piece) => piece.void === true);
    expect(voids.map(({ tool, index }) => [tool, index])).toEqual([["Bash", 1]]);
    expect(startsIn(failed).map(({ tool }) => tool)).toEqual(["Read"]);

    const cut: Turn = { ...WRITE, fault: { kind: "stall", at: "mid-event" } };
    await using place = openPlace(cut, says("done"));
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const connection = await connect(harness);
    const { session: sessionId } = harness;
    const { signal } = new AbortController();
    const events: Envelope[] = [];
    const following = connection.subscribe(sessionId, { args: true, signal });
    await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
    let view = NEW_SESSION;
    for await (const event of following) {
      events.push(event);
      view = sessionAfter(view, event);
      if (event.kind === "ToolArgsDelta" && events.length > 1 && event.payload.void !== true) {
        expect(view.run?.incoming.get(event.payload.callId)?.tool).toBe("Write");
        await connection.send({ kind: "CancelTurn", sessionId });
      }
      if (event.kind === "TurnEnded") break;
    }
    expect(piecesIn(events).at(-1)?.void).toBe(true);
    expect(view.run?.incoming.size).toBe(0);
    expect(startsIn(events)).toEqual([]);
  },
  SLOW_MS,
);

test(
  "[CTL-19] the calls of a sub-agent come with the call that runs it, and a view forgets them with it",
  async () => {
    const events = await played([
      calls("Agent", { prompt: "write it" }),
      WRITE,
      says("written"),
      says("done"),
    ]);
    const [agent, write] = startsIn(events);
    const inner = events.filter((event) => event.kind === "ToolArgsDelta" && event.parentCall !== undefined);
    expect(inner.length).toBeGreaterThan(2);
    expect(inner.every(({ parentCall }) => parentCall === agent?.callId)).toBe(true);
    expect(JSON.parse(joined(piecesIn(inner)))).toEqual(write?.args);
    let view = NEW_SESSION;
    for (const event of events) {
      view = sessionAfter(view, event);
      const [call] = view.run?.incoming.values() ?? [];
      if (inner.includes(event)) expect(call?.parentCall).toBe(agent?.callId);
    }
    expect(view.run?.incoming.size).toBe(0);
  },
  SLOW_MS,
);

test(
  "[CTL-19] who begins to ask in the middle of a call gets its arguments from their beginning, whether another asks already or not",
  async () => {
    for (const isFirst of [true, false]) {
      const hold = Promise.withResolvers<void>();
      await using place = openPlace({ ...WRITE, paceMs: 0, hold: hold.promise }, says("done"));
      await using harness = await place.open({ wishes: { autoApprove: true } });
      const connection = await connect(harness);
      const { session: sessionId } = harness;
      const { signal } = new AbortController();
      const earlier = isFirst ? undefined : connection.subscribe(sessionId, { args: true, signal });
      await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
      for await (const event of earlier ?? []) if (event.kind === "ToolArgsDelta") break;
      await place.mock.until(({ requests }) => requests.length > 0);
      const events: Envelope[] = [];
      let view = NEW_SESSION;
      const late = connection.subscribe(sessionId, { since: 0, args: true, signal });
      hold.resolve();
      for await (const event of late) {
        events.push(event);
        view = sessionAfter(view, event);
        if (event.kind !== "ToolArgsDelta") continue;
        const text = joined(piecesIn(events));
        expect(view.run?.incoming.get(event.payload.callId)).toEqual({ tool: "Write", text });
        if (text.endsWith("}")) break;
      }
      expect(JSON.parse(joined(piecesIn(events)))).toMatchObject({ content: LINES });
    }
  },
  SLOW_MS,
);

test(
  "[CTL-19] a view shows the arguments of a call that the model writes, and forgets them when it begins",
  async () => {
    let view = NEW_SESSION;
    let text = "";
    for (const event of await played([WRITE, says("done")])) {
      view = sessionAfter(view, event);
      if (event.kind === "ToolArgsDelta") {
        text += event.payload.text;
        expect(view.run?.incoming.get(event.payload.callId)).toEqual({ tool: "Write", text });
      } else if (event.kind === "ToolCallStarted") {
        expect(view.run?.incoming.size).toBe(0);
        expect(view.run?.calls.has(event.payload.callId)).toBe(true);
      }
    }
    expect(text).not.toBe("");
  },
  SLOW_MS,
);
