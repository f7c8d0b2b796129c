import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { Cancelled } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { chainRequest } from "../../providers/middleware.ts";
import type { CallForecast, OpenFeature } from "../../session/feature.ts";
import type { SessionTrust } from "../../session/guard/trust.ts";
import { SessionHooks } from "../../session/hooks/session-hooks.ts";
import { forecastHooks, toolHooks } from "../../session/hooks/tool-hooks.ts";
import type { SessionHost } from "../../session/host.ts";
import type { PluginSession } from "../../session/plugins/plugin-session.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import { chainTool } from "../../tools/middleware.ts";
import type { FailedPlugin, SessionPlugins } from "./load-session-plugins.ts";
import type { ActivePlugin } from "./plugin-commands.ts";
import { namespaceOwner, slashCommandInfos } from "./plugin-commands.ts";
import { lateToolSource, pluginToolSources } from "./plugin-tools.ts";
import { PluginError } from "./registration/plugin-error.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";
import { PluginContainment } from "./runtime/containment.ts";
import { PluginHooks } from "./runtime/hooks.ts";
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

/** The open plugins of one session. */
export type OpenPlugins = OpenFeature &
  Required<
    Pick<OpenFeature, "tools" | "around" | "onInput" | "onTurnEnd" | "onFollowed" | "onCompact" | "settle">
  > &
  AsyncDisposable;

/** A plugin of this session, with its middleware. */
interface ActiveWithMiddleware extends ActivePlugin {
  readonly tool: readonly ToolMiddleware[];
  readonly request: readonly RequestMiddleware[];
}

/**
 * Opens the plugins of a session, each part at the position that `PluginHarness` documents. A plugin that a person
 * still has to acknowledge joins before the first input, once they have.
 */
export function openSessionPlugins(host: PluginSessionHost, plugins: SessionPlugins): OpenPlugins {
  const { world, session: id, source } = host;
  const end = new AbortController();
  const listening: Promise<void>[] = [];
  const watching = new DisposableStack();
  const active: ActiveWithMiddleware[] = [];
  let joining: Promise<void> | undefined;
  let isOver = false;

  const publish = (event: Event) => {
    if (!isOver) host.publish(event); // after the end nobody is subscribed
  };

  function join(plugin: RegisteredPlugin): void {
    const contained = new PluginContainment(plugin.health, world.clock, publish);
    watching.use(plugin.health.onCrash(() => contained.reportIfOff()));
    const session: PluginSession = {
      session: id,
      emit: (kind, payload) => publish(customEvent(plugin.name, kind, payload)),
      raise: (code, message, details) =>
        publish(new PluginError(plugin.name, code, { message, details }).event),
      error: (code, message, details) => new PluginError(plugin.name, code, { message, details }),
    };
    active.push({
      plugin,
      contained,
      session,
      tool: plugin.toolMiddleware.map((each) =>
        pluginToolMiddleware(each, contained, { clock: world.clock, session }),
      ),
      request: plugin.requestMiddleware.map((each) => pluginRequestMiddleware(each, contained, session)),
    });
  }

  function follow({ plugin, contained, session }: ActiveWithMiddleware): void {
    for (const listener of plugin.listeners) {
      const events = host.follow(end.signal);
      const heard = runListener(events, listener, { contained, session, signal: end.signal });
      heard.catch(() => undefined); // a broken log is reported by its writer
      listening.push(heard);
    }
  }

  async function late(): Promise<void> {
    const { active: more, failed } = await plugins.loadLate(await host.trust.loaded(end.signal));
    for (const each of failed) publish(errorOf(each));
    for (const plugin of more) {
      join(plugin);
      const newest = active.at(-1);
      if (newest !== undefined) follow(newest);
    }
    host.extendRules(active.map(({ plugin }) => plugin));
  }

  /** Waits until a person has decided about the pending plugins. */
  async function joined(signal: AbortSignal): Promise<void> {
    if (!plugins.isPending) return;
    joining ??= late();
    await whileAlive(joining, signal);
  }

  for (const failed of plugins.failed) publish(errorOf(failed));
  for (const plugin of plugins.active) join(plugin);
  for (const each of active) follow(each);
  const hooks = new PluginHooks(() =>
    active.flatMap(({ plugin, contained, session }) =>
      plugin.hooks.map((hook) => ({ hook, contained, session })),
    ),
  );
  const moments = new SessionHooks({ hooks, source, emit: publish });

  return {
    tools: plugins.isPending
      ? [lateToolSource(() => active, joined)]
      : active.flatMap((each) => pluginToolSources(each)),
    around: [
      ...toolHooks(hooks).map((run) => ({ tool: "hooks", run }) as const),
      {
        tool: "hooks",
        run: (call, context, next) =>
          chainTool(
            active.flatMap(({ tool }) => tool),
            next,
          )(call, context),
      },
      {
        request: "context",
        run: (request, context, next) =>
          chainRequest(
            active.flatMap(({ request: middleware }) => middleware),
            next,
          )(request, context),
      },
    ],
    forecast: async (call, context) => [
      ...(await forecastHooks(hooks, call, context)),
      ...middlewareForecasts(active),
    ],
    async onInput(content, turn) {
      await joined(turn.signal);
      return await moments.onInput(content, turn);
    },
    onTurnEnd: (reason, turn) => moments.onTurnEnd(reason, turn),
    onFollowed: () => {
      if (!plugins.isPending) moments.begin();
    },
    onCompact: (moment, context) => moments.onCompact(moment, context),
    ownerOf(namespace) {
      for (const each of active) {
        const commands = each.plugin.namespaces.get(namespace);
        if (commands !== undefined) return namespaceOwner(each, commands);
      }
      return undefined;
    },
    slashCommands: () => active.flatMap(({ plugin }) => slashCommandInfos(plugin)),
    async settle() {
      await moments.end();
      isOver = true;
    },
    async [Symbol.asyncDispose]() {
      watching.dispose();
      // Listeners get the end of the session too, and nothing after it.
      using limit = deadline(world.clock, LISTENERS_END_MS_MAX, new AbortController().signal);
      await whileAlive(Promise.allSettled(listening), limit.signal).catch(() => undefined);
      end.abort(new Cancelled("engine", "the session was ended"));
    },
    notices: () => [
      ...plugins.failed.map(({ error }) => error.message),
      ...plugins.notices,
      ...plugins.active.flatMap(allowances),
    ],
  };
}

/** Says which plugins have middleware around calls: each may refuse one. */
function middlewareForecasts(active: readonly ActiveWithMiddleware[]): readonly CallForecast[] {
  return active
    .filter(({ tool }) => tool.length > 0)
    .map(({ plugin: { name } }) => ({
      kind: "may-refuse",
      why: `the middleware of the plugin ${name} sees each call first`,
    }));
}

function customEvent(namespace: string, kind: string, payload: unknown): Event {
  return { kind: "CustomEvent", payload: { namespace, kind: String(kind), payload } };
}

function errorOf({ error: { reason, message } }: FailedPlugin): Event {
  return { kind: "Error", payload: { reason, message } };
}

/** Names the calls that a plugin allows without asking, so that the user knows. */
function allowances({ name, rules }: RegisteredPlugin): readonly string[] {
  const allowed = rules.flatMap(({ effect, text }) => (effect === "allow" ? [text] : []));
  return allowed.length === 0 ? [] : [`The plugin ${name} allows without asking: ${allowed.join(", ")}.`];
}
