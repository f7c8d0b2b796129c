import type { Envelope } from "../../../protocol/events/envelope.ts";

/** Characters of JSON of the last events; the oldest are left out. */
const LAST_EVENTS_CHARS_MAX = 4_194_304;

/** Returns the events of a log, only the newest of them if all are more than 4 MiB ([A] § REST surface). */
export async function lastEvents(log: AsyncIterable<Envelope>): Promise<readonly Envelope[]> {
  const lastEvents: { readonly event: Envelope; readonly chars: number }[] = [];
  let chars = 0;
  for await (const event of log) {
    const length = JSON.stringify(event).length;
    lastEvents.push({ event, chars: length });
    chars += length;
    while (chars > LAST_EVENTS_CHARS_MAX && lastEvents.length > 1) chars -= lastEvents.shift()?.chars ?? 0;
  }
  return lastEvents.map(({ event }) => event);
}
