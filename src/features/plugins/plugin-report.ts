import { join } from "node:path";
import { providersOf } from "../../app/engine/open-store.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import type { Profile } from "../../config/profile.ts";
import { judgeItems } from "../../guard/trust/trust-gate.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { namedPlugins, readPlugins } from "./plugin-files.ts";
import { PluginHost } from "./plugin-host.ts";
import type { Registered } from "./registration/registered.ts";

/** One plugin that the user's own files name, as far as it can be told without running it. */
export interface PluginRow {
  readonly path: string;
  /** "new", "changed": a person has to look at it before it is run. "unusable": it cannot be had, and why. */
  readonly state: "acknowledged" | "new" | "changed" | "unusable";
  readonly problem?: string;
}

/** What a plugin adds, in words. */
export interface PluginReport {
  readonly name: string;
  readonly adds: readonly string[];
}

/** What of an engine's options is looked at. */
export type ReportOptions = Pick<EngineOptions, "world" | "paths" | "workingDir" | "profile" | "environment">;

/** The plugins of config.toml and of the profile. None of them is run. */
export async function listPlugins(
  options: ReportOptions,
  { config, profile }: { readonly config: Config; readonly profile: Profile },
): Promise<readonly PluginRow[]> {
  const { paths } = options;
  return await Promise.all(namedPlugins({ config, profile, paths }).map((path) => rowOf(options, path)));
}

async function rowOf(options: ReportOptions, path: string): Promise<PluginRow> {
  try {
    const items = await readPlugins(options.world, [path]);
    const { pending } = await judgeItems(options, items, { root: "/", promoteProse: false });
    const [found] = pending;
    return { path, state: found === undefined ? "acknowledged" : found.verdict.kind };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { path, state: "unusable", problem: thrown.message };
  }
}

/**
 * Loads and registers one plugin as an engine would, which runs it: for whoever writes it. Nothing of it stays.
 * @throws HarnessError PluginInvalid, PluginConflict, PluginFailed, PluginCrashed.
 */
export async function checkPlugin(
  options: ReportOptions,
  path: string,
  { config, tools }: { readonly config: Config; readonly tools: ToolTable },
): Promise<PluginReport> {
  const { world, paths } = options;
  const { registry } = providersOf({ ...options, ...UNUSED }, config);
  const providers = { names: () => registry.names(), extend: () => undefined };
  const folder = join(paths.data, "plugins");
  await using host = new PluginHost({ world, folder, tools, given: [], providers });
  for (const item of await readPlugins(world, [path])) {
    const opened = await host.load(item);
    if (opened.kind === "failed") throw opened.error;
    if (opened.plugin.health.off !== undefined) throw opened.plugin.health.off;
    return { name: opened.plugin.name, adds: addsOf(opened.plugin) };
  }
  throw new HarnessError("PluginInvalid", { from: path, problem: "there is nothing at this path" });
}

/** What decides nothing here. */
const UNUSED = { autoApprove: false, strictPermissions: false, attended: false } as const;

function addsOf(plugin: Registered): readonly string[] {
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
