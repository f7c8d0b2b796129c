import { expect, test } from "bun:test";
import fc from "fast-check";
import { inTurn } from "../../test/support/recordings.ts";
import type { ServerSentEvent } from "./sse.ts";
import { EVENT_UNITS_MAX, EventTooLarge, serverSentEvents } from "./sse.ts";

const encode = (text: string) => new TextEncoder().encode(text);

async function eventsOf(chunks: readonly Uint8Array[]): Promise<readonly ServerSentEvent[]> {
  return Array.fromAsync(serverSentEvents(inTurn(chunks))).then((batches) => batches.flat());
}

test("[PROV-10] names, data lines, comments and unknown fields are read as the standard has them", async () => {
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
  expect(await eventsOf([encode(text)])).toEqual([
    { event: "first", data: "one\ntwo\n" },
    { event: "message", data: " a leading space is kept but one" },
  ]);
});

test("[PROV-10] LF, CRLF and CR end lines alike, also where a chunk ends between CR and LF", async () => {
  const expected = [
    { event: "a", data: "1" },
    { event: "message", data: "2" },
  ];
  for (const end of ["\n", "\r\n", "\r"]) {
    const bytes = encode(`event: a${end}data: 1${end}${end}data: 2${end}${end}`);
    for (let at = 0; at <= bytes.length; at++) {
      expect(await eventsOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
  }
});

test("[PROV-10] a last event without its blank line, or without any line end, is delivered", async () => {
  expect(await eventsOf([encode("data: 1\n\ndata: 2")])).toEqual([
    { event: "message", data: "1" },
    { event: "message", data: "2" },
  ]);
  expect(await eventsOf([encode("data: 1\n")])).toEqual([{ event: "message", data: "1" }]);
  expect(await eventsOf([])).toEqual([]);
});

test("[PROV-10] whole JSON objects with a single newline between them are events of their own", async () => {
  const text = 'data: {"a":1}\ndata: {"b":2}\nevent: c\ndata: {"c":3}\ndata: [DONE]\n';
  expect(await eventsOf([encode(text)])).toEqual([
    { event: "message", data: '{"a":1}' },
    { event: "message", data: '{"b":2}' },
    { event: "c", data: '{"c":3}' },
    { event: "message", data: "[DONE]" },
  ]);
});

test("[PROV-10] JSON over several data lines stays one event", async () => {
  expect(await eventsOf([encode('data: {"a":\ndata: {"b":2}\ndata: }\n\n')])).toEqual([
    { event: "message", data: '{"a":\n{"b":2}\n}' },
  ]);
});

test("[PROV-10 R06] characters of two, three and four bytes survive every cut, and what is no UTF-8 becomes U+FFFD", async () => {
  const bytes = encode("data: é 漢 👩‍👩‍👧 e\u0301\n\n");
  for (let one = 0; one <= bytes.length; one++) {
    for (let two = one; two <= bytes.length; two++) {
      const chunks = [bytes.subarray(0, one), bytes.subarray(one, two), bytes.subarray(two)];
      expect(await eventsOf(chunks)).toEqual([{ event: "message", data: "é 漢 👩‍👩‍👧 e\u0301" }]);
    }
  }
  const broken = Uint8Array.of(...encode("data: "), 0xff, 0xc3, 0x0a, 0x0a);
  expect(await eventsOf([broken])).toEqual([{ event: "message", data: "\ufffd\ufffd" }]);
});

test("[PROV-10] events arrive as soon as their blank line does", async () => {
  const reader = serverSentEvents(inTurn([encode("data: 1\n\nda"), encode("ta: 2\n\n")]));
  expect((await reader.next()).value).toEqual([{ event: "message", data: "1" }]);
  expect((await reader.next()).value).toEqual([{ event: "message", data: "2" }]);
  expect((await reader.next()).done).toBe(true);
});

test("[PROV-10] lines of megabytes are read, and an event above the limit is refused whatever it is made of", async () => {
  const long = "x".repeat(3_000_000);
  expect(await eventsOf([encode(`data: ${long}\n\n`)])).toEqual([{ event: "message", data: long }]);
  let pulled = 0;
  async function* endless() {
    yield encode("data: ");
    for (; pulled < 40; pulled++) yield encode("y".repeat(1024 * 1024));
  }
  await expect(Array.fromAsync(serverSentEvents(endless()))).rejects.toBeInstanceOf(EventTooLarge);
  expect(pulled).toBe(EVENT_UNITS_MAX / (1024 * 1024) - 1);
  const line = encode(`data: ${"z".repeat(1024 * 1024)}\n`);
  await expect(eventsOf(Array.from({ length: 17 }, () => line))).rejects.toBeInstanceOf(EventTooLarge);
});

test("[PROV-10] leaving the reader lets go of the source, and the source's own failure comes through as it is", async () => {
  let isFreed = false;
  async function* source() {
    try {
      yield encode("data: 1\n\n");
      throw new TypeError("the network");
    } finally {
      isFreed = true;
    }
  }
  for await (const _event of serverSentEvents(source())) break;
  expect(isFreed).toBe(true);
  await expect(Array.fromAsync(serverSentEvents(source()))).rejects.toEqual(new TypeError("the network"));
});

test("[PROV-10 R06] any text in any chunks gives the events of one straight reading", async () => {
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
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.array(fc.nat({ max: 80 })), async (pieces, cuts) => {
      const bytes = encode(pieces.join(""));
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
        (one, other) => one - other,
      );
      const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
      expect(await eventsOf(chunks)).toEqual(await eventsOf([bytes]));
    }),
    { numRuns: 500 },
  );
});

test("[PROV-10] a hostile megabyte of any line end is read in linear time", async () => {
  for (const unit of ["\r", "\n", "data: }\n", "data: {}\r", "data: {\n"]) {
    const bytes = encode(unit.repeat(Math.floor(1_000_000 / unit.length)));
    await eventsOf([bytes]);
  }
}, 10_000);
