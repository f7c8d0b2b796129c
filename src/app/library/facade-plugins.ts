import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import { PluginHost } from "../../features/plugins/plugin-host.ts";
import type { OpenPlugins, PluginSurface } from "../../features/plugins/plugins.ts";
import { openSessionPlugins } from "../../features/plugins/plugins.ts";
import type { Plugin } from "../../features/plugins/registration/plugin.ts";
import type { Registered } from "../../features/plugins/registration/registered.ts";
import { loadSessionPlugins } from "../../features/plugins/session-plugins.ts";
import { TOOLS } from "../plan/tool-list.ts";

/** The plugins of a `Harness`, in its one session. */
export interface FacadePlugins {
  readonly host: AsyncDisposable;
  /** Opens them in the session. */
  open(surface: Pick<PluginSurface, "publish" | "follow">): OpenPlugins;
}

/**
 * Opens the plugins that an embedder has given. A `Harness` has one model, no wire, no clients who could send commands,
 * and no permission gate: a plugin that needs one of these to do what it promises is refused.
 * @throws HarnessError PluginInvalid, PluginConflict, PluginFailed, UsageInvalid.
 */
export async function openFacadePlugins(
  world: World,
  given: readonly Plugin[],
  session: SessionId,
): Promise<FacadePlugins> {
  await using undo = new AsyncDisposableStack();
  const providers = { names: () => ["anthropic"], extend: () => undefined };
  const host = undo.use(new PluginHost({ world, folder: "", tools: TOOLS, given, providers }));
  const plugins = await loadSessionPlugins(host, [], NO_TRUST);
  const [failed] = plugins.failed;
  if (failed !== undefined) throw failed.error; // whoever gave it is the one to tell
  for (const plugin of plugins.active) refuseUnfit(plugin);
  const opened = undo.move();
  const own = { world, session, source: "new", extendRules: () => undefined } as const;
  return {
    host: { [Symbol.asyncDispose]: () => opened.disposeAsync() },
    open: (surface) => openSessionPlugins({ ...own, ...surface }, plugins),
  };
}

/** Nothing is read from a disk, so nothing is copied, and there is nothing to acknowledge. */
const NO_TRUST = {
  isPending: () => false,
  loaded: () => Promise.reject(new HarnessError("InternalError", { what: "a Harness has no project" })),
};

function refuseUnfit({ name, providers, transports, rules }: Registered): void {
  const needs = [
    ...(providers.size > 0 ? ["a provider, and a Harness has one model"] : []),
    ...(transports.length > 0 ? ["a transport, and a Harness has no wires"] : []),
    ...(rules.length > 0 ? ["permission rules, and in a Harness nothing is asked"] : []),
  ];
  const [first] = needs;
  if (first !== undefined)
    throw new HarnessError("UsageInvalid", { problem: `the plugin ${name} registers ${first}` });
}
