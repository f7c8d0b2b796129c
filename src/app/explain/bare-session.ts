import { CacheBudget } from "../../base/cache-budget.ts";
import { HarnessError } from "../../base/errors.ts";
import type { AcknowledgedFiles } from "../../session/guard/trust.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { SessionPlan } from "../../session/plan.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import { engineHandles } from "../engine/engine-handles.ts";
import { providersOf } from "../engine/open-store.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { preferredModels, scriptedModel } from "../models/preferred-models.ts";
import type { Providers } from "../models/providers.ts";
import { sessionHere } from "../plan/plan-here.ts";
import { composeHost } from "../session/compose-host.ts";
import type { OpenFeatures } from "../session/open-features.ts";
import { EngineFeatures } from "../session/open-features.ts";
import { rulesOfFeatures } from "../session/rules-of-features.ts";
import { openWorkspace } from "../session/workspace/run-workspace.ts";
import { withAddedFolders } from "../session/workspace/with-added-folders.ts";

/** A session that is planned and has its tools, without model, stored log and followers. It does not run. */
export interface BareSession extends AsyncDisposable {
  readonly config: Config;
  readonly plan: SessionPlan;
  readonly host: SessionHost;
  /** Acknowledged files of the project. */
  readonly project: AcknowledgedFiles;
  readonly registry: ToolRegistry;
  readonly features: Pick<OpenFeatures, "forecast">;
  /** Sentences for the person. */
  readonly notices: readonly string[];
}

/**
 * Opens a session as far as its host, by the function that composes one that runs. Features that start programs stay
 * closed, files that nobody acknowledged are left out, and nothing is written.
 * @throws HarnessError as the start of a session does: ConfigInvalid, ProfileMissing, PathMissing.
 */
export async function openBareSession(options: HarnessOptions, signal: AbortSignal): Promise<BareSession> {
  const { world, paths, features: set } = options;
  const here = await sessionHere(options, signal);
  const { config, profile, reference, root, files, project } = here;
  const wishes = await withAddedFolders(options.wishes, { world, paths, root });
  await using undo = new AsyncDisposableStack();
  const providers = providersOf(options, config);
  const store = undo.use(memorySessionStore(world.machine));
  const host: EngineHost = {
    ...engineHandles(options, config, providers),
    ...{ judge: here.judge, store, caches: new CacheBudget() },
  };
  const features = undo.use(new EngineFeatures(host, set));
  const pluginRules = await rulesOfFeatures(Promise.resolve({ files }), { host, features });
  const logId = world.ids.next("log");
  const session = world.ids.next("sess");
  // No output of a tool is shown, so no key has to be known.
  const { secrets, workspace } = await openWorkspace({
    ...{ world, paths, providers, logId, root, config, profile, wishes, prints: [] },
    writable: host.writable,
  });
  const { pid, processStart } = world.machine;
  const createdAt = new Date(world.clock.now()).toISOString();
  const name = await modelName(options, { providers, config, profile, signal });
  const log = { logId, session, workingDir: root, profile: reference, model: name, createdAt };
  const writer = undo.use(await store.create(log, { pid, processStart }));
  const rejectCall = () =>
    Promise.reject(new HarnessError("InternalError", { what: "this session does not run" }));
  const composed = undo.use(
    await composeHost(
      {
        engine: { options, host, features, onAsked: () => undefined, delegate: rejectCall },
        ...{ session, logId, files, workspace, secrets, world, firstEvents: [] },
        settings: {
          ...{ config, profile, reference, wishes, project: project.settings },
          ...(pluginRules === undefined ? {} : { pluginRules }),
        },
        log: { writer, isOld: false, resumed: { history: [], recovered: [], lastTurn: 0 } },
        model: { name, chosenEffort: undefined, openBeside: rejectCall },
      },
      "look",
    ),
  );
  for (const source of composed.tools(rejectCall)) composed.registry.add(source);
  const opened = undo.move();
  return {
    config,
    plan: composed.plan(),
    host: composed.host,
    project,
    registry: composed.registry,
    features: composed.features,
    notices: here.notices,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Returns the model that a session here would have, as `provider:name`; some tools depend on it. If none can be
 * chosen, the one that flags and files name, or "". Looks for no model server.
 */
async function modelName(
  { model }: HarnessOptions,
  {
    providers,
    config,
    profile,
    signal,
  }: {
    readonly providers: Providers;
    readonly config: Config;
    readonly profile: Profile;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const asked = model ?? scriptedModel(profile);
  const instead = preferredModels(undefined, profile, config);
  const named = asked ?? instead.preferred?.[0] ?? instead.suggested ?? "";
  try {
    if (asked === undefined && (await providers.configured()).length === 0) return named;
    const chosen = await providers.choose(asked, instead, signal);
    return `${chosen.provider}:${chosen.model}`;
  } catch (thrown) {
    if (thrown instanceof HarnessError) return named; // a session would not start, and says why
    throw thrown;
  }
}
