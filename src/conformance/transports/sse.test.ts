import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { SseReader } from "./sse.ts";

test("[CTL-13 CTL-06] frames of a stream are read as the format has them", () => {
  const text =
    ": ok\n\nid: 7\nevent: x\ndata: one\ndata:two\n\nid:8\r\ndata: three\r\n\r\n: beat\n\ndata: cut";
  expect(new SseReader().push(text)).toEqual([
    { comments: ["ok"] },
    { id: "7", event: "x", data: "one\ntwo", comments: [] },
    { id: "8", data: "three", comments: [] },
    { comments: ["beat"] },
  ]);
});

test("[CTL-13 CTL-06] however a stream was cut on its way, its frames are the same", async () => {
  const line = fc.constantFrom(
    "id: 1",
    "data: {}",
    "data: a b",
    ": beat",
    "event: x",
    "",
    "retry: 3",
    "data",
  );
  const text = fc
    .array(line, { maxLength: 12 })
    .chain((lines) =>
      fc.constantFrom("\n", "\r\n", "\r").map((end) => lines.map((each) => each + end).join("")),
    );
  await holds(
    fc.property(text, fc.array(fc.nat({ max: 80 }), { maxLength: 6 }), (whole, cuts) => {
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
        whole.length,
      ];
      const pieces = places.slice(1).map((to, at) => whole.slice(places[at], to));
      const cut = new SseReader();
      // A line break that may be half of one is held, so both are told that more has come.
      const read = [...pieces, "x"].flatMap((piece) => cut.push(piece));
      const once = new SseReader();
      expect(read).toEqual([...once.push(whole), ...once.push("x")]);
    }),
  );
});
