import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { Cancelled } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { chainRequest } from "../../providers/middleware.ts";
import type { OpenFeature } from "../../session/feature.ts";
import { SessionHooks } from "../../session/hooks/session-hooks.ts";
import { toolHooks } from "../../session/hooks/tool-hooks.ts";
import type { SessionHost } from "../../session/host.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import { chainTool } from "../../tools/middleware.ts";
import type { ActivePlugin } from "./plugin-commands.ts";
import { commandInfos, commandOwner } from "./plugin-commands.ts";
import { lateTools, toolSources } from "./plugin-tools.ts";
import { PluginError } from "./registration/raised.ts";
import type { Registered } from "./registration/registered.ts";
import { Contained } from "./runtime/containment.ts";
import { PluginHooks } from "./runtime/hooks.ts";
import { listen } from "./runtime/listeners.ts";
import { pluginRequestMiddleware } from "./runtime/request-middleware.ts";
import type { PluginSession } from "./runtime/session.ts";
import { pluginToolMiddleware } from "./runtime/tool-middleware.ts";
import type { FailedPlugin, SessionPlugins } from "./session-plugins.ts";

/** How long the end of a session waits for listeners that are behind. */
const LISTENERS_END_MS_MAX = 5_000;

/** Handles of a session that its plugins use. */
export interface PluginSurface extends Pick<SessionHost, "world" | "session" | "publish" | "follow"> {
  readonly source: "new" | "resume";
  /** Makes the next plan with the rules of all plugins, also those that joined late. */
  extendRules(plugins: readonly Registered[]): void;
}

/** Plugins of one session, open. */
export type OpenPlugins = OpenFeature &
  Required<
    Pick<OpenFeature, "tools" | "around" | "onInput" | "onTurnEnd" | "onFollowed" | "onCompact" | "settle">
  > &
  AsyncDisposable;

/** One plugin in this session, with its middleware. */
interface Active extends ActivePlugin {
  readonly tool: readonly ToolMiddleware[];
  readonly request: readonly RequestMiddleware[];
}

/**
 * Opens the plugins of a session, each thing at the place that it has in `PluginHarness`. A plugin that a person still has to
 * look at joins before the first input, once they have.
 */
export function openSessionPlugins(surface: PluginSurface, plugins: SessionPlugins): OpenPlugins {
  const { world, session: id, source } = surface;
  const end = new AbortController();
  const listening: Promise<void>[] = [];
  const watching = new DisposableStack();
  const active: Active[] = [];
  let joining: Promise<void> | undefined;
  let isOver = false;

  const tell = (event: Event) => {
    if (!isOver) surface.publish(event); // after the end nobody is subscribed
  };

  function join(plugin: Registered): void {
    const contained = new Contained(plugin.health, world.clock, tell);
    watching.use(plugin.health.onCrash(() => contained.tellIfOff()));
    const session: PluginSession = {
      session: id,
      emit: (kind, payload) => tell(customEvent(plugin.name, kind, payload)),
      raise: (code, message, details) => tell(new PluginError(plugin.name, code, { message, details }).event),
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

  function follow({ plugin, contained, session }: Active): void {
    for (const listener of plugin.listeners) {
      const events = surface.follow(end.signal);
      const heard = listen(events, listener, { contained, session, signal: end.signal });
      heard.catch(() => undefined); // a log that broke is told by whoever writes it
      listening.push(heard);
    }
  }

  async function late(): Promise<void> {
    const { active: more, failed } = await plugins.late(end.signal);
    for (const each of failed) tell(errorOf(each));
    for (const plugin of more) {
      join(plugin);
      const newest = active.at(-1);
      if (newest !== undefined) follow(newest);
    }
    surface.extendRules(active.map(({ plugin }) => plugin));
  }

  /** Waits for what a person is being asked about. */
  async function joined(signal: AbortSignal): Promise<void> {
    if (!plugins.isPending) return;
    joining ??= late();
    await whileAlive(joining, signal);
  }

  for (const failed of plugins.failed) tell(errorOf(failed));
  for (const plugin of plugins.active) join(plugin);
  for (const each of active) follow(each);
  const hooks = new PluginHooks(() =>
    active.flatMap(({ plugin, contained, session }) =>
      plugin.hooks.map((hook) => ({ hook, contained, session })),
    ),
  );
  const moments = new SessionHooks({ hooks, source, emit: tell });

  return {
    tools: plugins.isPending
      ? [lateTools(() => active, joined)]
      : active.flatMap((each) => toolSources(each)),
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
            active.flatMap(({ request: own }) => own),
            next,
          )(request, context),
      },
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
        if (commands !== undefined) return commandOwner(each, commands);
      }
      return undefined;
    },
    slashCommands: () => active.flatMap(({ plugin }) => commandInfos(plugin)),
    async settle() {
      await moments.end();
      isOver = true;
    },
    async [Symbol.asyncDispose]() {
      watching.dispose();
      // They are told the end of the session too, and then of nothing more.
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

function customEvent(namespace: string, kind: string, payload: unknown): Event {
  return { kind: "CustomEvent", payload: { namespace, kind: String(kind), payload } };
}

function errorOf({ error: { reason, message } }: FailedPlugin): Event {
  return { kind: "Error", payload: { reason, message } };
}

/** What a plugin lets happen unasked is no secret. */
function allowances({ name, rules }: Registered): readonly string[] {
  const allowed = rules.flatMap(({ effect, text }) => (effect === "allow" ? [text] : []));
  return allowed.length === 0 ? [] : [`The plugin ${name} allows without asking: ${allowed.join(", ")}.`];
}
