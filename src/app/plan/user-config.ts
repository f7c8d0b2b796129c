import { join } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import { loadConfig } from "../../config/config.ts";
import type { Config } from "../../session/settings/settings.ts";
import type { Embedding } from "../engine/options.ts";
import type { FeatureSet } from "./feature-set.ts";

/** Files and paths of the user, and the values of an embedding program. */
export interface ConfigOptions {
  readonly world: Pick<World, "files">;
  readonly paths: Pick<HarnessPaths, "config">;
  /** Set if a program embeds the engine: its values replace the files. */
  readonly embedding?: Pick<Embedding, "config">;
  /** Features whose sections the files may have. */
  readonly features: FeatureSet;
}

/**
 * Reads the user's `config.toml`; an embedded engine has values instead. Everything that needs it calls this function
 * or takes its result.
 * @throws HarnessError ConfigInvalid with file, line and key.
 */
export async function userConfig({
  world,
  paths,
  embedding,
  features: { sections },
}: ConfigOptions): Promise<Config> {
  return embedding?.config ?? (await loadConfig(world, join(paths.config, "config.toml"), sections));
}
