import { join } from "node:path";
import { CacheBudget } from "../../base/cache-budget.ts";
import { defined } from "../../base/defined.ts";
import type { Config } from "../../session/settings/settings.ts";
import { openSqliteStore } from "../../session/sqlite/open.ts";
import type { SessionStore } from "../../session/store/store.ts";
import { UPGRADING } from "../../view/notes/engine-text.ts";
import type { Providers } from "../models/providers.ts";
import { openProviders } from "../models/providers.ts";
import { userConfig } from "../plan/user-config.ts";
import type { HarnessOptions } from "./options.ts";

/** Opens the providers and keys of one engine, by its options and the configuration. No key is read yet. */
export function providersOf(
  options: HarnessOptions,
  config: Config,
  caches: CacheBudget = new CacheBudget(),
): Providers {
  const { world, wishes, paths, paced = false, rawDump, helper, startHelper } = options;
  const { insecureDevKey = false } = options;
  const cacheDirectory = join(paths.data, "catalogues");
  return openProviders({
    world,
    config,
    caches,
    environment: wishes.environment,
    paced,
    cacheDirectory,
    configDirectory: options.keyDirectory ?? paths.config,
    insecureDevKey,
    ...defined({ helper, startHelper, rawDump }),
  });
}

/** Reads `config.toml`, and opens the providers and keys of a command that starts no engine. */
export async function configuredProviders(
  options: HarnessOptions,
): Promise<{ readonly config: Config; readonly providers: Providers }> {
  const config = await userConfig(options);
  return { config, providers: providersOf(options, config) };
}

/** Opens the store of all sessions of this user. The signal ends the wait for another process that has it locked. */
export async function openStore(
  { world, paths, onUpgrade }: HarnessOptions,
  { credentials }: Providers,
  { signal, caches }: { readonly signal: AbortSignal; readonly caches?: CacheBudget },
): Promise<SessionStore> {
  const key = await credentials.logKey();
  return await openSqliteStore({
    world,
    signal,
    logKey: { key, source: credentials.state().machineKey ?? "this installation" },
    path: join(paths.data, "sessions.db"),
    ...defined({ caches }),
    onUpgrade(from, to) {
      world.log.for("session").write("info", UPGRADING.text, { from, to });
      onUpgrade?.();
    },
  });
}
