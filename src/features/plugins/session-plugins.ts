import type { HarnessError } from "../../base/errors.ts";
import { hasReason } from "../../base/errors.ts";
import type { SessionTrust, TrustItem } from "../../session/guard/trust.ts";
import type { PluginHost } from "./plugin-host.ts";
import type { Registered } from "./registration/registered.ts";

/** A plugin that was to be had and is not, and why. */
export interface FailedPlugin {
  readonly error: HarnessError;
}

/** The plugins of one session: those that it has from its start, and those that a person still has to look at. */
export interface SessionPlugins {
  readonly host: PluginHost;
  readonly active: readonly Registered[];
  /** Told with the first event that can be. */
  readonly failed: readonly FailedPlugin[];
  readonly notices: readonly string[];
  /** Whether some have not been acknowledged. */
  readonly isPending: boolean;
  /** Loads what was acknowledged since. A plugin that cannot be had is told in `failed` of what is returned. */
  late(signal: AbortSignal): Promise<LatePlugins>;
}

export interface LatePlugins {
  readonly active: readonly Registered[];
  readonly failed: readonly FailedPlugin[];
}

/**
 * Opens the plugins of a session as far as they are acknowledged.
 * @throws HarnessError PluginInvalid, PluginConflict: the session does not begin without what its user wants.
 */
export async function loadSessionPlugins(
  host: PluginHost,
  items: readonly TrustItem[],
  trust: Pick<SessionTrust, "isPending" | "loaded">,
): Promise<SessionPlugins> {
  const given = await host.given();
  const pending = items.filter((item) => trust.isPending(item));
  const acknowledged = items.filter((item) => !pending.includes(item));
  const opened = [...given];
  for (const item of acknowledged) opened.push(await host.load(item));
  return {
    host,
    active: opened.flatMap((each) => (each.kind === "registered" ? [each.plugin] : [])),
    failed: opened.flatMap((each) => (each.kind === "failed" ? [each] : [])),
    notices: opened.flatMap((each) => (each.kind === "registered" ? (each.notice ?? []) : [])),
    isPending: pending.length > 0,
    async late(signal) {
      const { items: acknowledgedNow } = await trust.loaded(signal);
      const active: Registered[] = [];
      const failed: FailedPlugin[] = [];
      for (const item of pending.filter((each) => acknowledgedNow.includes(each))) {
        try {
          const late = await host.load(item);
          if (late.kind === "registered") active.push(late.plugin);
          else failed.push(late);
        } catch (thrown) {
          // The session runs already: it goes on without what cannot be had.
          if (!hasReason(thrown, "PluginInvalid") && !hasReason(thrown, "PluginConflict")) throw thrown;
          failed.push({ error: thrown });
        }
      }
      return { active, failed };
    },
  };
}
