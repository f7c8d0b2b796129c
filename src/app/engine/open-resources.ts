import { join } from "node:path";
import { CacheBudget } from "../../base/cache-budget.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { isForPeople } from "../../config/profile-files.ts";
import { redactor } from "../../safety/redact.ts";
import { secretsByForm } from "../../safety/secrets/secret-variables.ts";
import { RunningSessions } from "../../server/hub/running-sessions.ts";
import type { EngineHost } from "../../session/host.ts";
import type { Config } from "../../session/settings/settings.ts";
import { removeOldDumps } from "../models/raw-dump.ts";
import { profilesOf } from "../plan/settings.ts";
import { userConfig } from "../plan/user-config.ts";
import { EngineFeatures } from "../session/open-features.ts";
import { AgentSessions } from "../sessions/agents/agent-sessions.ts";
import { RetentionSweep } from "../sessions/retention/sweep.ts";
import type { SessionsSources } from "../sessions/stored-session-commands.ts";
import { bootStep } from "./boot.ts";
import type { Engine } from "./engine.ts";
import { engineHandles } from "./engine-handles.ts";
import { LiveSessions } from "./live-sessions.ts";
import { openStore, providersOf } from "./open-store.ts";
import type { HarnessOptions } from "./options.ts";

/** Everything that an engine opens before it has sessions or clients. */
export interface EngineResources
  extends AsyncDisposable,
    Pick<Engine, "workingDir" | "host" | "providers" | "features" | "live"> {
  /** `config.toml` as it was at the start. */
  readonly config: Config;
  readonly retention: RetentionSweep;
  readonly running: RunningSessions;
  readonly agents: AgentSessions;
  readonly sessions: SessionsSources;
}

/**
 * Reads the configuration and opens providers, store and features of an engine. A failed step undoes all of it.
 * @throws BootFailure, a HarnessError that names the step.
 */
export async function openResources(options: HarnessOptions, signal: AbortSignal): Promise<EngineResources> {
  const { world, paths, embedding } = options;
  await using undo = new AsyncDisposableStack();
  const [config, workingDir] = await Promise.all([
    bootStep(world.log, "reading the configuration", () => userConfig(options)),
    bootStep(world.log, "looking at the working directory", () =>
      resolveDirectory(world, options.workingDir),
    ),
  ]);
  const caches = new CacheBudget();
  const providers = providersOf(options, config, caches);
  for (const provider of embedding?.providers ?? []) providers.extend(provider.name, () => provider);
  const store =
    embedding?.store ??
    undo.use(
      await bootStep(world.log, "opening the session store", () =>
        openStore(options, providers, { signal, caches }),
      ),
    );
  const running = new RunningSessions(world.ids);
  await removeOldDumps(world, join(paths.state, "debug"));
  const storeSources = { world, paths, config, store, features: options.features };
  const retention = undo.use(new RetentionSweep({ ...storeSources, running: () => running.all }));
  const agents = new AgentSessions({
    world,
    live: () => running.ids,
    peopleIn: (session) => running.peopleIn(session),
    tellPeople: (event) => running.people.send(event),
    keepTelling: (event) => running.people.show(event),
    async parents() {
      const { parentDecisions } = await import("../sessions/agents/parent-decisions.ts");
      return parentDecisions(world, paths.config);
    },
    ...defined({ tellDesktop: options.tellDesktop }),
  });
  const secrets = async () =>
    redactor(await providers.credentials.prints(), secretsByForm(options.wishes.environment));
  const host: EngineHost = { ...engineHandles(options, config, providers), store, caches };
  const features = undo.use(new EngineFeatures(host, options.features));
  const opened = undo.move();
  return {
    ...{ config, workingDir, host, providers, features, retention, running, agents },
    live: new LiveSessions(async () => {
      const profiles = await profilesOf({ world, paths });
      return profiles.filter(isForPeople).map(({ name }) => name);
    }),
    sessions: { ...storeSources, secrets, agents, signal },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function resolveDirectory(world: World, path: string): Promise<string> {
  const info = await world.files.stat(path);
  if (info?.kind !== "directory")
    throw new HarnessError("PathMissing", { what: "The working directory", path });
  return await world.files.realpath(path);
}
