import type { JsonObject } from "../../base/json.ts";
import { isObject, parseJson, stringAt } from "../../base/json.ts";
import { head } from "../../base/text.ts";
import { ProviderError } from "../error.ts";
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
  events: AsyncIterable<ServerSentEvent>,
  dress: DialectDress,
): AsyncGenerator<WireEvent> {
  let broken: string | undefined;
  try {
    for await (const event of events) {
      if (broken !== undefined) throw malformed(dress, `not JSON: ${head(broken, EXCERPT_UNITS_MAX)}`);
      const data = event.data.trim();
      if (data === DONE) yield { type: DONE, data: {} };
      if (data === DONE || data === "") continue;
      const parsed = parseJson(data);
      if (parsed === undefined) broken = data;
      else if (isObject(parsed.value)) {
        yield { type: stringAt(parsed.value, "type") ?? event.event, data: parsed.value };
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof EventTooLarge)) throw thrown;
    throw malformed(dress, thrown.message);
  }
  if (broken !== undefined) throw interrupted(dress, "the stream ended within an event");
}

/** The answer broke off: what had arrived is kept, and the same request may be sent again. */
export function interrupted(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamInterrupted", { provider: dress.provider, detail }, { transient: true });
}

function malformed(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamMalformed", { provider: dress.provider, detail }, { transient: true });
}
