import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import type { Redactor } from "../../safety/redact.ts";
import { redactor } from "../../safety/redact.ts";
import { secretsByForm } from "../../safety/secrets/secret-variables.ts";
import type { Config } from "../../session/settings/settings.ts";
import type { Holder, SessionStore } from "../../session/store/store.ts";
import { configuredProviders, openStore } from "../engine/open-store.ts";
import type { HarnessOptions } from "../engine/options.ts";
import type { FeatureSet } from "../plan/feature-set.ts";

/** The stored sessions of this user, without an engine: nothing can run here. Disposing it closes the store. */
export interface OpenSessions extends AsyncDisposable {
  readonly world: World;
  readonly store: SessionStore;
  readonly paths: HarnessPaths;
  readonly config: Config;
  readonly features: FeatureSet;
  /** Directory in which `last` is searched. */
  readonly workingDir: string;
  /** This process, as it writes logs. */
  readonly holder: Holder;
  /** Redacts the secrets that are known now. */
  readonly secrets: Redactor;
}

/**
 * Opens the stored sessions to read and manage them: no model, no tool, no network (SES-09).
 *
 * Another process may hold any of them meanwhile; a read-only store can be read.
 * @throws HarnessError as the start of a session does if the configuration or the store cannot be read.
 */
export async function openSessions(options: HarnessOptions, signal: AbortSignal): Promise<OpenSessions> {
  const { world, paths } = options;
  const { config, providers } = await configuredProviders(options);
  const secrets = redactor(await providers.credentials.prints(), secretsByForm(options.wishes.environment));
  const store = await openStore(options, providers, { signal });
  const { pid, processStart } = world.machine;
  return {
    world,
    store,
    paths,
    config,
    features: options.features,
    workingDir: options.workingDir,
    holder: { pid, processStart },
    secrets,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
