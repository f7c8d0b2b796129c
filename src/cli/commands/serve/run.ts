import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { HarnessOptions } from "../../../app/engine/options.ts";
import type { OpenEngine } from "../../../app/harness.ts";
import type { ControlPlaneOptions } from "../../../app/serving/control-plane.ts";
import type { PromptSharing } from "../../../app/serving/engine-service.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Machine } from "../../../base/world.ts";
import type { TokenFile } from "../../../server/auth/tokens/token-file.ts";
import type { HttpTarget } from "../../../server/http/server.ts";
import type { ListenFlags, PlannedTarget } from "../../../server/http/targets.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { printStartNotices } from "../../io/start-notices.ts";
import type { ProcessContext } from "../../process-context.ts";
import { harnessOptions } from "../../process-context.ts";
import { within } from "../../processes/within.ts";
import type { Settings } from "../../settings.ts";
import type { ServeContext } from "./flags.ts";
import { allowedOrigins } from "./origins.ts";

/**
 * Time limit for an orderly shutdown of an engine; its sessions and then its transports have limits within it. Service
 * managers kill a process after ten seconds or later.
 */
export const SERVE_CLOSE_MS_MAX = 9_500;

/** Token file for a machine without a person. */
const CI_TOKEN = "ci-token.json";

/**
 * Runs `cinch serve`: an engine on the Unix socket and, with --listen, on a port (CTL-10).
 *
 * It serves until a signal ends it. Then every stream gets its SessionEnded, and the exit code is 130. With
 * --until-idle it opens no session, prints one line of JSON with its address or its failure, before it one if it brings
 * the database up to date, and ends once no client uses it (CTL-18).
 */
export async function run(context: ServeContext): Promise<ExitCode> {
  const { flags, at } = context;
  if (!flags["until-idle"]) return await serve(context);
  try {
    return await serveUntilIdle(context);
  } catch (thrown) {
    const { errorBody } = await import("../../../server/http/answers.ts");
    if (thrown instanceof HarnessError) await at.stdout.write(`${JSON.stringify(errorBody(thrown))}\n`);
    throw thrown;
  }
}

async function serve({ flags, settings, at }: ServeContext): Promise<ExitCode> {
  const { signal } = at.stop;
  // Without a terminal, an unacknowledged file fails the start: a person may not come for a long time.
  const asksTrust = process.stdin.isTTY === true;
  const own = await harnessOptions(settings, at, { attended: true, asksTrust });
  const fromFile = await settingsOfFile(own);
  const options = await planeOptions(flags, at, { ...own, origins: fromFile.allowOrigins });
  const { openEngineService } = await import("../../../app/serving/engine-service.ts");
  const { openServing } = await import("../../../app/harness.ts");
  const service = await openEngineService(
    { ...options, ...(await promptSharing(settings, at)) },
    openServing,
    signal,
  );
  try {
    const { session, notices = [], unbegun } = service.harness;
    await printStartNotices({ notices }, at);
    const places = service.addresses.map((address) => `  ${neutraliseLine(address)}\n`).join("");
    const serving = session === undefined ? "serving" : `serving session ${session}`;
    await at.stderr.write(
      `cinch: ${serving} at\n${places}cinch: a token for a client: cinch token --identity-class human; end it with Ctrl-C\n`,
    );
    if (unbegun !== undefined)
      await at.stderr.write(
        `cinch: no session was begun: ${neutraliseLine(unbegun.message)} (${unbegun.reason})\ncinch: each new session in this folder is refused with this reason until you fix it\n`,
      );
    await using _work = await workBeside(options, service.harness);
    await aborted(signal);
    return EXIT.cancelled;
  } finally {
    await within(at.world.clock, SERVE_CLOSE_MS_MAX, Promise.resolve(service[Symbol.asyncDispose]()));
  }
}

async function serveUntilIdle({ flags, settings, at }: ServeContext): Promise<ExitCode> {
  const { signal } = at.stop;
  let told = Promise.resolve();
  const own = {
    ...(await harnessOptions(settings, at, { attended: true })),
    onUpgrade() {
      told = at.stdout.write(`${JSON.stringify({ upgrading: true })}\n`);
      told.catch(() => undefined); // thrown where it is awaited
    },
  };
  const fromFile = await settingsOfFile(own);
  const options = await planeOptions(flags, at, { ...own, origins: fromFile.allowOrigins });
  const { openEngine } = await import("../../../app/harness.ts");
  const { openEngineService } = await import("../../../app/serving/engine-service.ts");
  const { untilIdle } = await import("../../shared-engine/until-idle.ts");
  const service = await openEngineService(
    { ...options, ...(await promptSharing(settings, at)) },
    openEngine,
    signal,
  );
  try {
    const { server, harness, addresses } = service;
    await told;
    await at.stdout.write(`${JSON.stringify({ serving: addresses, pid: at.world.machine.pid })}\n`);
    const { clock } = at.world;
    await using _work = await workBeside(options, harness);
    await untilIdle(
      {
        clock,
        ...defined({ lingerMs: fromFile.stayMs }),
        isForsaken: goneTest(flags.starter, at.world.machine),
        open: () => server.open,
        count: () => server.count,
        busy: () => harness.busy,
      },
      signal,
    );
    service.stopPrompts(); // in the same step: a prompt that came later would end with the engine
    return signal.aborted ? EXIT.cancelled : EXIT.done;
  } finally {
    await within(at.world.clock, SERVE_CLOSE_MS_MAX, Promise.resolve(service[Symbol.asyncDispose]()));
  }
}

/** Returns a test for the end of the process that started this engine; one that is always false if none is named. */
function goneTest(starter: string | undefined, machine: Pick<Machine, "isAlive">): () => boolean {
  if (starter === undefined) return () => false;
  const [pid = ""] = starter.split(":", 1);
  return () => !machine.isAlive(Number(pid), starter.slice(pid.length + 1));
}

/** Returns the settings of config.toml that are about a whole engine: its stay without clients, and its pages. */
async function settingsOfFile({ paths, world }: HarnessOptions) {
  const [{ bootStep }, { configIn }, { engineSection }, { serverSection }, { settingsOf }] =
    await Promise.all([
      import("../../../app/engine/boot.ts"),
      import("../../secrets.ts"),
      import("../../../config/sections/engine.ts"),
      import("../../../config/sections/server.ts"),
      import("../../../config/settings/settings.ts"),
    ]);
  const config = await bootStep(world.log, "reading the configuration", () => configIn(paths.config));
  return { ...settingsOf(engineSection, { config }), ...settingsOf(serverSection, { config }) };
}

/**
 * Returns the facts by which `cinch -p` finds out if it may use this engine; nothing for an engine whose log has a key
 * that everybody knows (PERF-07).
 */
async function promptSharing(
  { insecureDevKey }: Settings,
  { world, paths, stop }: ProcessContext,
): Promise<{ readonly prompts?: PromptSharing }> {
  if (insecureDevKey) return {};
  const { keysPrint, likenessOf, newSalt } = await import("../../shared-prompt/likeness.ts");
  const { salt, print: keys } = (await stop.keys) ?? noKeys(newSalt(world.random));
  const likeness = likenessOf(process.env, paths, { salt, keys });
  return { prompts: { salt, likeness } };

  function noKeys(fresh: string) {
    return { salt: fresh, print: keysPrint(fresh, {}, paths.config) };
  }
}

/** Runs the work of features that lasts as long as this engine, such as scheduled tasks (ENG-24). */
async function workBeside(options: HarnessOptions, engine: OpenEngine): Promise<AsyncDisposable> {
  const { checkScheduledProfile } = await import("../../../app/plan/settings.ts");
  const { world, paths, features } = options;
  const checkProfile = (profile: string | undefined, cwd: string) =>
    checkScheduledProfile(options, profile, cwd);
  await using withTls = new AsyncDisposableStack();
  for (const feature of features.features) {
    const work = await feature.serving?.beside?.({ world, paths, engine, checkProfile });
    if (work !== undefined) withTls.use(work);
  }
  return withTls.move();
}

async function planeOptions(
  flags: ServeContext["flags"],
  at: ProcessContext,
  options: HarnessOptions,
): Promise<ControlPlaneOptions> {
  const { "auth-channel": authChannel, "allow-origin": origins, "auth-token-file": tokenFile } = flags;
  const { plannedTargets } = await import("../../../server/http/targets.ts");
  const { servicePaths } = await import("../../../app/serving/service-paths.ts");
  const { codeChannels } = await import("../../io/code-channels.ts");
  return {
    ...options,
    origins: allowedOrigins(origins, options.origins ?? []),
    targets: await Promise.all(
      plannedTargets(listenFlags(flags), [servicePaths(at.paths).control]).map((each) =>
        opened(each, at.world.clock.now()),
      ),
    ),
    codeChannels: await codeChannels({
      world: at.world,
      environment: at.environment,
      ...defined({ only: authChannel }),
    }),
    tokenFiles: await tokenFiles(tokenFile, join(at.paths.config, CI_TOKEN)),
  };
}

function listenFlags(flags: ServeContext["flags"]): ListenFlags {
  const { listen, "auth-token-file": authTokenFile, "tls-cert": tlsCert, "tls-key": tlsKey } = flags;
  return {
    ...defined({ listen, authTokenFile, tlsCert, tlsKey }),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

async function opened(target: PlannedTarget, nowMs: number): Promise<HttpTarget> {
  if (target.kind === "unix") return target;
  const { tls, ...rest } = target;
  if (tls === undefined) return { ...rest, kind: "loopback" };
  const { readTls } = await import("../../io/tls-files.ts");
  return { ...rest, tls: await readTls(tls, nowMs) };
}

/** Returns the given token file, else the one in the configuration directory, if it exists (AUTH-04). */
async function tokenFiles(named: string | undefined, usual: string): Promise<readonly TokenFile[]> {
  const path = named === undefined ? usual : resolve(named);
  if (named === undefined && !existsSync(path)) return [];
  const { readTokenFile } = await import("../../../server/auth/tokens/token-file.ts");
  return [await readTokenFile(path)];
}
