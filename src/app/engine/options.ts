import type { HelperClient } from "../../credentials/helper/client.ts";
import type { StartedHelper } from "../../credentials/helper-on-demand.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Provider } from "../../providers/provider.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { Plugin } from "../../session/plugins/plugin.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { SessionStore } from "../../session/store/store.ts";
import type { FeatureSet } from "../plan/feature-set.ts";

/** Options of one engine, with values that only its caller can give. */
export interface HarnessOptions extends EngineOptions {
  /** Process that holds the keys, if this one must never have them (CRED-03). */
  readonly helper?: HelperClient;
  /** Starts that process when the first key is stored, if there was none at the start. */
  readonly startHelper?: () => Promise<StartedHelper>;
  /** Plugins of the program that embeds this engine. Nobody is asked about them. */
  readonly plugins?: readonly Plugin[];
  /** Features that its sessions may use, with their sections and tools. */
  readonly features: FeatureSet;
  /** Set if a program embeds the engine: it reads no file of the user. */
  readonly embedding?: Embedding;
}

/** Values that a program gives to the engine it embeds, instead of the user's files (LIB-10). */
export interface Embedding {
  /** Replaces `config.toml`. */
  readonly config: Config;
  /** Replaces the files of profiles. Every session has it. */
  readonly profile: Profile;
  /** Replaces the store in the user's data folder. The program disposes it. */
  readonly store: SessionStore;
  /** Providers besides those of the vendors. One of the same name replaces a vendor's. */
  readonly providers: readonly Provider[];
  /** False if the program vouches for all tools: calls are neither judged nor confined. */
  readonly isGated: boolean;
  /** Called with each whole block of the model's answers, before it is redacted. */
  readonly onBlock?: (block: ContentBlock) => void;
}
