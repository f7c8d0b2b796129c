import { defined } from "../../base/defined.ts";
import type { JsonObject } from "../../base/json.ts";

/**
 * Measurements in the form of OTLP over HTTP in JSON: protobuf's mapping, with ids in hexadecimal and times as strings.
 */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export type SpanKind = "internal" | "client";

/** An ended span. Times are milliseconds since 1970, with fractions. */
export interface OtlpSpan {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Set if it failed: the error. */
  readonly error?: string;
}

/** Identity of a span, for its children. */
export interface SpanContext {
  readonly traceId: string;
  readonly id: string;
}

/** One histogram for one set of attributes, since its beginning. */
export interface HistogramPoint {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** Counts of values up to each bound, and above the last one. */
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
/** Counts are since the start of the process, and not since the last export. */
const CUMULATIVE = 2;

/** Renders an ExportTraceServiceRequest. */
export function renderSpans(spans: readonly OtlpSpan[], resource: Attributes, version: string): JsonObject {
  const scope = { name: SCOPE, version };
  const resourceSpans = [
    { resource: { attributes: keyValues(resource) }, scopeSpans: [{ scope, spans: spans.map(spanOf) }] },
  ];
  return { resourceSpans };
}

/** Renders an ExportMetricsServiceRequest. */
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

function spanOf(span: OtlpSpan): JsonObject {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error } = span;
  return {
    traceId,
    spanId,
    ...defined({ parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: keyValues(error === undefined ? attributes : { ...attributes, "error.type": error }),
    status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
  };
}

/** Returns a string, since a JSON number is not precise enough. */
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
