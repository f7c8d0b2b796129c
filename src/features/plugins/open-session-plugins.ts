import { chainRequest } from "../../providers/middleware.ts";
import type { CallForecast, OpenFeature } from "../../session/feature.ts";
import { SessionHooks } from "../../session/hooks/session-hooks.ts";
import { forecastHooks, toolHooks } from "../../session/hooks/tool-hooks.ts";
import { chainTool } from "../../tools/middleware.ts";
import type { ActiveWithMiddleware, PluginSessionHost } from "./joined-plugins.ts";
import { JoinedPlugins } from "./joined-plugins.ts";
import type { SessionPlugins } from "./load-session-plugins.ts";
import { namespaceOwner, slashCommandInfos } from "./plugin-commands.ts";
import { lateToolSource, pluginToolSources } from "./plugin-tools.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";
import { PluginHooks } from "./runtime/hooks.ts";

/** The open plugins of one session. */
export type OpenPlugins = OpenFeature &
  Required<
    Pick<OpenFeature, "tools" | "around" | "onInput" | "onTurnEnd" | "onFollowed" | "onCompact" | "settle">
  > &
  AsyncDisposable;

/**
 * Opens the plugins of a session, each part at the position that `PluginHarness` documents. A plugin that a person
 * still has to acknowledge joins before the first input, once they have.
 */
export function openSessionPlugins(host: PluginSessionHost, plugins: SessionPlugins): OpenPlugins {
  const joined = new JoinedPlugins(host, plugins);
  const { active } = joined;
  const hooks = new PluginHooks(() =>
    active.flatMap(({ plugin, contained, session }) =>
      plugin.hooks.map((hook) => ({ hook, contained, session })),
    ),
  );
  const moments = new SessionHooks({ hooks, source: host.source, emit: (event) => joined.publish(event) });

  return {
    tools: plugins.isPending
      ? [
          lateToolSource(
            () => active,
            (signal) => joined.settled(signal),
          ),
        ]
      : active.flatMap((each) => pluginToolSources(each)),
    around: [
      ...toolHooks(hooks).map((run) => ({ tool: "hooks", run }) as const),
      ...pluginMiddleware(active),
    ],
    forecast: async (call, context) => [
      ...(await forecastHooks(hooks, call, context)),
      ...middlewareForecasts(active),
    ],
    async onInput(content, turn) {
      await joined.settled(turn.signal);
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
      joined.mute();
    },
    [Symbol.asyncDispose]: () => joined[Symbol.asyncDispose](),
    notices: () => [
      ...plugins.failed.map(({ error }) => error.message),
      ...plugins.notices,
      ...plugins.active.flatMap(allowances),
    ],
  };
}

/** Returns the middleware of all plugins, read at each call: a plugin may join late. */
function pluginMiddleware(active: readonly ActiveWithMiddleware[]): NonNullable<OpenFeature["around"]> {
  return [
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
  ];
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

/** Names the calls that a plugin allows without asking, so that the user knows. */
function allowances({ name, rules }: RegisteredPlugin): readonly string[] {
  const allowed = rules.flatMap(({ effect, text }) => (effect === "allow" ? [text] : []));
  return allowed.length === 0 ? [] : [`The plugin ${name} allows without asking: ${allowed.join(", ")}.`];
}
