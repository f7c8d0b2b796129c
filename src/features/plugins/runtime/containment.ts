import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { DeadlineReached, framesOf, HarnessError, messageOf } from "../../../base/errors.ts";
import { shortened } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import type { Event } from "../../../protocol/events/events.ts";

/** So many failures of one plugin in one engine, and it is switched off. */
export const PLUGIN_FAILURES_MAX = 5;
const WHY_CHARACTERS_MAX = 500;
/** What is said of a plugin that is not called any more. */
export const OFF = "it has failed too often, or outside of any call, and is switched off";

/** What came of calling a plugin. A failure has been told; `why` says it in words for a person and the model. */
export type Attempt<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "failed"; readonly why: string };

/** How often one plugin has failed in this engine, in whichever session. */
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

  /** Why it may not be called any more; undefined while it may. */
  get off(): HarnessError | undefined {
    if (this.#crash !== undefined) return this.#crash;
    if (this.#failures < PLUGIN_FAILURES_MAX) return undefined;
    return new HarnessError("PluginOff", { plugin: this.plugin, count: String(PLUGIN_FAILURES_MAX) });
  }

  /** It failed where nobody had called it, so nobody knows what of it still works: it is switched off at once. */
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
 * Calls one plugin for one session, and keeps the session from whatever it does wrong: what it throws and what it never
 * ends becomes a failure, told once for each thing that goes wrong; with too many it is not called any more, told too.
 *
 * A loop that never gives the thread back cannot be contained from within the process.
 */
export class Contained {
  readonly health: PluginHealth;
  readonly #clock: World["clock"];
  readonly #tell: (event: Event) => void;
  readonly #told = new Set<string>();

  constructor(health: PluginHealth, clock: World["clock"], tell: (event: Event) => void) {
    this.health = health;
    this.#clock = clock;
    this.#tell = tell;
  }

  get plugin(): string {
    return this.health.plugin;
  }

  /** Whether it may not be called any more, which is told then, once: for a place where it would be called now. */
  tellIfOff(): boolean {
    const { off } = this.health;
    if (off === undefined) return false;
    this.#once("off", off);
    return true;
  }

  /**
   * @param where what is called, as it reads behind "failed in": "its listener".
   * @throws signal.reason, and nothing else.
   */
  async call<Value>(
    where: string,
    msMax: number,
    run: (signal: AbortSignal) => Value | Promise<Value>,
    signal: AbortSignal,
  ): Promise<Attempt<Value>> {
    signal.throwIfAborted();
    if (this.tellIfOff()) return { kind: "failed", why: OFF };
    using limit = deadline(this.#clock, msMax, signal);
    try {
      // In a step of its own: what is thrown before the first wait is contained too.
      const running = (async () => await run(limit.signal))();
      return { kind: "done", value: await whileAlive(running, limit.signal) };
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      return this.failed(where, limit.reached ? new DeadlineReached(msMax) : thrown);
    }
  }

  /** Counts and tells a failure that was found elsewhere. */
  failed(where: string, thrown: unknown): { readonly kind: "failed"; readonly why: string } {
    const why = shortened(messageOf(thrown), WHY_CHARACTERS_MAX);
    this.health.failed(where, thrown);
    this.#once(
      `${where}: ${why}`,
      new HarnessError("PluginFailed", { plugin: this.plugin, where, what: why }),
    );
    this.tellIfOff();
    return { kind: "failed", why };
  }

  #once(what: string, { reason, message }: HarnessError): void {
    if (this.#told.has(what)) return;
    this.#told.add(what); // no more than the failures that switch it off, and the one that says so
    this.#tell({ kind: "Error", payload: { reason, message, details: { plugin: this.plugin } } });
  }
}
