import type { Envelope } from "../../protocol/events/envelope.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import type { Scope } from "../../session/access/scope.ts";
import type { Catalogue } from "../../session/engine-port.ts";

/** Number of events beside the facts of a session, unless a client asks for another number. */
export const LAST_EVENTS = 50;
export const LAST_EVENTS_MAX = 1_000;
/** Characters of JSON of them; the oldest are left out. */
const LAST_EVENTS_CHARS_MAX = 4_194_304;

/** Returns a session with the last events of its log, at most `count` ([A] § REST surface). @throws HarnessError as `log`. */
export async function withLastEvents(
  catalogue: Pick<Catalogue, "log">,
  info: SessionInfo,
  { count, scope }: { readonly count: number; readonly scope: Scope },
): Promise<SessionInfo & { readonly last_events: readonly Envelope[] }> {
  const kept: { readonly event: Envelope; readonly chars: number }[] = [];
  let chars = 0;
  const since = Math.max(0, info.events - count);
  if (count > 0) {
    for await (const event of catalogue.log(info.session, since, scope)) {
      const length = JSON.stringify(event).length;
      kept.push({ event, chars: length });
      chars += length;
      while (chars > LAST_EVENTS_CHARS_MAX && kept.length > 1) chars -= kept.shift()?.chars ?? 0;
    }
  }
  return { ...info, last_events: kept.map(({ event }) => event) };
}
