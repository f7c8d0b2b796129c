import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { DeadlineReached, HarnessError, messageOf } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { World } from "../../../base/world.ts";
import type { Plugin } from "../../../session/plugins/plugin.ts";
import type { ToolTable } from "../../../tools/tool-facts.ts";
import { PluginHealth } from "../runtime/containment.ts";
import type { Registrations } from "./collect-registrations.ts";
import { collectRegistrations } from "./collect-registrations.ts";
import type { RegisteredPlugin } from "./registered-plugin.ts";
import { PLUGIN_API_VERSION } from "./registered-plugin.ts";

/** The longest time for a plugin to register. It only declares what it adds and starts nothing yet. */
export const REGISTER_MS_MAX = 10_000;
export const PLUGIN_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** The dependencies of a registration. */
export interface RegisterDependencies {
  readonly world: Pick<World, "clock" | "log">;
  /** The origin of the plugin, for messages. */
  readonly from: string;
  /** Aborts when the engine ends. */
  readonly signal: AbortSignal;
  /** The tools of cinch itself. */
  readonly tools: ToolTable;
}

/**
 * Returns the plugin that a module exports, as `plugin` or as its default.
 * @throws HarnessError PluginInvalid.
 */
export function exportedPlugin(module: unknown, from: string): Plugin {
  return assertPlugin(isObject(module) ? (module["plugin"] ?? module["default"]) : undefined, from);
}

/** @throws HarnessError PluginInvalid for a value that is no plugin, or was written for a newer cinch. */
export function assertPlugin(found: unknown, from: string): Plugin {
  const invalid = (problem: string) => new HarnessError("PluginInvalid", { from, problem });
  if (!isObject(found))
    throw invalid("it exports no plugin: export const plugin = { name, apiVersion, register }");
  const { name, apiVersion } = found;
  if (typeof name !== "string" || !PLUGIN_NAME.test(name))
    throw invalid("its name is not 1 to 32 small letters, digits and hyphens with a letter first");
  if (typeof apiVersion !== "number" || !Number.isSafeInteger(apiVersion) || apiVersion < 1)
    throw invalid(`its apiVersion is not a number; this cinch has ${PLUGIN_API_VERSION}`);
  if (apiVersion > PLUGIN_API_VERSION) {
    throw invalid(
      `it was written for plugin API ${apiVersion}, and this cinch has ${PLUGIN_API_VERSION}: upgrade cinch, or take an older version of the plugin`,
    );
  }
  if (!isPlugin(found)) throw invalid("it has no function register");
  return found;
}

function isPlugin(found: object): found is Plugin {
  return "register" in found && typeof found.register === "function";
}

/**
 * Calls a plugin's `register` once and collects the registrations.
 * @throws HarnessError PluginInvalid for an invalid registration; PluginFailed if the plugin throws or does not
 * finish; the signal's reason.
 */
export async function registerPlugin(
  plugin: Plugin,
  dependencies: RegisterDependencies,
): Promise<RegisteredPlugin> {
  const { world, from, signal } = dependencies;
  const { name } = plugin;
  const collected = await collectedFrom(plugin, dependencies);
  return { name, from, health: new PluginHealth(name, world.log), ...collected, signal };
}

async function collectedFrom(
  plugin: Plugin,
  { world, from, signal, tools }: RegisterDependencies,
): Promise<Registrations> {
  const { name } = plugin;
  const log = world.log.for(`plugin.${name}`);
  const { harness, close } = collectRegistrations({ from, signal, log, tools });
  using limit = deadline(world.clock, REGISTER_MS_MAX, signal);
  try {
    const running = (async () => await plugin.register(harness))();
    await whileAlive(running, limit.signal);
    return close();
  } catch (thrown) {
    close();
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof HarnessError && thrown.reason === "PluginInvalid") throw thrown;
    const what = messageOf(limit.reached ? new DeadlineReached(REGISTER_MS_MAX) : thrown);
    throw new HarnessError("PluginFailed", { plugin: name, where: "register", what }, { cause: thrown });
  }
}
