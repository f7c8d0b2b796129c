import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { EngineFeature } from "../../session/feature.ts";
import type { JudgedProject } from "../../session/guard/trust.ts";
import type { EngineHandles } from "../../session/host.ts";
import { givenPlugins } from "./compiled-plugins.ts";
import type { SessionPlugins } from "./load-session-plugins.ts";
import { loadSessionPlugins } from "./load-session-plugins.ts";
import type { PluginHost } from "./plugin-host.ts";

/** The plugins of one engine. Nothing is loaded before the first is needed. */
export interface EnginePlugins extends EngineFeature {
  /** Plugins that are compiled in, then those of the embedder. */
  readonly embedded: readonly unknown[];
  /** Returns the host of all plugins; loads it at the first call. */
  readonly host: () => Promise<PluginHost>;
  /** Loads the acknowledged plugins of a session. Repeated calls with one project return the same result. */
  forSession(project: JudgedProject): Promise<SessionPlugins>;
  /** Opens the transports of plugins that need no session: the embedder's, and those of config.toml. */
  serve(port: EnginePort): Promise<void>;
}

/** Opens the plugins of an engine. Loads none. */
export function openEnginePlugins(engine: EngineHandles): EnginePlugins {
  const { world, paths, models, tools, config } = engine;
  const embedded = givenPlugins(engine.embedded);
  const sessions = new WeakMap<JudgedProject, Promise<SessionPlugins>>();
  let loading: Promise<PluginHost> | undefined;
  let port: EnginePort | undefined;

  async function load(): Promise<PluginHost> {
    const { PluginHost } = await import("./plugin-host.ts");
    const folder = join(paths.data, "plugins");
    const host = new PluginHost({
      world,
      code: await engine.externalCode(),
      folder,
      tools,
      loadGiven: embedded,
      providers: { names: models.providerNames, extend: models.extend },
    });
    if (port !== undefined) await host.serve(port);
    return host;
  }

  const host = () => {
    loading ??= load();
    return loading;
  };

  async function ofSession(project: JudgedProject): Promise<SessionPlugins> {
    const { items } = project.found;
    return await loadSessionPlugins(
      await host(),
      items.filter(({ kind }) => kind === "plugin"),
      (item) => project.isPending(item),
    );
  }

  return {
    embedded,
    host,
    forSession(project) {
      const opening = sessions.get(project) ?? ofSession(project);
      sessions.set(project, opening);
      return opening;
    },
    async serve(opened) {
      port ??= opened;
      if (embedded.length === 0 && config.plugins.length === 0) {
        if (loading !== undefined) await (await loading).serve(port);
        return;
      }
      const plugins = await host();
      await plugins.embedded();
      await loadAcknowledged(plugins, engine);
      await plugins.serve(port);
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}

/** Loads the acknowledged plugins. The first session asks about the others and reports why one cannot be used. */
async function loadAcknowledged(
  host: PluginHost,
  { world, judge, config: { plugins } }: EngineHandles,
): Promise<void> {
  if (plugins.length === 0) return;
  const { readPlugins } = await import("./plugin-files.ts");
  try {
    const items = await readPlugins(world, plugins);
    const { pending } = await judge(items, "/");
    const unseen = new Set(pending.map(({ item }) => item));
    for (const item of items) if (!unseen.has(item)) await host.load(item);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    const { reason, message } = thrown;
    world.log.for("plugin").write("warn", "no plugin is served", { reason, message });
  }
}
