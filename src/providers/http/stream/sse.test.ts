import { expect, test } from "bun:test";
import fc from "fast-check";
import { EVENT_UNITS_MAX, EventStreamReader, EventTooLarge } from "./sse.ts";

const encode = (text: string) => new TextEncoder().encode(text);

interface ReadEvent {
  readonly event: string;
  readonly data: string;
}

function reading(): { readonly reader: EventStreamReader; readonly events: ReadEvent[] } {
  const events: ReadEvent[] = [];
  const reader = new EventStreamReader((event, data) => events.push({ event, data }));
  return { reader, events };
}

function eventsOf(chunks: readonly Uint8Array[]): readonly ReadEvent[] {
  const { reader, events } = reading();
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
}

test("[PROV-10] names, data lines, comments and unknown fields are read as the standard has them", () => {
  const text = [
    "\u{feff}: keep-alive",
    "event: first",
    "data: one",
    "data:two",
    "data",
    "id: 7",
    "retry: 1000",
    "",
    "event: nothing in it",
    "",
    "data:  a leading space is kept but one",
    "",
    "",
  ].join("\n");
  expect(eventsOf([encode(text)])).toEqual([
    { event: "first", data: "one\ntwo\n" },
    { event: "message", data: " a leading space is kept but one" },
  ]);
});

test("[PROV-10] LF, CRLF and CR end lines alike, also where a chunk ends between CR and LF", () => {
  const expected = [
    { event: "a", data: "1" },
    { event: "message", data: "2" },
  ];
  for (const end of ["\n", "\r\n", "\r"]) {
    const bytes = encode(`event: a${end}data: 1${end}${end}data: 2${end}${end}`);
    for (let at = 0; at <= bytes.length; at++) {
      expect(eventsOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
  }
});

test("[PROV-10] a last event without its blank line, or without any line end, is delivered", () => {
  expect(eventsOf([encode("data: 1\n\ndata: 2")])).toEqual([
    { event: "message", data: "1" },
    { event: "message", data: "2" },
  ]);
  expect(eventsOf([encode("data: 1\n")])).toEqual([{ event: "message", data: "1" }]);
  expect(eventsOf([])).toEqual([]);
});

test("[PROV-10] whole JSON objects with a single newline between them are events of their own", () => {
  const text = 'data: {"a":1}\ndata: {"b":2}\nevent: c\ndata: {"c":3}\ndata: [DONE]\n';
  expect(eventsOf([encode(text)])).toEqual([
    { event: "message", data: '{"a":1}' },
    { event: "message", data: '{"b":2}' },
    { event: "c", data: '{"c":3}' },
    { event: "message", data: "[DONE]" },
  ]);
});

test("[PROV-10] JSON over several data lines stays one event", () => {
  expect(eventsOf([encode('data: {"a":\ndata: {"b":2}\ndata: }\n\n')])).toEqual([
    { event: "message", data: '{"a":\n{"b":2}\n}' },
  ]);
});

test("[PROV-10 R06] characters of two, three and four bytes survive every cut, and what is no UTF-8 becomes U+FFFD", () => {
  const bytes = encode("data: é 漢 👩‍👩‍👧 e\u0301\n\n");
  for (let one = 0; one <= bytes.length; one++) {
    for (let two = one; two <= bytes.length; two++) {
      const chunks = [bytes.subarray(0, one), bytes.subarray(one, two), bytes.subarray(two)];
      expect(eventsOf(chunks)).toEqual([{ event: "message", data: "é 漢 👩‍👩‍👧 e\u0301" }]);
    }
  }
  const broken = Uint8Array.of(...encode("data: "), 0xff, 0xc3, 0x0a, 0x0a);
  expect(eventsOf([broken])).toEqual([{ event: "message", data: "\ufffd\ufffd" }]);
});

test("[PROV-10 R06] one broken line among events with a single newline between them takes none of the others with it", () => {
  const whole = ['{"n":1}', '{"n":2,"text":"}{"}', "[DONE]"];
  const broken = ["{broken", '{"n":', '{"n":"cut', '{"a":[1,2', '{"a":[{"b":1}'];
  for (const line of broken) {
    for (const at of [0, 1, 2]) {
      const lines = whole.toSpliced(at, 0, line);
      // A line that ends where a value may follow is told apart by what cannot be one.
      if (line.endsWith(":") && at < 2) continue;
      const text = lines.map((data) => `data: ${data}\n`).join("");
      expect(eventsOf([encode(text)]).map(({ data }) => data)).toEqual(lines);
    }
  }
  const named = 'event: a\ndata: {broken\nevent: b\ndata: {"n":2}\n';
  expect(eventsOf([encode(named)])).toEqual([
    { event: "a", data: "{broken" },
    { event: "b", data: '{"n":2}' },
  ]);
});

test("[PROV-10] an event of several lines stays one, also if a line of it is a complete object", () => {
  const lines = ["{", '"a": [', '{"b":1},', '{"b":2}', "],", '"c":', '{"d":3}', "}"];
  const text = `${lines.map((line) => `data: ${line}\n`).join("")}\ndata: [DONE]\n\n`;
  expect(eventsOf([encode(text)]).map(({ data }) => data)).toEqual([lines.join("\n"), "[DONE]"]);
});

test("[PROV-10] events arrive as soon as their blank line does", () => {
  const { reader, events } = reading();
  reader.push(encode("data: 1\n\nda"));
  expect(events.splice(0)).toEqual([{ event: "message", data: "1" }]);
  reader.push(encode("ta: 2\n\n"));
  expect(events).toEqual([{ event: "message", data: "2" }]);
});

test("[PROV-10] lines of megabytes are read, and an event above the limit is refused whatever it is made of", () => {
  const long = "x".repeat(3_000_000);
  expect(eventsOf([encode(`data: ${long}\n\n`)])).toEqual([{ event: "message", data: long }]);
  const { reader, events } = reading();
  reader.push(encode("data: before\n\ndata: "));
  const mega = encode("y".repeat(1024 * 1024));
  for (let pushed = 1; pushed < EVENT_UNITS_MAX / mega.length; pushed++) reader.push(mega);
  expect(() => reader.push(mega)).toThrow(EventTooLarge);
  expect(events).toEqual([{ event: "message", data: "before" }]);
  const line = encode(`data: ${"z".repeat(1024 * 1024)}\n`);
  expect(() => eventsOf(Array.from({ length: 17 }, () => line))).toThrow(EventTooLarge);
});

test("[PROV-10 R06] any text in any chunks gives the events of one straight reading", () => {
  const piece = fc.constantFrom(
    "data: ",
    "event: ",
    ":",
    "\n",
    "\r",
    "\r\n",
    "{",
    "}",
    '"a"',
    "[DONE]",
    "é",
    "👍",
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat({ max: 80 })), (pieces, cuts) => {
      const bytes = encode(pieces.join(""));
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
        (one, other) => one - other,
      );
      const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
      expect(eventsOf(chunks)).toEqual(eventsOf([bytes]));
    }),
    { numRuns: 500 },
  );
});

test("[PROV-10] a hostile megabyte of any line end is read in linear time", () => {
  for (const unit of ["\r", "\n", "data: }\n", "data: {}\r", "data: {\n"]) {
    const bytes = encode(unit.repeat(Math.floor(1_000_000 / unit.length)));
    eventsOf([bytes]);
  }
}, 300_000);

test("[PERF-02] events of one chunk that differ in a text alone are passed on as one, all others by themselves", () => {
  const taken: ReadEvent[] = [];
  const around = { before: '{"t":"', after: '"}' };
  const reader = new EventStreamReader(
    (event, data) => taken.push({ event, data }),
    (data) => (data.startsWith(around.before) && data.endsWith(around.after) ? around : undefined),
  );
  const delta = (text: string) => `event: d\ndata: {"t":"${text}"}\n\n`;
  reader.push(encode(`${["a", "b", "c\\n", "d"].map(delta).join("")}event: e\ndata: {}\n\n`));
  reader.push(encode(`${delta("e")}${delta('f","u":"')}${delta("g")}${delta("h")}data: {"t":"i"}\n\n`));
  expect(taken).toEqual([
    { event: "d", data: '{"t":"a"}' },
    { event: "d", data: '{"t":"bc\\nd"}' },
    { event: "e", data: "{}" },
    { event: "d", data: '{"t":"e"}' },
    { event: "d", data: '{"t":"f","u":""}' },
    { event: "d", data: '{"t":"gh"}' },
    { event: "message", data: '{"t":"i"}' },
  ]);
});

test("[PERF-02] a joined event stays small, and a pattern that fits no other event is soon sought no more", () => {
  const taken: string[] = [];
  let asked = 0;
  const reader = new EventStreamReader(
    (_, data) => taken.push(data),
    (data) => {
      asked += 1;
      return { before: data.slice(0, data.indexOf('"x') + 1), after: '"}' };
    },
  );
  const long = "x".repeat(10_000);
  reader.push(encode(`data: {"t":"${long}"}\n\n`.repeat(4)));
  expect(taken.map((data) => data.length - '{"t":""}'.length)).toEqual([10_000, 10_000, 10_000, 10_000]);
  reader.push(encode('data: {"t":"x"}\n\n'.repeat(4_000)));
  expect(taken).toHaveLength(5);
  asked = 0;
  reader.push(encode(Array.from({ length: 100 }, (_, at) => `data: {"n":${at},"t":"x"}\n\n`).join("")));
  expect(taken).toHaveLength(105);
  expect(asked).toBe(8);
});
