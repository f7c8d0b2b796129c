import { defined } from "../../base/defined.ts";
import type { World } from "../../base/world.ts";
import type { Exporter } from "./exporter.ts";
import type { Attributes, OtlpSpan, SpanContext, SpanKind } from "./otlp.ts";

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** A span in progress. It is sent once it has ended, and ends once. */
export interface OpenSpan extends SpanContext {
  readonly startMs: number;
  /** Returns milliseconds since its beginning. */
  elapsedMs(): number;
  add(attributes: Attributes): void;
  /** @param error set if it failed. */
  end(error?: string): void;
}

/** The spans of one session: one trace, or a part of the trace above them. */
export class Tracer {
  readonly #world: Pick<World, "clock" | "random">;
  readonly #exporter: Exporter;
  readonly #traceId: string;

  constructor(world: Pick<World, "clock" | "random">, exporter: Exporter, parent?: SpanContext) {
    this.#world = world;
    this.#exporter = exporter;
    this.#traceId = parent?.traceId ?? hex(world.random.bytes(TRACE_ID_BYTES));
  }

  begin(name: string, { parent, kind = "internal", attributes = {} }: BeginOptions = {}): OpenSpan {
    const { clock, random } = this.#world;
    const id = hex(random.bytes(SPAN_ID_BYTES));
    const [startMs, startedAt] = [clock.now(), clock.monotonic()];
    let all = attributes;
    let isOver = false;
    const elapsedMs = () => clock.monotonic() - startedAt;
    const ended = (error: string | undefined): OtlpSpan => ({
      traceId: this.#traceId,
      spanId: id,
      ...(parent === undefined ? {} : { parentSpanId: parent.id }),
      name,
      kind,
      startMs,
      endMs: startMs + elapsedMs(),
      attributes: all,
      ...defined({ error }),
    });
    return {
      traceId: this.#traceId,
      id,
      startMs,
      elapsedMs,
      add(more) {
        all = { ...all, ...more };
      },
      end: (error) => {
        if (isOver) return;
        isOver = true;
        this.#exporter.add(ended(error));
      },
    };
  }
}

export interface BeginOptions {
  readonly parent?: SpanContext | undefined;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

function hex(bytes: Uint8Array): string {
  return bytes.toHex();
}
