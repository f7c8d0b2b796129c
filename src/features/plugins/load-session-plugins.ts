import type { HarnessError } from "../../base/errors.ts";
import { hasReason } from "../../base/errors.ts";
import type { AcknowledgedFiles, TrustItem } from "../../session/guard/trust.ts";
import type { PluginHost } from "./plugin-host.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";

/** A plugin that should have been loaded, and why it was not. */
export interface FailedPlugin {
  readonly error: HarnessError;
}

/** The plugins of one session: those loaded at its start, and those that a person still has to acknowledge. */
export interface SessionPlugins {
  readonly host: PluginHost;
  readonly active: readonly RegisteredPlugin[];
  /** Reported with the first event. */
  readonly failed: readonly FailedPlugin[];
  readonly notices: readonly string[];
  /** True if some have not been acknowledged. */
  readonly isPending: boolean;
  /** Loads the plugins acknowledged since. Those that cannot be used are in the result's `failed`. */
  loadLate(acknowledged: Pick<AcknowledgedFiles, "items">): Promise<LatePlugins>;
}

export interface LatePlugins {
  readonly active: readonly RegisteredPlugin[];
  readonly failed: readonly FailedPlugin[];
}

/**
 * Loads the acknowledged plugins of a session.
 * @throws HarnessError PluginInvalid, PluginConflict: the session does not start without a plugin that its user wants.
 */
export async function loadSessionPlugins(
  host: PluginHost,
  items: readonly TrustItem[],
  isPending: (item: TrustItem) => boolean,
): Promise<SessionPlugins> {
  const embedded = await host.embedded();
  const pending = items.filter(isPending);
  const acknowledged = items.filter((item) => !pending.includes(item));
  const opened = [...embedded];
  for (const item of acknowledged) opened.push(await host.load(item));
  return {
    host,
    active: opened.flatMap((each) => (each.kind === "registered" ? [each.plugin] : [])),
    failed: opened.flatMap((each) => (each.kind === "failed" ? [each] : [])),
    notices: opened.flatMap((each) => (each.kind === "registered" ? (each.notice ?? []) : [])),
    isPending: pending.length > 0,
    async loadLate({ items: acknowledgedNow }) {
      const active: RegisteredPlugin[] = [];
      const failed: FailedPlugin[] = [];
      for (const item of pending.filter((each) => acknowledgedNow.includes(each))) {
        try {
          const late = await host.load(item);
          if (late.kind === "registered") active.push(late.plugin);
          else failed.push(late);
        } catch (thrown) {
          // The session is already running, so it continues without a plugin that cannot be used.
          if (!hasReason(thrown, "PluginInvalid") && !hasReason(thrown, "PluginConflict")) throw thrown;
          failed.push({ error: thrown });
        }
      }
      return { active, failed };
    },
  };
}
