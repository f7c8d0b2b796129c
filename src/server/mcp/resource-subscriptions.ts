import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import type { GrantWatch, TokenGrant } from "../../session/access/authority.ts";
import { tokenExpiringEvent } from "../auth/token-expiring.ts";
import type { AgentClient } from "./agent-client.ts";
import type { ResourceUpdate, WatchedResource } from "./watch-resource.ts";
import { eventUpdate, watchResource } from "./watch-resource.ts";

/** Resources that one client watches, over all its subscriptions. */
export const WATCHED_RESOURCES_MAX = 64;

export interface ResourceSubscriptionsDependencies {
  readonly client: AgentClient;
  readonly world: Pick<World, "clock" | "log">;
  /** Reports when the token is about to expire, to subscribers of events (AUTH-08). */
  readonly watch?: GrantWatch;
  readonly grant: TokenGrant;
}

/** Sends one update; the next is requested once this one has room. */
export type SendUpdate = (update: ResourceUpdate) => Promise<void>;

/** Subscriptions of one client, by name. Disposing it ends all. */
export class ResourceSubscriptions implements Disposable {
  readonly #parts: ResourceSubscriptionsDependencies;
  readonly #open = new Map<string, { readonly stop: AbortController; readonly count: number }>();
  /** Subscriptions to events, which come to an end. */
  readonly #pumps = new Set<Promise<void>>();

  constructor(parts: ResourceSubscriptionsDependencies) {
    this.#parts = parts;
  }

  /**
   * Subscribes to resources under a name, and ends the subscription that had it. Updates count from the moment that
   * this resolves, and nothing is sent before `begin` is called.
   * @throws HarnessError the refusal of one of them; TooManyFollowed.
   */
  async start(name: string, uris: readonly string[], send: SendUpdate): Promise<{ begin(): void }> {
    this.stop(name);
    const { client, world } = this.#parts;
    const count = [...this.#open.values()].reduce((sum, each) => sum + each.count, uris.length);
    if (count > WATCHED_RESOURCES_MAX)
      throw new HarnessError("TooManyFollowed", { limit: `${WATCHED_RESOURCES_MAX}` });
    const stop = new AbortController();
    this.#open.set(name, { stop, count: uris.length });
    try {
      const followed: (readonly [string, WatchedResource])[] = [];
      for (const uri of new Set(uris)) {
        followed.push([uri, await watchResource(uri, { client, clock: world.clock, signal: stop.signal })]);
      }
      return {
        begin: () => {
          for (const [uri, each] of followed) {
            const pump = this.#pump(uri, each, { send, stop: stop.signal });
            if (each.session === undefined) continue;
            this.#pumps.add(pump);
            void pump.finally(() => this.#pumps.delete(pump));
          }
        },
      };
    } catch (thrown) {
      this.stop(name);
      throw thrown;
    }
  }

  /** Ends the subscription of this name. */
  stop(name: string): void {
    const open = this.#open.get(name);
    this.#open.delete(name);
    open?.stop.abort(new Cancelled("client", "nobody follows it any more"));
  }

  /** Resolves once every event of sessions that have ended was sent, or after a while. */
  async settled(msMax: number): Promise<void> {
    if (this.#pumps.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _limit = this.#parts.world.clock.timer(msMax, resolve);
    await Promise.race([Promise.all(this.#pumps), promise]);
  }

  [Symbol.dispose](): void {
    for (const name of [...this.#open.keys()]) this.stop(name);
  }

  /** Never throws. */
  async #pump(
    uri: string,
    { updates, session }: WatchedResource,
    { send, stop }: { readonly send: SendUpdate; readonly stop: AbortSignal },
  ): Promise<void> {
    const { world, watch, grant } = this.#parts;
    let last = 0;
    const telling =
      session === undefined
        ? undefined
        : watch?.onExpiring((expiresAt) => {
            const event = tokenExpiringEvent({ grant, expiresAt }, { session, last, clock: world.clock });
            if (!stop.aborted) void send(eventUpdate(uri, event)).catch(() => undefined); // it has left
          });
    try {
      for await (const update of updates) {
        if (stop.aborted) return;
        last = update.contents?.id ?? last;
        await send(update);
      }
    } catch (thrown) {
      if (stop.aborted) return;
      world.log.for("control.mcp").write("debug", "a subscription ended", { what: messageOf(thrown) });
    } finally {
      telling?.[Symbol.dispose]();
    }
  }
}
