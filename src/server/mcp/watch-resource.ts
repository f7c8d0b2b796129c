import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { assertHappened } from "../hub/follow-request.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import type { AgentClient } from "./agent-client.ts";
import { OWN_KEY } from "./mcp-names.ts";
import { readResource } from "./resources.ts";
import { readAddress } from "./uris.ts";

/** Interval at which a resource without events is read while a client is subscribed to it. */
export const LOOK_AGAIN_MS = 2_000;

/** Parameters of `notifications/resources/updated`. */
export interface ResourceUpdate {
  readonly uri: string;
  /** The event as canonical JSON, if it is one ([A] § Canonical event envelope). */
  readonly contents?: Envelope;
  /** The id of the event, for clients whose library drops fields that it does not know. */
  readonly _meta?: { readonly [OWN_KEY]: { readonly event: EventSeq } };
}

/** A resource with its updates from its creation on. */
export interface WatchedResource {
  readonly updates: AsyncIterable<ResourceUpdate>;
  /** The session of the events, if they are events. */
  readonly session?: SessionId;
}

export interface WatchDependencies {
  readonly client: AgentClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Watches a resource until its session has ended or the signal aborts.
 * @throws HarnessError the refusal of reading it; InvalidPath for events that are still to come.
 */
export async function watchResource(uri: string, dependencies: WatchDependencies): Promise<WatchedResource> {
  const { client, signal } = dependencies;
  const address = readAddress(uri);
  if (address.kind !== "events")
    return { updates: changesOf(uri, await look(uri, dependencies), dependencies) };
  const { id, since } = address;
  assertHappened(since, await sessionInfo(client.engine, id, { ...client.asking, signal }), "since");
  const connection = await client.connection();
  const followed = connection.subscribe(id, since === undefined ? { signal } : { since, signal });
  return { updates: updatesOf(uri, followed), session: id };
}

export function eventUpdate(uri: string, event: Envelope): ResourceUpdate {
  return { uri, contents: event, _meta: { [OWN_KEY]: { event: event.id } } };
}

async function* updatesOf(uri: string, events: AsyncIterable<Envelope>): AsyncGenerator<ResourceUpdate> {
  for await (const event of events) yield eventUpdate(uri, event);
}

async function* changesOf(
  uri: string,
  first: string,
  dependencies: WatchDependencies,
): AsyncGenerator<ResourceUpdate> {
  for (let seen = first; ; ) {
    await dependencies.clock.sleep(LOOK_AGAIN_MS, dependencies.signal);
    const now = await look(uri, dependencies);
    if (now === seen) continue;
    seen = now;
    yield { uri };
  }
}

async function look(uri: string, { client, signal }: WatchDependencies): Promise<string> {
  return JSON.stringify(await readResource(uri, client, signal));
}
