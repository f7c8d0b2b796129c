import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { assertHappened } from "../hub/follow-request.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import type { AgentClient } from "./agent-client.ts";
import { readResource } from "./resources.ts";
import { readAddress } from "./uris.ts";
import { OWN_KEY } from "./words.ts";

/** How often what has no events of its own is looked at, while somebody follows it. */
export const LOOK_AGAIN_MS = 2_000;

/** What a client that follows a resource is told: the parameters of `notifications/resources/updated`. */
export interface Update {
  readonly uri: string;
  /** The event as canonical JSON, where it is one ([A] § Canonical event envelope). */
  readonly contents?: Envelope;
  /** The id of the event, for clients whose library drops fields that it does not know. */
  readonly _meta?: { readonly [OWN_KEY]: { readonly event: EventSeq } };
}

/** A resource that is followed from the moment on that this was made. */
export interface Followed {
  readonly updates: AsyncIterable<Update>;
  /** The session whose events they are, where they are events. */
  readonly session?: SessionId;
}

export interface FollowParts {
  readonly client: AgentClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Follows a resource until its session has ended or the signal aborts.
 * @throws HarnessError what reading it is refused with; InvalidPath for events that are still to come.
 */
export async function follow(uri: string, parts: FollowParts): Promise<Followed> {
  const { client, signal } = parts;
  const address = readAddress(uri);
  if (address.kind !== "events") return { updates: changesOf(uri, await look(uri, parts), parts) };
  const { id, since } = address;
  const { events } = await sessionInfo(client.engine, id, { ...client.asking, signal });
  assertHappened(since, events, "since");
  const connection = await client.connection();
  const followed = connection.subscribe(id, since === undefined ? { signal } : { since, signal });
  return { updates: updatesOf(uri, followed), session: id };
}

export function eventUpdate(uri: string, event: Envelope): Update {
  return { uri, contents: event, _meta: { [OWN_KEY]: { event: event.id } } };
}

async function* updatesOf(uri: string, events: AsyncIterable<Envelope>): AsyncGenerator<Update> {
  for await (const event of events) yield eventUpdate(uri, event);
}

async function* changesOf(uri: string, first: string, parts: FollowParts): AsyncGenerator<Update> {
  for (let seen = first; ; ) {
    await parts.clock.sleep(LOOK_AGAIN_MS, parts.signal);
    const now = await look(uri, parts);
    if (now === seen) continue;
    seen = now;
    yield { uri };
  }
}

async function look(uri: string, { client, signal }: FollowParts): Promise<string> {
  return JSON.stringify(await readResource(uri, client, signal));
}
