import type { JsonObject } from "../../base/json.ts";
import { isObject, parseJson, stringAt } from "../../base/json.ts";
import { head } from "../../base/text.ts";
import { ProviderError } from "../error.ts";
import type { ModelEvent } from "../provider.ts";
import type { ServerSentEvent } from "../sse.ts";
import { EventTooLarge } from "../sse.ts";
import type { DialectDress } from "./dialect.ts";

/** One event of the wire, parsed: its type, or `DONE` for the mark that ends some streams. */
export interface WireEvent {
  readonly type: string;
  readonly data: JsonObject;
}

export const DONE = "[DONE]";
const EXCERPT_UNITS_MAX = 200;

/**
 * The events of a stream whose data is one JSON object each.
 *
 * Empty data and JSON that is no object are keep-alives of one server or another and are passed over.
 * @throws ProviderError StreamMalformed for data that is not JSON, unless it is the last of the stream: then the
 * stream broke off within it (StreamInterrupted). What the source throws goes through as it is.
 */
export async function* wireEvents(
  batches: AsyncIterable<readonly ServerSentEvent[]>,
  dress: DialectDress,
): AsyncGenerator<readonly WireEvent[]> {
  let broken: string | undefined;
  try {
    for await (const batch of batches) {
      const parsed: WireEvent[] = [];
      let cutShort = false;
      for (const event of batch) {
        cutShort = broken !== undefined;
        if (cutShort) break;
        const data = event.data.trim();
        if (data === "") continue;
        if (data === DONE) {
          parsed.push({ type: DONE, data: {} });
          continue;
        }
        const found = parseJson(data);
        if (found === undefined) broken = data;
        else if (isObject(found.value))
          parsed.push({ type: stringAt(found.value, "type") ?? event.event, data: found.value });
      }
      if (parsed.length > 0) yield parsed;
      if (cutShort) throw malformed(dress, `not JSON: ${head(broken ?? "", EXCERPT_UNITS_MAX)}`);
    }
  } catch (thrown) {
    if (!(thrown instanceof EventTooLarge)) throw thrown;
    throw malformed(dress, thrown.message);
  }
  if (broken !== undefined) throw interrupted(dress, "the stream ended within an event");
}

/** What came of one batch, as one; where it broke off, what had come before that, and then the failure. */
export function* gathered(events: Iterable<ModelEvent>): Generator<readonly ModelEvent[]> {
  const batch: ModelEvent[] = [];
  try {
    for (const event of events) batch.push(event);
  } finally {
    if (batch.length > 0) yield batch;
  }
}

/** The answer broke off: what had arrived is kept, and the same request may be sent again. */
export function interrupted(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamInterrupted", { provider: dress.provider, detail }, { transient: true });
}

function malformed(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamMalformed", { provider: dress.provider, detail }, { transient: true });
}
