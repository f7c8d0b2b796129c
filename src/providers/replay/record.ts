import { defined } from "../../base/defined.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { canonicalJson } from "../../base/json.ts";
import type { World } from "../../base/world.ts";
import type { Message } from "../../protocol/message.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { ModelEvent, ModelRequest, Provider } from "../provider.ts";
import type { RecordedExchange, TimedEvent } from "./cassette.ts";
import { CASSETTE_VERSION, renderLine } from "./cassette.ts";
import { redactAnswer, redactMessages } from "./redact.ts";
import type { RunValues, Variable } from "./variables.ts";
import { Variables } from "./variables.ts";

const CASSETTE_MODE = 0o600;

/**
 * Texts that commonly differ between two runs of one command. They are written to the header, where a person may
 * change them.
 */
export const RECORDED_VARIABLES: readonly Variable[] = [
  { name: "date", pattern: "(?<!\\d)20\\d\\d-[01]\\d-[0-3]\\d(?!\\d)" },
  { name: "time", pattern: "(?<![\\d:])[0-2]\\d:[0-5]\\d(?::[0-5]\\d(?:[.,]\\d+)?)?(?![\\d:])" },
  {
    // Whole seconds in words are program output; "3s", "1.5 seconds" and "20 ms" are durations.
    name: "duration",
    pattern:
      "(?<![\\w.])(?:\\d+(?:\\.\\d+)?\\s?(?:ns|µs|us|ms)|\\d+(?:\\.\\d+)?s|\\d+\\.\\d+\\s(?:s|sec|secs|seconds?))\\b",
  },
];

export interface RecordOptions {
  readonly world: World;
  readonly path: string;
  readonly model: string;
  readonly values: RunValues;
  readonly redactor: Redactor;
}

/**
 * Wraps providers so that they pass everything on and record each complete exchange in one cassette (PROV-08).
 *
 * Secrets are redacted before anything is written, and before variables are named: a name inside a secret would hide
 * it. An exchange that failed, was cancelled or has no end is not recorded. The file is replaced when the first
 * answer has come, so a run without any leaves an old recording alone.
 * @throws HarnessError CassetteUnwritable, after the last event of an answer.
 */
export function recorder(options: RecordOptions): (provider: Provider) => Provider {
  const tape = new Tape(options);
  return (provider) => ({
    name: provider.name,
    family: provider.family,
    canonicalFormVersion: provider.canonicalFormVersion,
    pricesInCatalogue: provider.pricesInCatalogue ?? false,
    ...defined({ server: provider.server, leavesOut: provider.leavesOut }),
    chat: (request, signal, onSilence, listener) =>
      tape.pass(provider.chat(request, signal, onSilence, listener), provider, request),
    models: (signal) => provider.models(signal),
    tokenCount: (messages, signal) => provider.tokenCount(messages, signal),
  });
}

class Tape {
  readonly #options: RecordOptions;
  readonly #variables: Variables;
  #before: readonly Message[] = [];
  #hasBegun = false;
  /** Settles when the last requested line is written: each line builds on the previous one. */
  #written: Promise<void> = Promise.resolve();

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#variables = new Variables(options.values, RECORDED_VARIABLES);
  }

  async *pass(
    answer: AsyncIterable<ModelEvent>,
    provider: Provider,
    request: ModelRequest,
  ): AsyncGenerator<ModelEvent> {
    const { clock } = this.#options.world;
    const events: TimedEvent[] = [];
    let lastMs = clock.monotonic();
    for await (const event of answer) {
      const nowMs = clock.monotonic();
      events.push({ ms: Math.max(0, Math.round(nowMs - lastMs)), event });
      lastMs = nowMs;
      yield event;
    }
    const whole = events.some(({ event }) => event.kind === "finish" && event.reason !== "error");
    if (whole) await this.#record(provider, request, events);
  }

  async #record(provider: Provider, request: ModelRequest, events: readonly TimedEvent[]): Promise<void> {
    const { redactor } = this.#options;
    const { messages, ids } = this.#variables.nameRequest(redactMessages(request.messages, redactor));
    const answer = redactAnswer(inOnePiece(events), redactor);
    const tools = request.tools.map((tool) => tool.name).sort();
    const before = this.#written;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#written = promise;
    await before;
    try {
      await this.#write(provider, { tools, messages }, this.#variables.nameAnswer(answer, ids));
    } finally {
      resolve();
    }
  }

  async #write(
    { family }: Provider,
    { tools, messages }: { readonly tools: readonly string[]; readonly messages: readonly Message[] },
    events: readonly TimedEvent[],
  ): Promise<void> {
    const { world, path, model } = this.#options;
    const after = shared(this.#before, messages);
    const exchange: Omit<RecordedExchange, "line"> = {
      request: { tools, after, messages: messages.slice(after) },
      events,
    };
    try {
      if (this.#hasBegun) {
        await world.files.append(path, renderLine(exchange), CASSETTE_MODE);
      } else {
        const header = { cassette: CASSETTE_VERSION, family, model, variables: RECORDED_VARIABLES } as const;
        await world.files.writeAtomic(path, renderLine(header) + renderLine(exchange), CASSETTE_MODE);
      }
    } catch (thrown) {
      throw new HarnessError("CassetteUnwritable", { path, detail: messageOf(thrown) }, { cause: thrown });
    }
    this.#hasBegun = true;
    this.#before = messages;
  }
}

function shared(before: readonly Message[], now: readonly Message[]): number {
  const at = before.findIndex((message, index) => canonicalJson(message) !== canonicalJson(now[index]));
  return at === -1 ? before.length : at;
}

/** Joins the deltas of each block: a secret or a folder may be split over them. */
function inOnePiece(events: readonly TimedEvent[]): readonly TimedEvent[] {
  const result: TimedEvent[] = [];
  const places = new Map<string, number>();
  for (const timed of events) {
    const { event, ms } = timed;
    const key = event.kind === "text" || event.kind === "thinking" ? `${event.kind} ${event.index}` : "";
    const place = places.get(key);
    const first = place === undefined ? undefined : result[place];
    if (place === undefined || first === undefined || !("text" in first.event) || !("text" in event)) {
      if (key !== "") places.set(key, result.length);
      result.push({ ms, event });
    } else {
      result[place] = { ms: first.ms, event: { ...first.event, text: first.event.text + event.text } };
    }
  }
  return result;
}
