import type { HelperClient } from "../../credentials/helper/client.ts";
import type { Plugin } from "../../features/plugins/registration/plugin.ts";
import type { EngineOptions } from "../../session/options.ts";

/** Options of one engine, with what only whoever starts it can give. */
export interface HarnessOptions extends EngineOptions {
  /** Process that holds the keys, if this one must never see them (CRED-03). */
  readonly helper?: HelperClient;
  /** Plugins of whoever embeds this engine. Nobody is asked about them. */
  readonly plugins?: readonly Plugin[];
}
