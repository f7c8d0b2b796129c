import { defined } from "../../base/defined.ts";
import type { ClientId, SessionId } from "../../base/ids.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { AttachedClient } from "../access/client.ts";

/** A client that is subscribed to a session. */
export interface Follower {
  /** The name that it gives itself. */
  readonly label?: string;
  readonly client?: ClientId;
  readonly identityClass?: IdentityClass;
}

type AttachedName = Pick<AttachedClient, "id" | "identityClass" | "label">;

/** The clients that are subscribed to one session, in the order in which they came. */
export class Followers {
  readonly #all = new Set<Follower>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get count(): number {
    return this.#all.size;
  }

  get labels(): readonly string[] {
    return [...this.#all].flatMap(({ label }) => label ?? []);
  }

  /** Subscribed clients that are known by name, each once. */
  get clients(): readonly AttachedName[] {
    const known = new Map<ClientId, AttachedName>();
    for (const { client: id, label, identityClass } of this.#all)
      if (id !== undefined && label !== undefined && identityClass !== undefined && !known.has(id))
        known.set(id, { id, label, identityClass });
    return [...known.values()];
  }

  /** Returns true if another client is subscribed. */
  hasOthersThan(client: ClientId): boolean {
    return [...this.#all].some((each) => each.client !== client);
  }

  /** Adds a follower until its signal aborts or the returned function is called. */
  add({ label, client, identityClass }: Follower, signal: AbortSignal): () => void {
    const follower: Follower = {
      ...defined({ label, client, identityClass }),
    };
    if (!signal.aborted) this.#all.add(follower);
    const leave = () => {
      signal.removeEventListener("abort", leave);
      if (this.#all.delete(follower)) this.#onChange();
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#onChange();
    return leave;
  }
}

/** Ends a subscription with the SessionEnded of its own run: nothing follows it there. */
export async function* untilEnded(
  id: SessionId,
  events: AsyncGenerator<Envelope>,
  leave: () => void,
): AsyncGenerator<Envelope> {
  try {
    for await (const event of events) {
      yield event;
      if (event.kind === "SessionEnded" && event.session === id) return;
    }
  } finally {
    leave();
  }
}
