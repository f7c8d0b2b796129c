import type { World } from "../../base/world.ts";
import type { Message } from "../../protocol/message.ts";
import type { Redactor } from "../../trust/redact.ts";
import type { ModelEvent, ModelRequest, Provider } from "../provider.ts";
import type { TimedEvent, Variable } from "./cassette.ts";
import { CASSETTE_VERSION, renderLine } from "./cassette.ts";
import type { RunValues } from "./variables.ts";
import { Variables } from "./variables.ts";

const CASSETTE_MODE = 0o600;

/** Durations as programs print them: the commonest thing that differs between two runs of one command. */
export const DURATIONS: Variable = {
  name: "duration",
  pattern: "\\b\\d+(?:\\.\\d+)?\\s?(?:ns|µs|ms|s|sec|seconds)\\b",
};

export interface RecordOptions {
  readonly world: World;
  readonly path: string;
  readonly model: string;
  readonly values: RunValues;
  readonly redactor: Redactor;
}

/**
 * Wraps providers so that they pass everything on and each whole exchange is written to one cassette (PROV-08).
 *
 * Secrets are redacted before anything is written. An exchange that failed is not recorded. The file is begun anew
 * when the first answer has come.
 */
export function recorder(options: RecordOptions): (provider: Provider) => Provider {
  const { world, path, redactor } = options;
  const variables = new Variables(options.values, [DURATIONS]);
  let before: readonly Message[] = [];
  let begun = false;

  /** Only texts inside change, so the shape is still the same. */
  function redacted<Value>(value: Value): Value {
    return redactor.json(value) as Value;
  }

  async function begin(provider: Provider): Promise<void> {
    const header = {
      cassette: CASSETTE_VERSION,
      family: provider.family,
      model: options.model,
      variables: [DURATIONS],
    } as const;
    await world.files.writeAtomic(path, renderLine(header), CASSETTE_MODE);
    begun = true;
  }

  async function* chat(
    provider: Provider,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const messages = redacted(variables.name(request.messages));
    const events: TimedEvent[] = [];
    let lastMs = world.clock.monotonic();
    for await (const event of provider.chat(request, signal)) {
      const nowMs = world.clock.monotonic();
      events.push({ ms: Math.round(nowMs - lastMs), event });
      lastMs = nowMs;
      yield event;
    }
    if (!begun) await begin(provider);
    const after = shared(before, messages);
    const recorded = {
      request: { tools: request.tools.map((tool) => tool.name), after, messages: messages.slice(after) },
      events: redacted(variables.name(merged(events))),
    };
    await world.files.append(path, renderLine(recorded), CASSETTE_MODE);
    before = messages;
  }

  return (provider) => ({
    name: provider.name,
    family: provider.family,
    canonicalFormVersion: provider.canonicalFormVersion,
    chat: (request, signal) => chat(provider, request, signal),
    models: (signal) => provider.models(signal),
    tokenCount: (messages, signal) => provider.tokenCount(messages, signal),
  });
}

function shared(before: readonly Message[], now: readonly Message[]): number {
  const at = before.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(now[index]));
  return at === -1 ? before.length : at;
}

/** A secret or a variable may be split over deltas, so those that follow each other are recorded as one. */
function merged(events: readonly TimedEvent[]): readonly TimedEvent[] {
  const result: TimedEvent[] = [];
  for (const timed of events) {
    const last = result.at(-1);
    const { event } = timed;
    if (
      last !== undefined &&
      (event.kind === "text" || event.kind === "thinking") &&
      last.event.kind === event.kind &&
      last.event.index === event.index
    ) {
      result[result.length - 1] = { ms: last.ms, event: { ...event, text: last.event.text + event.text } };
    } else {
      result.push(timed);
    }
  }
  return result;
}
