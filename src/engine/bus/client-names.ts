import type { ClientId } from "../../base/ids.ts";
import { head } from "../../base/text/text.ts";
import { actingClient, CLIENT_LABEL_CHARACTERS_MAX } from "../../protocol/events/acting-client.ts";
import type { Event, EventKind, PayloadOf } from "../../protocol/events/events.ts";
import type { NamedClient } from "../../protocol/events/named-client.ts";
import type { Redaction } from "./redaction.ts";

/** Clients of one session that are known by name; beyond that, the one that acted longest ago is forgotten. */
const CLIENTS_MAX = 1_000;

/** Kinds of event that name a client by its id. */
type NamingKind = { [Kind in EventKind]: "who" extends keyof PayloadOf<Kind> ? Kind : never }[EventKind];

/** A missing kind is a compile error. */
const NAMING: Readonly<Record<NamingKind, true>> = {
  TurnStarted: true,
  PermissionRequested: true,
  PermissionAnswered: true,
  Cancelled: true,
  Asked: true,
  Answered: true,
  InputQueued: true,
  InputWithdrawn: true,
  InputEdited: true,
  InputMoved: true,
  ModelChanged: true,
  RuleRevoked: true,
  RulePromoted: true,
  SessionRenamed: true,
  LevelChanged: true,
};

/** Clients that act in one session: the one place that adds their names to events (TUI-09). */
export class ClientNames {
  readonly #redaction: Pick<Redaction, "text">;
  readonly #known = new Map<string, NamedClient>();

  constructor(redaction: Pick<Redaction, "text">) {
    this.#redaction = redaction;
  }

  /** Notes a client that acts now. Its label was cleaned when it attached. */
  add({ id, label, identityClass }: NamedClient & { readonly id: ClientId }): void {
    this.#known.delete(id);
    this.#known.set(id, { label, identityClass });
    const [oldest] = this.#known.keys();
    if (this.#known.size > CLIENTS_MAX && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Returns a label without secrets. */
  shown(label: string): string {
    return head(this.#redaction.text(label), CLIENT_LABEL_CHARACTERS_MAX);
  }

  /** Returns an event with the name of the client that it names by its id; else the same event. */
  named(event: Event): Event {
    if (!isNaming(event)) return event;
    const id = actingClient(event.payload);
    const known = id === undefined ? undefined : this.#known.get(id);
    if (known === undefined) return event;
    const who = { ...known, label: this.shown(known.label) };
    return { ...event, payload: { ...event.payload, who } } as Event;
  }
}

function isNaming(event: Event): event is Extract<Event, { kind: NamingKind }> {
  return Object.hasOwn(NAMING, event.kind);
}
