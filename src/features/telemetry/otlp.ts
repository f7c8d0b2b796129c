import type { JsonObject } from "../../base/json.ts";

/** What is measured, as OTLP over HTTP has it in JSON: protobuf's mapping, with ids in hexadecimal and times as texts. */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export type SpanKind = "internal" | "client";

/** A span that has ended. Times are milliseconds since 1970, with fractions. */
export interface Span {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Set where it failed: what it failed with. */
  readonly error?: string;
}

/** Where a span stands, for what is below it. */
export interface SpanPlace {
  readonly traceId: string;
  readonly id: string;
}

/** One histogram for one set of attributes, from its beginning on. */
export interface HistogramPoint {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** How many lie up to each bound, and above the last one. */
  readonly buckets: readonly number[];
}

export interface HistogramReading {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly bounds: readonly number[];
  readonly points: readonly HistogramPoint[];
}

const SCOPE = "cinch";
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, client: 3 };
const STATUS_ERROR = 2;
/** From the beginning of the process on, and not since the last export. */
const CUMULATIVE = 2;

/** An ExportTraceServiceRequest. */
export function renderSpans(spans: readonly Span[], resource: Attributes, version: string): JsonObject {
  const scope = { name: SCOPE, version };
  const resourceSpans = [
    { resource: { attributes: keyValues(resource) }, scopeSpans: [{ scope, spans: spans.map(spanOf) }] },
  ];
  return { resourceSpans };
}

/** An ExportMetricsServiceRequest. */
export function renderMetrics(
  readings: readonly HistogramReading[],
  { resource, version, startMs, nowMs }: MetricsFrame,
): JsonObject {
  const [startTimeUnixNano, timeUnixNano] = [nanoseconds(startMs), nanoseconds(nowMs)];
  const metrics = readings.map(({ name, description, unit, bounds, points }) => ({
    name,
    description,
    unit,
    histogram: {
      aggregationTemporality: CUMULATIVE,
      dataPoints: points.map((point) => ({
        attributes: keyValues(point.attributes),
        startTimeUnixNano,
        timeUnixNano,
        count: String(point.count),
        sum: point.sum,
        min: point.min,
        max: point.max,
        bucketCounts: point.buckets.map(String),
        explicitBounds: bounds,
      })),
    },
  }));
  const scope = { name: SCOPE, version };
  return {
    resourceMetrics: [{ resource: { attributes: keyValues(resource) }, scopeMetrics: [{ scope, metrics }] }],
  };
}

export interface MetricsFrame {
  readonly resource: Attributes;
  readonly version: string;
  readonly startMs: number;
  readonly nowMs: number;
}

function spanOf(span: Span): JsonObject {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: keyValues(error === undefined ? attributes : { ...attributes, "error.type": error }),
    status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
  };
}

/** A JSON number has no room for it. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000)));
}

function keyValues(attributes: Attributes): readonly JsonObject[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: AttributeValue): JsonObject {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => anyValue(each)) } };
}
