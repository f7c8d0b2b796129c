import type { CacheBudget } from "../base/cache-budget.ts";
import type { SessionId } from "../base/ids.ts";
import type { PrepareSwitch } from "../control/multiplex/profile-switch.ts";
import type { Config } from "../profile/config.ts";
import type { SessionStore, SessionWriter } from "../session/store.ts";
import type { HarnessOptions } from "./options.ts";
import type { EngineServers } from "./mcp-pool.ts";
import type { PluginHost } from "./plugin-host.ts";
import type { Providers } from "./providers.ts";
import type { ResumedLog } from "./resume.ts";
import type { RetentionSweep } from "./retention.ts";
import type { OfferedBySessions } from "./session-offers.ts";

/** What every session of one engine starts from. */
export interface RunDefaults extends HarnessOptions {
  readonly config: Config;
  /** What all caches of the engine share (SES-12). */
  readonly caches: CacheBudget;
  readonly providers: Providers;
  readonly store: SessionStore;
  /** Lets go of old content in the background of the first request. */
  readonly retention: Pick<RetentionSweep, "middleware">;
  /** What the live sessions have to show. */
  /** The MCP servers that the sessions share. */
  readonly servers: EngineServers;
  readonly offered: OfferedBySessions;
  /** How each of them goes on under another profile. */
  readonly switches: Map<SessionId, PrepareSwitch>;
  /** The plugins of this engine, loaded with the first call. */
  readonly pluginHost: () => Promise<PluginHost>;
  /** Told of each call that waits for a person's permission. */
  readonly onAsked?: (session: SessionId, tool: string) => void;
}

/** A log whose lease this process holds, and what it held before. */
export interface OpenedLog {
  readonly writer: SessionWriter;
  /** Whether it was there before this run. */
  readonly isOld: boolean;
  readonly resumed: ResumedLog;
}
