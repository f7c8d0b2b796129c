import { deadline } from "../../base/async/deadline.ts";
import type { World } from "../../base/world.ts";
import type { EngineHealth } from "../../protocol/resources.ts";
import { describeNetworkError } from "../../providers/http/connection-error.ts";
import { bareHost, publicAddressesOf } from "../../safety/public-host.ts";
import { isLoopback } from "../../safety/safe-url.ts";
import type { NotifyRequest } from "./notification.ts";

/** Limit for notifications that wait to be sent; the oldest gives way to a further one. */
export const NOTIFY_WAITING_MAX = 64;
/** Time limit for one attempt, from looking up the name to the answer. */
export const NOTIFY_POST_MS_MAX = 10_000;
export const NOTIFY_ATTEMPTS_MAX = 3;
/** Longest wait before the second attempt; twice as long before the third. A random part of it is waited. */
export const NOTIFY_RETRY_MS_MAX = 2_000;
/** Time limit for what is left at the end of an engine. */
export const NOTIFY_FLUSH_MS_MAX = 2_000;
const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

export interface UrlNotifierDependencies {
  readonly world: Pick<World, "clock" | "fetch" | "resolve" | "random" | "log">;
  readonly url: URL;
  /** Value of the header Authorization without its scheme. */
  readonly token?: string;
}

interface Waiting {
  readonly request: NotifyRequest;
  readonly onOutage: (problem: string) => void;
}

/** `again`: another attempt may succeed. */
type Outcome =
  | { readonly kind: "sent" }
  | { readonly kind: "failed"; readonly problem: string; readonly again: boolean };

/**
 * Posts notifications to one address, in order and one at a time. One per engine.
 *
 * Nothing waits for it. A failed notification is tried again a few times; while the address keeps failing, each further
 * one is tried once. Redirects are not followed, and only addresses of the public internet, or of this machine where
 * the URL names it, are connected to.
 */
export class UrlNotifier implements AsyncDisposable {
  readonly #dependencies: UrlNotifierDependencies;
  readonly #end = new AbortController();
  readonly #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;
  #isEnding = false;
  #problem: string | undefined;
  #sent = 0;
  #failed = 0;
  #dropped = 0;

  constructor(dependencies: UrlNotifierDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Queues a notification. Never waits.
   * @param onOutage gets the problem if this notification is the first of an outage.
   */
  send(request: NotifyRequest, onOutage: (problem: string) => void): void {
    if (this.#isEnding) return;
    if (this.#waiting.length === NOTIFY_WAITING_MAX) {
      this.#waiting.shift();
      this.#dropped += 1;
    }
    this.#waiting.push({ request, onOutage });
    this.#sending ??= this.#sendAll();
  }

  health(): NonNullable<EngineHealth["notify"]> {
    const problem = this.#problem;
    return {
      state: problem === undefined ? "working" : "failing",
      ...(problem === undefined ? {} : { problem }),
      sent: this.#sent,
      failed: this.#failed,
      dropped: this.#dropped,
    };
  }

  /** Sends what is left, each once, for at most `NOTIFY_FLUSH_MS_MAX`; the rest is dropped. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    const { clock, log } = this.#dependencies.world;
    using _limit = clock.timer(NOTIFY_FLUSH_MS_MAX, () => this.#end.abort(new Error("no time left")));
    await this.#sending;
    const lost = this.#failed + this.#dropped;
    if (lost > 0) log.for("notify").write("warn", "notifications were lost", { lost });
  }

  async #sendAll(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        if (this.#end.signal.aborted) this.#dropped += 1;
        else this.#count(await this.#deliver(next.request), next);
      }
    } finally {
      this.#sending = undefined;
    }
  }

  #count(outcome: Outcome, { onOutage }: Waiting): void {
    if (outcome.kind === "sent") {
      this.#sent += 1;
      this.#problem = undefined;
      return;
    }
    const isFirst = this.#problem === undefined;
    this.#failed += 1;
    this.#problem = outcome.problem;
    if (!isFirst) return;
    const { world, url } = this.#dependencies;
    const { problem } = outcome;
    world.log.for("notify").write("warn", "a notification was not sent", { host: url.host, problem });
    onOutage(problem);
  }

  async #deliver(request: NotifyRequest): Promise<Outcome> {
    const { clock, random } = this.#dependencies.world;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request);
      const isLast = attempt === NOTIFY_ATTEMPTS_MAX || this.#isEnding || this.#problem !== undefined;
      if (outcome.kind === "sent" || !outcome.again || isLast) return outcome;
      const pauseMs = random.number() * NOTIFY_RETRY_MS_MAX * 2 ** (attempt - 1);
      const isPaused = await clock.sleep(pauseMs, this.#end.signal).then(
        () => true,
        () => false,
      );
      if (!isPaused) return outcome;
    }
  }

  async #attempt(request: NotifyRequest): Promise<Outcome> {
    const { clock } = this.#dependencies.world;
    using limit = deadline(clock, NOTIFY_POST_MS_MAX, this.#end.signal);
    try {
      return await this.#post(request, limit.signal);
    } catch (thrown) {
      if (limit.reached) return failed(`no answer within ${NOTIFY_POST_MS_MAX / 1_000} s`, true);
      if (this.#end.signal.aborted) return failed("the engine has ended meanwhile", false);
      const { href, origin } = this.#dependencies.url;
      return failed(describeNetworkError(thrown).replaceAll(href, origin), true);
    }
  }

  async #post({ headers, body }: NotifyRequest, signal: AbortSignal): Promise<Outcome> {
    const { world, url, token } = this.#dependencies;
    const address = await this.#addressOf(signal);
    if (typeof address !== "string") return address;
    const answer = await world.fetch(url.href, {
      method: "POST",
      headers: {
        ...headers,
        "user-agent": "cinch",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      signal,
      address,
    });
    await answer.body?.cancel();
    const { ok, status } = answer;
    if (ok) return { kind: "sent" };
    if (status >= 300 && status < 400)
      return failed(`it redirects (${status}), which is not followed; name the final address`, false);
    return failed(`it answered ${status}`, status >= 500 || status === 429 || status === 408);
  }

  /** Returns the checked address to connect to. */
  async #addressOf(signal: AbortSignal): Promise<string | Outcome> {
    const { world, url } = this.#dependencies;
    if (isLoopback(url)) {
      const addresses = await world.resolve(bareHost(url), signal);
      const [address] = addresses.filter((each) => LOOPBACK_ADDRESS.test(each));
      return address ?? failed("its name does not lead to this machine", false);
    }
    const found = await publicAddressesOf(world, url, signal);
    switch (found.kind) {
      case "public":
        return found.addresses[0] ?? failed("it has no address", true);
      case "inner":
        return failed(`it is ${found.address}, no address of the public internet`, false);
      case "none":
        return failed("it has no address", true);
    }
  }
}

function failed(problem: string, again: boolean): Outcome {
  return { kind: "failed", problem, again };
}
