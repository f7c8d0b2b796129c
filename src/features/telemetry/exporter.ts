import { deadline } from "../../base/async/deadline.ts";
import { messageOf } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { World } from "../../base/world.ts";
import { Histogram } from "./histogram.ts";
import type { Destination, OtelSettings } from "./otel-environment.ts";
import type { Attributes, OtlpSpan, SpanContext } from "./otlp.ts";
import { renderMetrics, renderSpans } from "./otlp.ts";
import { encodeOtlp } from "./protobuf.ts";

/** Limit for spans that wait to be sent; further ones are dropped, and their count is logged. */
export const SPANS_WAITING_MAX = 2_048;
const SPANS_SENT_MAX = 512;
/** Time that spans wait for others, and interval at which metrics are sent. */
export const EXPORT_EVERY_MS = 5_000;
const POST_MS_MAX = 10_000;
/** Limit for the time that the end of an engine waits for the collector. */
export const FLUSH_MS_MAX = 2_000;
const ANSWER_BYTES_MAX = 65_536;

const TOKENS = {
  name: "gen_ai.client.token.usage",
  description: "Number of input and output tokens used.",
  unit: "{token}",
  bounds: [
    1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
  ],
} as const;
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const;
const OPERATIONS = {
  name: "gen_ai.client.operation.duration",
  description: "GenAI operation duration.",
  unit: "s",
  bounds: SECONDS,
} as const;
const FIRST_TOKEN = {
  name: "cinch.client.time_to_first_token",
  description: "Time from a request to the first piece of its answer.",
  unit: "s",
  bounds: SECONDS,
} as const;
const TOOLS = {
  name: "cinch.tool.duration",
  description: "Duration of a tool call, with the time that a person took to answer for it.",
  unit: "s",
  bounds: SECONDS,
} as const;

export interface ExporterDependencies {
  readonly world: Pick<World, "clock" | "fetch" | "log">;
  /** Address for each signal; an absent one is not sent. */
  readonly to: Pick<OtelSettings, "traces" | "metrics">;
  readonly resource: Attributes;
  readonly version: string;
}

/**
 * Sends spans and metrics to a collector, over OTLP/HTTP (OBS-01). One per engine.
 *
 * Nothing waits for it: a slow or missing collector costs spans and a line in the log, and nothing else.
 */
export class Exporter implements AsyncDisposable {
  readonly tokens = new Histogram(TOKENS);
  readonly operations = new Histogram(OPERATIONS);
  readonly firstToken = new Histogram(FIRST_TOKEN);
  readonly tools = new Histogram(TOOLS);
  /** Calls in progress, for sessions that work for one of them. */
  readonly calls = new Map<CallId, SpanContext>();
  readonly #dependencies: ExporterDependencies;
  readonly #startMs: number;
  readonly #end = new AbortController();
  #waiting: OtlpSpan[] = [];
  #dropped = 0;
  #timer: Disposable | undefined;
  #sending: Promise<void> | undefined;
  #isFailing = false;
  #isOver = false;

  constructor(dependencies: ExporterDependencies) {
    this.#dependencies = dependencies;
    this.#startMs = dependencies.world.clock.now();
  }

  /** Adds an ended span. */
  add(span: OtlpSpan): void {
    if (this.#isOver) return;
    if (this.#waiting.length === SPANS_WAITING_MAX) this.#dropped += 1;
    else this.#waiting.push(span);
    if (this.#waiting.length >= SPANS_SENT_MAX) this.#send();
    else this.#timer ??= this.#dependencies.world.clock.timer(EXPORT_EVERY_MS, () => this.#send());
  }

  /** Sends what is left, for at most `FLUSH_MS_MAX`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    const limit = this.#dependencies.world.clock.timer(FLUSH_MS_MAX, () =>
      this.#end.abort(new Error("no time left")),
    );
    try {
      await this.#sending;
      while (this.#waiting.length > 0 && !this.#isFailing && !this.#end.signal.aborted) await this.#export();
    } finally {
      limit[Symbol.dispose]();
    }
  }

  #send(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#sending !== undefined) return; // it continues with what arrived meanwhile
    this.#sending = this.#exportAll().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0 && !this.#isOver)
        this.#timer ??= this.#dependencies.world.clock.timer(EXPORT_EVERY_MS, () => this.#send());
    });
  }

  async #exportAll(): Promise<void> {
    do await this.#export();
    while (this.#waiting.length >= SPANS_SENT_MAX && !this.#isFailing);
  }

  /** Sends once: what could not be sent is dropped, and a collector that returns gets only what happens then. */
  async #export(): Promise<void> {
    const { world, resource, version, to } = this.#dependencies;
    const spans = this.#waiting.splice(0, SPANS_SENT_MAX);
    const readings = [this.tokens, this.operations, this.firstToken, this.tools].flatMap(
      (histogram) => histogram.read() ?? [],
    );
    const frame = { resource, version, startMs: this.#startMs, nowMs: world.clock.now() };
    try {
      if (to.traces !== undefined)
        await this.#post("traces", to.traces, renderSpans(spans, resource, version));
      if (to.metrics !== undefined && readings.length > 0)
        await this.#post("metrics", to.metrics, renderMetrics(readings, frame));
      this.#isFailing = false;
    } catch (thrown) {
      this.#dropped += spans.length;
      // Once for each outage.
      if (!this.#isFailing) this.#log("the collector cannot be reached", { what: messageOf(thrown) });
      this.#isFailing = true;
    }
    if (this.#dropped > 0 && !this.#isFailing) {
      this.#log("spans were dropped", { spans: this.#dropped });
      this.#dropped = 0;
    }
  }

  async #post(signal: "traces" | "metrics", to: Destination, request: JsonObject): Promise<void> {
    const { world } = this.#dependencies;
    using limit = deadline(world.clock, POST_MS_MAX, this.#end.signal);
    const isBinary = to.encoding === "protobuf";
    const answer = await world.fetch(to.url, {
      method: "POST",
      headers: { ...to.headers, "content-type": isBinary ? "application/x-protobuf" : "application/json" },
      body: isBinary ? encodeOtlp(signal, request) : JSON.stringify(request),
      signal: limit.signal,
    });
    await discard(answer);
    if (answer.ok) return;
    const { origin, pathname } = new URL(to.url);
    throw new Error(`it answered ${answer.status} to ${origin}${pathname}`);
  }

  #log(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#dependencies.world.log.for("telemetry").write("warn", message, fields);
  }
}

/** Reads an answer, which frees its connection; a long one is cut off. */
async function discard(answer: Response): Promise<void> {
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) return;
  }
}
