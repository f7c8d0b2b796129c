import type { JsonObject } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";

/**
 * Messages of opentelemetry-proto 1.x in protobuf's binary form, made from their JSON form: for each message its
 * fields, by JSON name, with number and type.
 */
type Type = "string" | "hex" | "bool" | "uint" | "int" | "fixed64" | "double" | keyof typeof MESSAGES;
/** `packed`: a repeated scalar in one field. Any other list repeats its field. */
type Field = readonly [number: number, type: string, packed?: "packed"];

const MESSAGES = {
  traces: { resourceSpans: [1, "resourceSpans"] },
  resourceSpans: { resource: [1, "resource"], scopeSpans: [2, "scopeSpans"] },
  resource: { attributes: [1, "keyValue"] },
  scopeSpans: { scope: [1, "scope"], spans: [2, "span"] },
  scope: { name: [1, "string"], version: [2, "string"] },
  span: {
    traceId: [1, "hex"],
    spanId: [2, "hex"],
    parentSpanId: [4, "hex"],
    name: [5, "string"],
    kind: [6, "uint"],
    startTimeUnixNano: [7, "fixed64"],
    endTimeUnixNano: [8, "fixed64"],
    attributes: [9, "keyValue"],
    status: [15, "status"],
  },
  status: { message: [2, "string"], code: [3, "uint"] },
  keyValue: { key: [1, "string"], value: [2, "anyValue"] },
  anyValue: {
    stringValue: [1, "string"],
    boolValue: [2, "bool"],
    intValue: [3, "int"],
    doubleValue: [4, "double"],
    arrayValue: [5, "arrayValue"],
  },
  arrayValue: { values: [1, "anyValue"] },
  metrics: { resourceMetrics: [1, "resourceMetrics"] },
  resourceMetrics: { resource: [1, "resource"], scopeMetrics: [2, "scopeMetrics"] },
  scopeMetrics: { scope: [1, "scope"], metrics: [2, "metric"] },
  metric: {
    name: [1, "string"],
    description: [2, "string"],
    unit: [3, "string"],
    histogram: [9, "histogram"],
  },
  histogram: { dataPoints: [1, "point"], aggregationTemporality: [2, "uint"] },
  point: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    count: [4, "fixed64"],
    sum: [5, "double"],
    bucketCounts: [6, "fixed64", "packed"],
    explicitBounds: [7, "double", "packed"],
    attributes: [9, "keyValue"],
    min: [11, "double"],
    max: [12, "double"],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Field>>>>;

const [VARINT, FIXED64, BYTES] = [0, 1, 2];

/** Encodes an ExportTraceServiceRequest or ExportMetricsServiceRequest. */
export function encodeOtlp(kind: "traces" | "metrics", request: JsonObject): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  putMessage(bytes, kind, request);
  return Uint8Array.from(bytes);
}

function putMessage(bytes: number[], message: keyof typeof MESSAGES, value: JsonObject): void {
  const fields: Readonly<Record<string, Field>> = MESSAGES[message];
  for (const [name, [number, type, packed]] of Object.entries(fields)) {
    const field = value[name];
    if (field === undefined) continue;
    if (packed !== undefined) putPacked(bytes, number, type as Type, field);
    else
      for (const each of Array.isArray(field) ? field : [field]) putField(bytes, number, type as Type, each);
  }
}

function putPacked(bytes: number[], number: number, type: Type, values: unknown): void {
  const inner: number[] = [];
  for (const each of Array.isArray(values) ? values : []) putScalar(inner, type, each);
  putBytes(bytes, number, inner);
}

function putField(bytes: number[], number: number, type: Type, value: unknown): void {
  switch (type) {
    case "string":
      putBytes(bytes, number, new TextEncoder().encode(String(value)));
      break;
    case "hex":
      putBytes(bytes, number, Uint8Array.fromHex(String(value)));
      break;
    case "bool":
    case "uint":
    case "int":
      putVarint(bytes, BigInt((number << 3) | VARINT));
      putScalar(bytes, type, value);
      break;
    case "fixed64":
    case "double":
      putVarint(bytes, BigInt((number << 3) | FIXED64));
      putScalar(bytes, type, value);
      break;
    default: {
      const inner: number[] = [];
      putMessage(inner, type, isObject(value) ? value : {});
      putBytes(bytes, number, inner);
    }
  }
}

function putScalar(bytes: number[], type: Type, value: unknown): void {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "fixed64") view.setBigUint64(0, BigInt(String(value)), true);
  else if (type === "double") view.setFloat64(0, Number(value), true);
  else {
    const number = typeof value === "boolean" ? BigInt(value) : BigInt(String(value));
    putVarint(bytes, BigInt.asUintN(64, number));
    return;
  }
  bytes.push(...new Uint8Array(view.buffer));
}

function putBytes(
  bytes: number[],
  number: number,
  inner: Iterable<number> & { readonly length: number },
): void {
  putVarint(bytes, BigInt((number << 3) | BYTES));
  putVarint(bytes, BigInt(inner.length));
  for (const byte of inner) bytes.push(byte);
}

function putVarint(bytes: number[], value: bigint): void {
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
}
