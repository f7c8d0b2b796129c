import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { Cancelled } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { SessionTrust } from "../../session/guard/trust.ts";
import type { SessionHost } from "../../session/host.ts";
import type { PluginSession } from "../../session/plugins/plugin-session.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { FailedPlugin, SessionPlugins } from "./load-session-plugins.ts";
import type { ActivePlugin } from "./plugin-commands.ts";
import { PluginError } from "./registration/plugin-error.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";
import { PluginContainment } from "./runtime/containment.ts";
import { runListener } from "./runtime/listeners.ts";
import { pluginRequestMiddleware } from "./runtime/request-middleware.ts";
import { pluginToolMiddleware } from "./runtime/tool-middleware.ts";

/** The longest wait at the end of a session for listeners that are behind. */
const LISTENERS_END_MS_MAX = 5_000;

/** Handles of a session that its plugins use. */
export interface PluginSessionHost extends Pick<SessionHost, "world" | "session" | "publish" | "follow"> {
  readonly trust: Pick<SessionTrust, "loaded">;
  readonly source: "new" | "resume";
  /** Replaces the plan by one with the rules of all plugins, including those that joined late. */
  extendRules(plugins: readonly RegisteredPlugin[]): void;
}

/** A plugin of this session, with its middleware. */
export interface ActiveWithMiddleware extends ActivePlugin {
  readonly tool: readonly ToolMiddleware[];
  readonly request: readonly RequestMiddleware[];
}

/**
 * The plugins that have joined one session, and their listeners. A pending plugin joins once a person has
 * acknowledged it. Disposing it gives listeners the last events, then ends them.
 */
export class JoinedPlugins implements AsyncDisposable {
  readonly #host: PluginSessionHost;
  readonly #plugins: SessionPlugins;
  readonly #end = new AbortController();
  readonly #listening: Promise<void>[] = [];
  readonly #watching = new DisposableStack();
  readonly #active: ActiveWithMiddleware[] = [];
  #late: Promise<void> | undefined;
  #isOver = false;

  constructor(host: PluginSessionHost, plugins: SessionPlugins) {
    this.#host = host;
    this.#plugins = plugins;
    for (const failed of plugins.failed) this.publish(errorOf(failed));
    const joined = plugins.active.map((plugin) => this.#join(plugin));
    for (const each of joined) this.#listen(each);
  }

  get active(): readonly ActiveWithMiddleware[] {
    return this.#active;
  }

  /** Publishes an event. After the end it does nothing, since nobody is subscribed. */
  publish(event: Event): void {
    if (!this.#isOver) this.#host.publish(event);
  }

  /** Publishes nothing from now on. */
  mute(): void {
    this.#isOver = true;
  }

  /** Waits until a person has decided about the pending plugins. */
  async settled(signal: AbortSignal): Promise<void> {
    if (!this.#plugins.isPending) return;
    this.#late ??= this.#joinLate();
    await whileAlive(this.#late, signal);
  }

  async #joinLate(): Promise<void> {
    const acknowledged = await this.#host.trust.loaded(this.#end.signal);
    const { active, failed } = await this.#plugins.loadLate(acknowledged);
    for (const each of failed) this.publish(errorOf(each));
    for (const plugin of active) this.#listen(this.#join(plugin));
    this.#host.extendRules(this.#active.map(({ plugin }) => plugin));
  }

  #join(plugin: RegisteredPlugin): ActiveWithMiddleware {
    const { clock } = this.#host.world;
    const contained = new PluginContainment(plugin.health, clock, (event) => this.publish(event));
    this.#watching.use(plugin.health.onCrash(() => contained.reportIfOff()));
    const session = this.#sessionOf(plugin);
    const joined = {
      plugin,
      contained,
      session,
      tool: plugin.toolMiddleware.map((each) => pluginToolMiddleware(each, contained, { clock, session })),
      request: plugin.requestMiddleware.map((each) => pluginRequestMiddleware(each, contained, session)),
    };
    this.#active.push(joined);
    return joined;
  }

  #sessionOf({ name }: RegisteredPlugin): PluginSession {
    return {
      session: this.#host.session,
      emit: (kind, payload) => this.publish(customEvent(name, kind, payload)),
      raise: (code, message, details) =>
        this.publish(new PluginError(name, code, { message, details }).event),
      error: (code, message, details) => new PluginError(name, code, { message, details }),
    };
  }

  #listen({ plugin, contained, session }: ActiveWithMiddleware): void {
    const { signal } = this.#end;
    for (const listener of plugin.listeners) {
      const heard = runListener(this.#host.follow(signal), listener, { contained, session, signal });
      heard.catch(() => undefined); // a broken log is reported by its writer
      this.#listening.push(heard);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching.dispose();
    // Listeners get the end of the session too, and nothing after it.
    using limit = deadline(this.#host.world.clock, LISTENERS_END_MS_MAX, new AbortController().signal);
    await whileAlive(Promise.allSettled(this.#listening), limit.signal).catch(() => undefined);
    this.#end.abort(new Cancelled("engine", "the session was ended"));
  }
}

function customEvent(namespace: string, kind: string, payload: unknown): Event {
  return { kind: "CustomEvent", payload: { namespace, kind: String(kind), payload } };
}

function errorOf({ error: { reason, message } }: FailedPlugin): Event {
  return { kind: "Error", payload: { reason, message } };
}
