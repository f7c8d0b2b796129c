import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { DeadlineReached, framesOf, HarnessError, messageOf } from "../../../base/errors.ts";
import { shortened } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import type { Event } from "../../../protocol/events/events.ts";

/** Failures of one plugin in one engine after which it is switched off. */
export const PLUGIN_FAILURES_MAX = 5;
const WHY_CHARACTERS_MAX = 500;
/** The reason given for a plugin that is no longer called. */
export const SWITCHED_OFF = "it has failed too often, or outside of any call, and is switched off";

/** The outcome of calling a plugin. A failure has been reported; `why` is its reason for a person and the model. */
export type PluginCallResult<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "failed"; readonly why: string };

/** Counts the failures of one plugin in this engine, across sessions. */
export class PluginHealth {
  readonly plugin: string;
  readonly #log: World["log"];
  readonly #watchers = new Set<() => void>();
  #failures = 0;
  #crash: HarnessError | undefined;

  constructor(plugin: string, log: World["log"]) {
    this.plugin = plugin;
    this.#log = log;
  }

  /** Reason why it may no longer be called; undefined while it may. */
  get off(): HarnessError | undefined {
    if (this.#crash !== undefined) return this.#crash;
    if (this.#failures < PLUGIN_FAILURES_MAX) return undefined;
    return new HarnessError("PluginOff", { plugin: this.plugin, count: String(PLUGIN_FAILURES_MAX) });
  }

  /** Switches the plugin off after an error outside any call, because nobody knows which of its parts still work. */
  crashed(thrown: unknown): void {
    this.failed("code that nobody had called", thrown);
    if (this.#crash !== undefined) return;
    const what = shortened(messageOf(thrown), WHY_CHARACTERS_MAX);
    this.#crash = new HarnessError("PluginCrashed", { plugin: this.plugin, what }, { cause: thrown });
    for (const watcher of this.#watchers) watcher();
  }

  onCrash(watcher: () => void): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  failed(where: string, thrown: unknown): void {
    this.#failures += 1;
    const error = thrown instanceof Error ? thrown.name : typeof thrown;
    this.#log
      .for(`plugin.${this.plugin}`)
      .write("warn", "a plugin failed", { where, error, at: framesOf(thrown), failures: this.#failures });
  }
}

/**
 * Calls one plugin for one session and isolates the session from its errors. An exception or an endless call becomes
 * a failure, reported once for each kind. After too many failures the plugin is switched off, which is reported too.
 *
 * A loop that never yields cannot be contained within the process.
 */
export class PluginContainment {
  readonly health: PluginHealth;
  readonly #clock: World["clock"];
  readonly #publish: (event: Event) => void;
  readonly #reported = new Set<string>();

  constructor(health: PluginHealth, clock: World["clock"], publish: (event: Event) => void) {
    this.health = health;
    this.#clock = clock;
    this.#publish = publish;
  }

  get plugin(): string {
    return this.health.plugin;
  }

  /** Returns true if the plugin is switched off, and reports that once. */
  reportIfOff(): boolean {
    const { off } = this.health;
    if (off === undefined) return false;
    this.#once("off", off);
    return true;
  }

  /**
   * @param where what is called, as it reads after "failed in": "its listener".
   * @throws signal.reason, and nothing else.
   */
  async call<Value>(
    where: string,
    msMax: number,
    run: (signal: AbortSignal) => Value | Promise<Value>,
    signal: AbortSignal,
  ): Promise<PluginCallResult<Value>> {
    signal.throwIfAborted();
    if (this.reportIfOff()) return { kind: "failed", why: SWITCHED_OFF };
    using limit = deadline(this.#clock, msMax, signal);
    try {
      // In an async function, so that an exception before the first await is contained too.
      const running = (async () => await run(limit.signal))();
      return { kind: "done", value: await whileAlive(running, limit.signal) };
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      return this.failed(where, limit.reached ? new DeadlineReached(msMax) : thrown);
    }
  }

  /** Counts and reports a failure that was found elsewhere. */
  failed(where: string, thrown: unknown): { readonly kind: "failed"; readonly why: string } {
    const why = shortened(messageOf(thrown), WHY_CHARACTERS_MAX);
    this.health.failed(where, thrown);
    this.#once(
      `${where}: ${why}`,
      new HarnessError("PluginFailed", { plugin: this.plugin, where, what: why }),
    );
    this.reportIfOff();
    return { kind: "failed", why };
  }

  #once(what: string, { reason, message }: HarnessError): void {
    if (this.#reported.has(what)) return;
    this.#reported.add(what); // bounded by the failures that switch it off, plus the report of that
    this.#publish({ kind: "Error", payload: { reason, message, details: { plugin: this.plugin } } });
  }
}
