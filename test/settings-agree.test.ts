import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { HarnessOptions } from "../src/app/engine/options.ts";
import type { EffectiveKeys } from "../src/app/explain/effective-keys.ts";
import { effectiveKeys } from "../src/app/explain/effective-keys.ts";
import type { Explainer } from "../src/app/explain/explain.ts";
import { openExplainer } from "../src/app/explain/explain.ts";
import { FEATURES } from "../src/app/features.ts";
import type { OpenHarness } from "../src/app/harness.ts";
import { openHarness } from "../src/app/harness.ts";
import { featureSet, PROGRAM_FEATURES } from "../src/app/plan/feature-set.ts";
import type { CallId, ClientId } from "../src/base/ids.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import { durationMs } from "../src/base/text/duration.ts";
import { parseArguments } from "../src/cli/args/arguments.ts";
import { COMMANDS } from "../src/cli/commands/commands.ts";
import { settingsOf } from "../src/config/settings/settings.ts";
import { hooksSection } from "../src/features/hooks/config.ts";
import { UNCONFINED } from "../src/guard/permissions/judge/verdict.ts";
import { sandboxSection } from "../src/guard/sandbox/config.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { Feature } from "../src/session/feature.ts";
import type { SessionHost } from "../src/session/host.ts";
import { prepareCall } from "../src/tools/chain/validate.ts";
import { acknowledgeAll } from "./support/acknowledge.ts";
import { cinchHome } from "./support/cinch.ts";
import type { SettingsSetup } from "./support/settings-setups.ts";
import { SETTINGS_SETUPS } from "./support/settings-setups.ts";

const { signal } = new AbortController();
const SLOW_MS = 120_000;
const CONFIG = "config.toml";

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

type Settled<Value> = { readonly value: Value } | { readonly error: string };

async function settled<Value>(run: () => Promise<Value>): Promise<Settled<Value>> {
  try {
    return { value: await run() };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Milliseconds of a written length of time; undefined where none is set. */
function timeOf(written: unknown): number | undefined {
  return typeof written === "string" ? durationMs(written) : undefined;
}

/** Keys and providers with which every model of the set-ups can be opened. Nothing is sent to any. */
const KEYS = {
  ...{ ANTHROPIC_API_KEY: "sk-ant-0123456789", OPENROUTER_API_KEY: "sk-or-0123456789" },
  ...{ ZAI_API_KEY: "zai-0123456789", LOCAL_API_KEY: "local-0123456789" },
};
const PROVIDERS = ["local", "other"];

/**
 * Text of a set-up's file, without plugins and lock files that no machine has, and with the providers that it names.
 */
function fileText(path: string, text: string): string {
  const kept = text.replaceAll(/^(?:plugins|lockfile) = .*"\/.*\n/gmu, "");
  if (path !== CONFIG) return kept;
  const missing = PROVIDERS.filter((name) => !kept.includes(`[providers.${name}]`));
  const tables = missing.map(
    (name) => `[providers.${name}]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:1/v1"\n`,
  );
  return `${kept}\n${tables.join("")}`;
}

/** Writes the files of a set-up, and returns the options of an engine that starts there. */
async function optionsOf(setup: SettingsSetup, home: ReturnType<typeof cinchHome>): Promise<HarnessOptions> {
  const repo = join(home.path, "repo");
  const paths = {
    config: join(home.path, "config/cinch"),
    data: join(home.path, "data/cinch"),
    state: join(home.path, "state/cinch"),
  };
  for (const [path, text] of Object.entries({ ".git/HEAD": "ref: x\n", ...setup.project }))
    write(join(repo, path), text);
  for (const [path, text] of Object.entries({ [CONFIG]: "", ...setup.config }))
    write(join(paths.config, path), fileText(path, text));
  const flags = (setup.flags ?? []).map((word, index, all) =>
    all[index - 1] === "--profile" && word.includes("/") ? resolve(repo, word) : word,
  );
  const parsed = parseArguments(["profile", "show", ...flags], COMMANDS);
  if (parsed.kind !== "command") throw new Error(`no command: ${flags.join(" ")}`);
  const { profile, model, level, maxTurns, maxCostUsd, maxTimeMs, ...others } = parsed.settings;
  const options: HarnessOptions = {
    world: {
      ...hostWorld(SILENT_LOG),
      fetch: () => Promise.reject(new Error("a set-up reaches no network")),
    },
    ...{ paths, workingDir: repo },
    features: PROGRAM_FEATURES,
    wishes: {
      environment: { ...home.env, ...KEYS, ...setup.env },
      attended: false,
      autoApprove: others.autoApprove,
      strictPermissions: others.strictPermissions,
      withoutProject: others.withoutProject,
      allowProjectHooks: others.allowProjectHooks,
      ...(level === undefined ? {} : { level }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
    },
    ...(profile === undefined ? {} : { profile }),
    ...(model === undefined ? {} : { model }),
  };
  if (setup.acknowledged === true) await acknowledgeAll({ ...options, profile: "default" });
  return options;
}

/** Adds a feature that records the host of each session, in the order in which they are opened. */
function withProbe(options: HarnessOptions): {
  readonly options: HarnessOptions;
  readonly hosts: readonly SessionHost[];
} {
  const hosts: SessionHost[] = [];
  const probe: Feature = {
    name: "probe",
    isUsed: () => true,
    open(host) {
      hosts.push(host);
      return Promise.resolve(undefined);
    },
  };
  return { options: { ...options, features: featureSet([...FEATURES, probe]) }, hosts };
}

const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ["Read", { file_path: ".git/HEAD" }],
  ["Write", { file_path: "generated/a.txt", content: "x" }],
  ["Bash", { command: "make all" }],
];

/** Returns the verdict of the session's own gate about a call, under its own sandbox. */
async function verdictOf(host: SessionHost, name: string, input: object): Promise<string> {
  const { world, workspace, session, registry } = host;
  const tool = registry.find(name);
  if (tool === undefined) return "there is no such tool";
  const callId: CallId = world.ids.next("call");
  const originator: ClientId = world.ids.next("cli");
  const context = {
    ...{ world, signal, session, callId, originator, turn: 1, workspace },
    ...{ progress: () => undefined, emit: () => undefined },
  };
  const prepared = await prepareCall({ id: callId, name, input, tool }, context);
  if (prepared.kind === "refused") return "refused by the tool";
  const { plan } = prepared.call;
  const confinement = plan.target.kind === "command" ? await host.sandbox.confinement(plan) : UNCONFINED;
  const { decision } = await host.permissions.verdict(prepared.call, context, confinement);
  return decision.kind;
}

/** Returns the verdict that `permissions explain` says to hold here. */
async function explainedVerdict(explainer: Explainer, name: string, input: object): Promise<string> {
  if (!explainer.hasTool(name)) return "there is no such tool";
  const { decision, inSandbox, here } = await explainer.explain(name, input);
  const isInside = here.kind === "backend" && (await explainer.trySandbox()).kind === "works";
  return isInside ? inSandbox : decision;
}

/** Compares what is said of a session with the session itself. */
async function compare(
  { shown, explainer, looked }: { shown: EffectiveKeys; explainer: Explainer; looked: SessionHost },
  harness: OpenHarness,
  session: SessionHost,
): Promise<void> {
  const value = (key: string) => shown.keys.find((row) => row.key === key)?.value;
  const plan = session.plan();
  const { policy, limits, reference, config, profile } = plan;
  const sandbox = settingsOf(sandboxSection, plan);
  const hooks = settingsOf(hooksSection, { config, profile });
  expect({
    reference: shown.reference,
    level: value("permissions.level"),
    strict: value("permissions.strict"),
    rounds: value("limits.rounds"),
    costUsdMax: value("limits.cost"),
    turnMsMax: timeOf(value("limits.time")),
    sandbox: [value("sandbox.backend"), value("sandbox.unavailable"), value("sandbox.network")],
    hooks: shown.keys.flatMap(({ key, value: rows }) => (key === "hooks" && rows !== null ? rows : [])),
  }).toEqual({
    reference,
    level: policy.ceiling,
    strict: policy.strict,
    rounds: limits.roundsMax,
    costUsdMax: limits.costUsdMax ?? null,
    turnMsMax: limits.turnMsMax,
    sandbox: [sandbox.backend, sandbox.unavailable, sandbox.network],
    hooks: hooks.map(({ event, cmd }) => expect.objectContaining({ event, cmd })),
  });

  // What an explanation is made from is what the session is made from.
  expect(looked.plan()).toEqual(plan);
  expect(looked.budget.capUsd).toEqual(session.budget.capUsd);
  const { env, withheld, root } = session.workspace;
  expect(looked.workspace).toMatchObject({ env, withheld, root });
  const tools = session.registry.list().map(({ tool }) => tool.name);
  expect([...explainer.tools].sort()).toEqual([...tools].sort());
  for (const [name, input] of CALLS)
    expect([name, await explainedVerdict(explainer, name, input)]).toEqual([
      name,
      await verdictOf(session, name, input),
    ]);

  expect(looked.model.name).toBe(harness.model);
  const row = shown.keys.find(({ key }) => key === "default_model");
  const isSuggested = row?.from.kind === "profile" && row.from.path.startsWith("embedded:");
  if (typeof row?.value !== "string" || (isSuggested && reference !== "conformance")) return;
  const { provider, model } = await session.models.choose(row.value, { preferred: [] }, signal);
  expect(harness.model).toBe(`${provider}:${model}`);
}

/** A session refuses to start where nobody can be asked about these files, and an explanation leaves them out. */
const UNACKNOWLEDGED = "project-not-acknowledged";

/** Set-ups in which no session starts. */
const INVALID = [
  ...["project-widens", "profile-of-the-project-that-widens", "profile-that-lies-in-the-repository"],
  ...["values-of-a-wrong-type", "values-that-are-refused", "lists-of-tables-that-are-refused"],
  ...["unknown-keys-of-config", "unknown-keys-of-a-profile", "no-toml", "a-newer-profile", "no-such-profile"],
];

for (const setup of SETTINGS_SETUPS)
  test(
    `[PROF-01 CLI-02 ENG-30] profile show, permissions explain and a session agree: ${setup.name}`,
    async () => {
      using home = cinchHome();
      const { options, hosts } = withProbe(await optionsOf(setup, home));
      const shown = await settled(() => effectiveKeys(options));
      const explained = await settled(() => openExplainer(options, signal));
      const opened = await settled(() => openHarness(options, signal));
      await using stack = new AsyncDisposableStack();
      if ("value" in explained) stack.use(explained.value);
      if ("value" in opened) stack.use(opened.value);

      if (setup.name === UNACKNOWLEDGED && "value" in explained) {
        expect(opened).toEqual({ error: expect.stringContaining("Refusing to silently approve") });
        expect(explained.value.notices).toContain(
          ".cinch/config.toml was not acknowledged, and is left out (cinch ack)",
        );
        return;
      }
      if (INVALID.includes(setup.name)) {
        // One error, in one wording. A start also names its step.
        if (!("error" in explained) || !("error" in opened)) throw new Error(`${setup.name} is valid`);
        expect(shown).toEqual(explained);
        expect(opened.error).toStartWith(explained.error);
        return;
      }
      const [looked, session] = hosts;
      if ("error" in shown || "error" in explained || "error" in opened)
        throw new Error(
          JSON.stringify([shown, explained, opened].map((each) => "error" in each && each.error)),
        );
      if (looked === undefined || session === undefined) throw new Error("no host was seen");
      await compare({ shown: shown.value, explainer: explained.value, looked }, opened.value, session);
    },
    SLOW_MS,
  );
