import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { HarnessOptions } from "../src/app/engine/options.ts";
import { effectiveKeys } from "../src/app/explain/effective-keys.ts";
import { sessionHere } from "../src/app/plan/plan-here.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import { durationMs } from "../src/base/text/duration.ts";
import { parseArguments } from "../src/cli/args/arguments.ts";
import { COMMANDS } from "../src/cli/commands/commands.ts";
import { hostWorld } from "../src/platform/host.ts";
import { acknowledgeAll } from "./support/acknowledge.ts";
import { cinchHome } from "./support/cinch.ts";
import { SETTINGS_SETUPS } from "./support/settings-setups.ts";

const { signal } = new AbortController();

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

for (const setup of SETTINGS_SETUPS)
  test(`[PROF-01] profile show and the plan of a session agree: ${setup.name}`, async () => {
    using home = cinchHome();
    const repo = join(home.path, "repo");
    const paths = { config: "config/cinch", data: "data/cinch", state: "state/cinch" };
    const at = {
      world: hostWorld(SILENT_LOG),
      paths: {
        config: join(home.path, paths.config),
        data: join(home.path, paths.data),
        state: join(home.path, paths.state),
      },
      workingDir: repo,
      environment: { ...home.env, ...setup.env },
    };
    for (const [path, text] of Object.entries({ ".git/HEAD": "ref: x\n", ...setup.project }))
      write(join(repo, path), text);
    for (const [path, text] of Object.entries(setup.config ?? {})) write(join(at.paths.config, path), text);
    const flags = (setup.flags ?? []).map((word, index, all) =>
      all[index - 1] === "--profile" && word.includes("/") ? resolve(repo, word) : word,
    );
    const parsed = parseArguments(["profile", "show", ...flags], COMMANDS);
    if (parsed.kind !== "command") throw new Error(`no command: ${flags.join(" ")}`);
    const { profile, model, level, maxTurns, maxCostUsd, maxTimeMs, lockfile, ...others } = parsed.settings;
    const options: HarnessOptions = {
      ...at,
      attended: false,
      autoApprove: others.autoApprove,
      strictPermissions: others.strictPermissions,
      withoutProject: others.withoutProject,
      allowProjectHooks: others.allowProjectHooks,
      ...(profile === undefined ? {} : { profile }),
      ...(model === undefined ? {} : { model }),
      ...(level === undefined ? {} : { level }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
      ...(lockfile === undefined ? {} : { lockfile }),
    };
    if (setup.acknowledged === true) await acknowledgeAll({ ...options, profile: "default" });
    const shown = await settled(() => effectiveKeys(options));
    const planned = await settled(async () => {
      const here = await sessionHere(options, signal);
      return (await here.openPlans({ rules: [], tools: [], isPending: true })).current;
    });
    if ("error" in shown) {
      expect(planned).toEqual(shown); // one error, in one wording
      return;
    }
    if ("error" in planned) {
      // These set-ups name plugins that no machine has. Their settings are compared by `test/e2e/settings.e2e.ts`.
      expect(planned.error).toMatch(/^The plugin \/home\/user\/plugins\/\w+ cannot be used/);
      return;
    }
    const value = (key: string) => shown.value.keys.find((row) => row.key === key)?.value;
    const { policy, limits, reference } = planned.value;
    expect({
      reference,
      level: policy.ceiling,
      strict: policy.strict,
      rounds: limits.roundsMax,
      costUsdMax: limits.costUsdMax ?? null,
      turnMsMax: limits.turnMsMax,
    }).toEqual({
      reference: shown.value.reference,
      level: value("permissions.level") as typeof policy.ceiling,
      strict: value("permissions.strict") as boolean,
      rounds: value("limits.rounds") as number,
      costUsdMax: value("limits.cost") as number | null,
      turnMsMax: timeOf(value("limits.time")),
    });
  });
