import type { ReadSettings, UnattendedEngine } from "../session/commands/cli-command.ts";
import type { CommandContext, ParsedCall } from "./args/parsed-call.ts";
import { exitCodeOfReason } from "./exit-codes.ts";
import type { ProcessContext } from "./process-context.ts";
import { harnessOptions, processContext } from "./process-context.ts";
import type { Stop } from "./processes/stop.ts";
import type { Settings } from "./settings.ts";

/** Makes the context of one command line. Nothing is opened yet. */
export function contextOf({ verb, words, flags, settings }: ParsedCall, stop: Stop): CommandContext {
  let opened: ProcessContext | undefined;
  const at = (): ProcessContext => {
    opened ??= processContext(settings, stop, flags["raw"] === true);
    return opened;
  };
  return {
    verb,
    words,
    flags,
    settings,
    stop,
    signal: stop.signal,
    get at() {
      return at();
    },
    get world() {
      return at().world;
    },
    get paths() {
      return at().paths;
    },
    get workingDir() {
      return at().workingDir;
    },
    get environment() {
      return at().environment;
    },
    get stdout() {
      return at().stdout;
    },
    get stderr() {
      return at().stderr;
    },
    readInput: () => readInput(at()),
    checkSettings: () => checkSettings(settings, at()),
    readSettings: () => readSettings(settings, at()),
    async engineHandles() {
      const [{ engineHandles }, { configuredProviders }] = await Promise.all([
        import("../app/engine/engine-handles.ts"),
        import("../app/engine/open-store.ts"),
      ]);
      const options = await harnessOptions(settings, at(), { attended: false });
      const { config, providers } = await configuredProviders(options);
      return engineHandles(options, config, providers);
    },
    async checkScheduledProfile(named, cwd) {
      const { checkScheduledProfile } = await import("../app/plan/settings.ts");
      const { PROGRAM_FEATURES: features } = await import("../app/plan/feature-set.ts");
      await checkScheduledProfile({ ...at(), features }, named, cwd);
    },
    async skillNames() {
      const { FEATURES } = await import("../app/features.ts");
      const here = { ...at(), ...(await readSettings(settings, at())) };
      const names = await Promise.all(FEATURES.map((feature) => feature.offers?.skills?.(here) ?? []));
      return names.flat();
    },
    openEngine: () => openUnattended(settings, at()),
    exitCodeOf: exitCodeOfReason,
  };
}

async function readInput({ world, stop }: ProcessContext): Promise<string | undefined> {
  const { PROMPT_FIRST_BYTE_MS_MAX, readStandardInput } = await import("./io/standard-input.ts");
  const { clock } = world;
  const limits = { clock, firstByteMsMax: PROMPT_FIRST_BYTE_MS_MAX, signal: stop.signal };
  const input = await readStandardInput(limits);
  return input.kind === "text" ? input.text : undefined;
}

async function readSettings(settings: Settings, at: ProcessContext): Promise<ReadSettings> {
  const { openSettings } = await import("../app/plan/settings.ts");
  const options = await harnessOptions(settings, at, { attended: false });
  const here = await openSettings(options);
  const { config, profile } = here;
  return {
    ...here,
    async modelProblem(model) {
      const { namedModelProblem } = await import("../app/models/model-problem.ts");
      return await namedModelProblem(model, { ...config, plugins: [...config.plugins, ...profile.plugins] });
    },
  };
}

async function checkSettings(settings: Settings, at: ProcessContext): Promise<readonly string[]> {
  const { checkForLater } = await import("../app/explain/check-for-later.ts");
  return await checkForLater(await harnessOptions(settings, at, { attended: false }), at.stop.signal);
}

async function openUnattended(settings: Settings, at: ProcessContext): Promise<UnattendedEngine> {
  const { openEngine } = await import("../app/harness.ts");
  const { CLOSE_MS_MAX, within } = await import("./processes/within.ts");
  const engine = await openEngine(await harnessOptions(settings, at, { attended: false }), at.stop.signal);
  return {
    attach: engine.attach,
    openUnattended: engine.openUnattended,
    async [Symbol.asyncDispose]() {
      await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(engine[Symbol.asyncDispose]()));
    },
  };
}
