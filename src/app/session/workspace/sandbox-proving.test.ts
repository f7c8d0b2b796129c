import { expect, test as plainTest } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../../test/support/mock-provider/turn.ts";
import { openPlace, turn } from "../../../../test/support/place.ts";
import { processesWith, someWith } from "../../../../test/support/processes.ts";
import { requireProgram } from "../../../../test/support/requires.ts";
import { until } from "../../../../test/support/until.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import type { SpawnOptions, World } from "../../../base/world.ts";
import { hostWorld } from "../../../platform/host.ts";
import type { RequestContext } from "../../../providers/middleware.ts";
import type { ModelRequest } from "../../../providers/provider.ts";
import { openExplainer } from "../../explain/explain.ts";
import { proveBesideRequests } from "./sandbox-proving.ts";

const test = requireProgram("bwrap");
const NEVER_ENDS = "9182.7";

const isTrial = ({ argv }: SpawnOptions) => argv.includes("probe");

/** The machine, with another start of processes. */
function worldWith(
  spawn: (options: SpawnOptions, real: World["spawn"]) => ReturnType<World["spawn"]>,
): World {
  const world = hostWorld(SILENT_LOG);
  return { ...world, spawn: (options) => spawn(options, world.spawn) };
}

test("[SBX-01 PERF-02] the sandbox is tried once the first request has left, with no command to wait for it", async () => {
  await using place = openPlace(says("hello"));
  const requestsBefore: number[] = [];
  const world = worldWith((options, real) => {
    if (isTrial(options)) requestsBefore.push(place.mock.requests.length);
    return real(options);
  });
  await using harness = await place.open({ world });
  await turn(harness, "hi");
  await until("the proof is kept", () => existsSync(join(place.root, "state", "sandbox-proof")));
  expect(requestsBefore).toEqual([1]);
});

test("[SBX-01 REL-03] a session that ends while the sandbox is tried leaves no process", async () => {
  await using place = openPlace(says("hello"));
  const world = worldWith((options, real) =>
    real(isTrial(options) ? { ...options, argv: ["/bin/sleep", NEVER_ENDS] } : options),
  );
  {
    await using harness = await place.open({ world });
    await turn(harness, "hi");
    await someWith(NEVER_ENDS);
  }
  expect(processesWith(NEVER_ENDS)).toEqual([]);
  expect(existsSync(join(place.root, "state", "sandbox-proof"))).toBe(false);
});

test("[SBX-01 PERF-02] the next session runs its first command without a trial", async () => {
  await using place = openPlace(
    calls("Bash", { command: "pwd" }),
    says("a"),
    calls("Bash", { command: "pwd" }),
    says("b"),
  );
  const trials: number[] = [];
  for (const session of [1, 2]) {
    const world = worldWith((options, real) => {
      if (isTrial(options)) trials.push(session);
      return real(options);
    });
    await using harness = await place.open({ world });
    const results = (await turn(harness, "go")).filter(({ kind }) => kind === "ToolResult");
    expect(JSON.stringify(results)).toContain(place.repo);
  }
  expect(trials).toEqual([1]);
});

plainTest("[SBX-01 PERF-02] nothing is tried for a session without a tool that runs commands", () => {
  const tried: string[] = [];
  const known = { Bash: "runs-commands", Read: "reads-files" } as const;
  const middleware = proveBesideRequests(
    { prove: () => void tried.push("tried") },
    { find: (name) => ({ effect: known[name as keyof typeof known] }) as never },
  );
  const ask = (names: readonly string[]) => {
    const tools = names.map((name) => ({ name, description: "", inputSchema: {} }));
    middleware({ tools } as unknown as ModelRequest, {} as RequestContext, async function* () {});
    return tried.splice(0).length;
  };
  expect([ask(["Read"]), ask(["Read", "Bash"])]).toEqual([0, 1]);
});

test("[SBX-01 PERM-09] permissions explain tries the sandbox itself, whatever an earlier session has found", async () => {
  await using place = openPlace(calls("Bash", { command: "pwd" }), says("a"));
  {
    await using harness = await place.open();
    await turn(harness, "go");
  }
  let trials = 0;
  const world = worldWith((options, real) => {
    if (isTrial(options)) trials += 1;
    return real(options);
  });
  await using explainer = await openExplainer(place.options({ world }), new AbortController().signal);
  expect(await explainer.trySandbox()).toEqual({ kind: "works" });
  expect(trials).toBe(1);
});
