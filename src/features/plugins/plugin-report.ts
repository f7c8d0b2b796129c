import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { ReadSettings } from "../../session/commands/cli-command.ts";
import type { EngineHandles } from "../../session/host.ts";
import type { EngineOptions } from "../../session/options.ts";
import { pluginPaths, readPlugins } from "./plugin-files.ts";
import { PluginHost } from "./plugin-host.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";

/** One plugin that the user's own files name, described without running it. */
export interface PluginRow {
  readonly path: string;
  /** `new`, `changed`: a person must acknowledge it before it runs. `unusable`: it cannot be loaded; see `problem`. */
  readonly state: "acknowledged" | "new" | "changed" | "unusable";
  readonly problem?: string;
}

/** The parts that a plugin adds. */
export interface PluginReport {
  readonly name: string;
  readonly adds: readonly string[];
}

/** Returns the plugins of config.toml and of the profile. Runs none of them. */
export async function listPlugins(
  { world, paths, workingDir }: Pick<EngineOptions, "world" | "paths" | "workingDir">,
  { config, profile, judge }: Pick<ReadSettings, "config" | "profile" | "judge">,
): Promise<readonly PluginRow[]> {
  return await Promise.all(
    pluginPaths({ config, profile, paths }).map(async (path): Promise<PluginRow> => {
      try {
        const { pending } = await judge(await readPlugins(world, [path]), workingDir);
        const [found] = pending;
        return { path, state: found === undefined ? "acknowledged" : found.verdict.kind };
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        return { path, state: "unusable", problem: thrown.message };
      }
    }),
  );
}

/**
 * Loads and registers one plugin as an engine would, which runs it: for its author. Nothing of it stays.
 * @throws HarnessError PluginInvalid, PluginConflict, PluginFailed, PluginCrashed.
 */
export async function checkPlugin(
  { world, paths, tools, models, externalCode }: EngineHandles,
  path: string,
): Promise<PluginReport> {
  const providers = { names: models.providerNames, extend: () => undefined };
  const folder = join(paths.data, "plugins");
  const code = await externalCode();
  await using host = new PluginHost({ world, code, folder, tools, loadGiven: [], providers });
  for (const item of await readPlugins(world, [path])) {
    const opened = await host.load(item);
    if (opened.kind === "failed") throw opened.error;
    if (opened.plugin.health.off !== undefined) throw opened.plugin.health.off;
    return { name: opened.plugin.name, adds: addsOf(opened.plugin) };
  }
  throw new HarnessError("PluginInvalid", { from: path, problem: "there is nothing at this path" });
}

function addsOf(plugin: RegisteredPlugin): readonly string[] {
  const { tools, sources, toolMiddleware, requestMiddleware, listeners, hooks, namespaces } = plugin;
  const some = (count: number, what: string) => (count === 0 ? [] : [`${what}: ${count}`]);
  return [
    ...tools.map(({ name }) => `tool ${name}`),
    ...some(sources.length, "sources of tools"),
    ...some(toolMiddleware.length, "middleware around calls"),
    ...some(requestMiddleware.length, "middleware around requests"),
    ...some(listeners.length, "listeners"),
    ...hooks.map(({ event }) => `hook at ${event}`),
    ...[...namespaces].flatMap(([namespace, commands]) =>
      commands.map(({ name }) => `command /${namespace}:${name}`),
    ),
    ...plugin.rules.map(({ effect, text }) => `rule ${effect} ${text}`),
    ...[...plugin.providers.keys()].map((name) => `provider ${name}`),
    ...plugin.transports.map(({ name }) => `transport ${name}`),
  ];
}
