import type { ClientId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { head } from "../../base/text/text.ts";
import { actingClient, CLIENT_LABEL_CHARACTERS_MAX } from "../../protocol/events/acting-client.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { NamedClient } from "../../protocol/events/named-client.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Clients that are kept by name; beyond that the one that was named first is forgotten. */
const CLIENTS_MAX = 1_000;
/** Last characters of an id that stand for it. */
const ID_CHARACTERS_SHOWN = 6;

/** Clients that the events of a session have named, in the order of the first event that named each as it is. */
export type KnownClients = ReadonlyMap<ClientId, NamedClient>;

export const NO_CLIENTS: KnownClients = new Map();

/** Returns the known clients after one more event; the same value if it names none, or tells nothing new. */
export function clientsAfter(clients: KnownClients, envelope: Envelope): KnownClients {
  const { payload } = envelope;
  const who = "who" in payload ? payload.who : undefined;
  const id = actingClient(payload);
  if (who === undefined || id === undefined || !isId("cli", id)) return clients;
  const before = clients.get(id);
  const label = head(who.label, CLIENT_LABEL_CHARACTERS_MAX);
  if (before?.label === label && before.identityClass === who.identityClass) return clients;
  const next = new Map(clients);
  next.delete(id);
  next.set(id, { label, identityClass: who.identityClass });
  const [oldest] = next.keys();
  if (next.size > CLIENTS_MAX && oldest !== undefined) next.delete(oldest);
  return next;
}

/**
 * Returns the name of a client for people, safe to print: its label in quotes, its class, and the end of its id, which
 * no other client can copy. Without a label, as in older logs, the end of its id; another text, such as "engine", as
 * it is.
 */
export function displayName(clients: KnownClients, id: string): string {
  if (!isId("cli", id)) return neutraliseLine(id);
  const short = id.slice(-ID_CHARACTERS_SHOWN);
  const known = clients.get(id);
  if (known === undefined) return `cli_…${short}`;
  return `"${quotable(known.label)}" (${known.identityClass}, …${short})`;
}

/** Returns a label that cannot end its quotes. */
function quotable(label: string): string {
  return neutraliseLine(label).replaceAll('"', "'");
}
