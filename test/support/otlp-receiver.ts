import * as z from "zod";
import { decodeOtlp } from "./otlp-protobuf.ts";

/**
 * The shapes of opentelemetry-proto 1.x in protobuf's JSON mapping, as far as cinch uses them; no other field is taken.
 */
const AnyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d{1,19}$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({
    arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }),
  }),
]);
const KeyValue = z.strictObject({ key: z.string().min(1), value: AnyValue });
const Attributes = z
  .array(KeyValue)
  .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, "a key stands twice");
const Nanoseconds = z.string().regex(/^\d{19}$/);
const Resource = z.strictObject({ attributes: Attributes });
const Scope = z.strictObject({ name: z.string(), version: z.string() });

const OtlpSpan = z
  .strictObject({
    traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
    spanId: z.string().regex(/^(?!0{16})[0-9a-f]{16}$/),
    parentSpanId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: Nanoseconds,
    endTimeUnixNano: Nanoseconds,
    attributes: Attributes,
    status: z.strictObject({ code: z.int().min(0).max(2).optional(), message: z.string().optional() }),
  })
  .refine(
    ({ startTimeUnixNano: from, endTimeUnixNano: to }) => BigInt(from) <= BigInt(to),
    "it ends before it begins",
  );

const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: Resource,
      scopeSpans: z.array(z.strictObject({ scope: Scope, spans: z.array(OtlpSpan) })),
    }),
  ),
});

const DataPoint = z
  .strictObject({
    attributes: Attributes,
    startTimeUnixNano: Nanoseconds,
    timeUnixNano: Nanoseconds,
    count: z.string().regex(/^\d+$/),
    sum: z.number(),
    min: z.number(),
    max: z.number(),
    bucketCounts: z.array(z.string().regex(/^\d+$/)),
    explicitBounds: z.array(z.number()),
  })
  .refine(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1, "buckets")
  .refine(
    ({ bucketCounts, count }) => bucketCounts.reduce((sum, each) => sum + Number(each), 0) === Number(count),
    "count",
  );

const Metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: Resource,
      scopeMetrics: z.array(
        z.strictObject({
          scope: Scope,
          metrics: z.array(
            z.strictObject({
              name: z.string().min(1),
              description: z.string(),
              unit: z.string(),
              histogram: z.strictObject({
                aggregationTemporality: z.int().min(1).max(2),
                dataPoints: z.array(DataPoint),
              }),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface ReceivedSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly trace: string;
  readonly name: string;
  readonly kind: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One POST, whatever came of it. */
export interface ReceivedPost {
  readonly path: string;
  readonly contentType: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly count: number;
    readonly sum: number;
  }[];
}

/**
 * A collector on the loopback that takes only what the published shapes allow, in JSON or protobuf. A path that ends in
 * `traces` takes spans, one that ends in `metrics` takes metrics.
 */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly posts: readonly ReceivedPost[];
  readonly spans: readonly ReceivedSpan[];
  /** The last metrics received. */
  readonly metrics: readonly ReceivedMetric[];
  /** Problems of the received messages. */
  readonly problems: readonly string[];
  readonly resource: Readonly<Record<string, unknown>>;
}

export function startOtlpReceiver(): OtlpReceiver {
  const posts: ReceivedPost[] = [];
  const spans: ReceivedSpan[] = [];
  const problems: string[] = [];
  let metrics: readonly ReceivedMetric[] = [];
  let resource = {};

  function traces(body: unknown): void {
    for (const each of Traces.parse(body).resourceSpans) {
      resource = valuesOf(each.resource.attributes);
      for (const span of each.scopeSpans.flatMap((scope) => scope.spans)) {
        const { spanId: id, parentSpanId: parent, traceId: trace, name, kind } = span;
        const failed = span.status.code === 2;
        spans.push({ id, parent, trace, name, kind, failed, attributes: valuesOf(span.attributes) });
      }
    }
  }

  function counts(body: unknown): void {
    metrics = Metrics.parse(body).resourceMetrics.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) =>
        scope.metrics.map(({ name, unit, histogram }) => ({
          name,
          unit,
          points: histogram.dataPoints.map(({ attributes, count, sum }) => ({
            attributes: valuesOf(attributes),
            count: Number(count),
            sum,
          })),
        })),
      ),
    );
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const contentType = request.headers.get("content-type");
      posts.push({ path: pathname, contentType, headers: Object.fromEntries(request.headers) });
      try {
        if (request.method !== "POST") throw new Error(`the method is ${request.method}`);
        const [, signal] = /(traces|metrics)$/.exec(pathname) ?? [];
        if (signal !== "traces" && signal !== "metrics") throw new Error("no such path");
        const body = await bodyOf(request, contentType, signal);
        if (signal === "traces") traces(body);
        else counts(body);
        return Response.json({});
      } catch (thrown) {
        problems.push(`${pathname}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        return new Response("", { status: 400 });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    posts,
    spans,
    problems,
    get metrics() {
      return metrics;
    },
    get resource() {
      return resource;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function bodyOf(request: Request, contentType: string | null, signal: "traces" | "metrics") {
  if (contentType === "application/json") return (await request.json()) as unknown;
  if (contentType === "application/x-protobuf") return decodeOtlp(signal, await request.bytes());
  throw new Error(`the content type is ${contentType}`);
}

function valuesOf(attributes: z.infer<typeof Attributes>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      if ("intValue" in value) return [key, Number(value.intValue)];
      if ("arrayValue" in value) return [key, value.arrayValue.values.map((each) => each.stringValue)];
      return [key, Object.values(value)[0]];
    }),
  );
}
