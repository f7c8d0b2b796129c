import type { SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { envelopeJson } from "../../view/wire-json.ts";
import type { LogInfo } from "../store/store.ts";
import type { ExportSeal } from "./seal.ts";
import { SEAL_KIND, SEAL_NAMESPACE } from "./seal.ts";

/** Facts of an export about its log. */
export type ExportedLog = Pick<LogInfo, "logId" | "session" | "profile" | "model" | "createdAt">;

/**
 * Renders the events of a log as lines: each is its envelope, exactly as on the wire, and the last one is the
 * seal (SES-10).
 *
 * The same events give the same bytes. The format grows as events do: fields and kinds are added, never changed.
 */
export async function* exportJsonl(
  log: ExportedLog,
  events: AsyncIterable<Envelope>,
): AsyncGenerator<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const sessions = new Set<SessionId>();
  let first: Envelope | undefined;
  let last: Envelope | undefined;
  let count = 0;
  for await (const event of events) {
    first ??= event;
    last = event;
    count += 1;
    sessions.add(event.session);
    const line = envelopeJson(event);
    hash.update(line);
    yield line;
  }
  const seal: ExportSeal = {
    log: log.logId,
    events: count,
    from: first?.id ?? 0,
    to: last?.id ?? 0,
    sessions: [...sessions],
    model: log.model,
    profile: log.profile,
    sha256: hash.digest("hex"),
  };
  yield envelopeJson({
    id: (last?.id ?? 0) + 1,
    session: last?.session ?? log.session,
    ts: last?.ts ?? log.createdAt,
    kind: "CustomEvent",
    payload: { namespace: SEAL_NAMESPACE, kind: SEAL_KIND, payload: seal },
  });
}
