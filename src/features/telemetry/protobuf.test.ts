import { expect, test } from "bun:test";
import { renderMetrics, renderSpans } from "./otlp.ts";
import { encodeOtlp } from "./protobuf.ts";

/** Fields of a message by number, read without its schema: bytes in hexadecimal, numbers as they are. */
type Raw = Map<number, (string | bigint)[]>;

function raw(bytes: Uint8Array): Raw {
  const fields: Raw = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, wire] = [tag >> 3, tag & 7];
    const length = wire === 2 ? Number(varint()) : 8;
    const value = wire === 0 ? varint() : bytes.slice(at, at + length).toHex();
    if (wire !== 0) at += length;
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

/** The field at a path of field numbers, each a message in the one before, the first where there are several. */
function field(bytes: Uint8Array, ...path: readonly number[]): readonly (string | bigint)[] {
  const [first = 0, ...rest] = path;
  const values = raw(bytes).get(first) ?? [];
  return rest.length === 0 ? values : field(Uint8Array.fromHex(String(values[0])), ...rest);
}

const text = (value: string | bigint | undefined) =>
  new TextDecoder().decode(Uint8Array.fromHex(String(value)));
const double = (hex: string) => new DataView(Uint8Array.fromHex(hex).buffer).getFloat64(0, true);

/** The numbers below are those of opentelemetry-proto's trace.proto, metrics.proto, common.proto and resource.proto. */
test("[OBS-02] spans in protobuf have the fields of opentelemetry-proto", () => {
  const span = {
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: "00f067aa0ba902b7",
    parentSpanId: "00f067aa0ba902b8",
    name: "chat ü",
    kind: "client",
    startMs: 1_750_000_000_000,
    endMs: 1_750_000_000_001.5,
    attributes: { text: "a", whole: -1, part: 0.5, yes: true, list: ["x", "y"] },
    error: "Broken",
  } as const;
  const bytes = encodeOtlp("traces", renderSpans([span, span], { "service.name": "cinch" }, "1.0"));
  expect(text(field(bytes, 1, 1, 1, 1)[0])).toBe("service.name");
  expect(text(field(bytes, 1, 1, 1, 2, 1)[0])).toBe("cinch");
  expect(text(field(bytes, 1, 2, 1, 1)[0])).toBe("cinch");
  expect(field(bytes, 1, 2, 2)).toHaveLength(2);
  const of = (...path: readonly number[]) => field(bytes, 1, 2, 2, ...path);
  expect([of(1)[0], of(2)[0], of(4)[0]]).toEqual([span.traceId, span.spanId, span.parentSpanId]);
  expect([text(of(5)[0]), of(6)[0]]).toEqual(["chat ü", 3n]);
  const nano = (hex: string | bigint | undefined) =>
    new DataView(Uint8Array.fromHex(String(hex)).buffer).getBigUint64(0, true);
  expect([nano(of(7)[0]), nano(of(8)[0])]).toEqual([1_750_000_000_000_000_000n, 1_750_000_000_001_500_000n]);
  expect([text(of(15, 2)[0]), of(15, 3)[0]]).toEqual(["Broken", 2n]);
  const values = of(9).map((each) => raw(Uint8Array.fromHex(String(each))));
  const value = (at: number) => raw(Uint8Array.fromHex(String(values[at]?.get(2)?.[0])));
  expect(values.map((each) => text(each.get(1)?.[0]))).toEqual([
    ...["text", "whole", "part", "yes", "list", "error.type"],
  ]);
  expect(text(value(0).get(1)?.[0])).toBe("a");
  expect(BigInt.asIntN(64, BigInt(value(1).get(3)?.[0] ?? 0))).toBe(-1n);
  expect(double(String(value(2).get(4)?.[0]))).toBe(0.5);
  expect(value(3).get(2)).toEqual([1n]);
  expect(raw(Uint8Array.fromHex(String(value(4).get(5)?.[0]))).get(1)).toHaveLength(2);
});

test("[OBS-02] histograms in protobuf have the fields of opentelemetry-proto, their lists packed", () => {
  const point = { attributes: { a: "b" }, count: 3, sum: 1.5, min: 0.25, max: 1, buckets: [1, 2, 0] };
  const reading = { name: "n", description: "d", unit: "s", bounds: [0.5, 1], points: [point] };
  const frame = { resource: {}, version: "1", startMs: 1, nowMs: 2 };
  const bytes = encodeOtlp("metrics", renderMetrics([reading], frame));
  const of = (...path: readonly number[]) => field(bytes, 1, 2, 2, ...path);
  expect([1, 2, 3].map((number) => text(of(number)[0]))).toEqual(["n", "d", "s"]);
  expect(of(9, 2)).toEqual([2n]);
  const u64 = (number: number) => number.toString(16).padStart(2, "0").padEnd(16, "0");
  expect(of(9, 1, 4)).toEqual([u64(3)]);
  expect(of(9, 1, 6)).toEqual([u64(1) + u64(2) + u64(0)]);
  expect([5, 11, 12].map((number) => double(String(of(9, 1, number)[0])))).toEqual([1.5, 0.25, 1]);
  const bounds = String(of(9, 1, 7)[0]);
  expect([double(bounds.slice(0, 16)), double(bounds.slice(16))]).toEqual([0.5, 1]);
});
