import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPlugins } from "../../src/harness/plugin-files.ts";
import { TrustLedger } from "../../src/trust/ledger/ledger.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { ROOT } from "../support/source.ts";
import { testWorld } from "../support/world.ts";

// Plugins through the program itself: the two examples, and what a person sees of plugins that may not be had.

const EXAMPLES = join(ROOT, "examples/plugins");

function openRig(script: readonly Turn[]) {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  const config = join(home.path, "config/cinch");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
  };
  mkdirSync(work);
  return {
    mock,
    home,
    work,
    write,
    at: (name: string) => join(home.path, name),
    configure(plugins: readonly string[]) {
      const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
      write(join(config, "config.toml"), `plugins = ${JSON.stringify(plugins)}\n${provider}`);
    },
    /** What a person does who reads each of them and says yes. */
    async acknowledge(plugins: readonly string[]) {
      const world = testWorld();
      const ledger = await TrustLedger.open(world, join(config, "approved.lock"));
      await ledger.approve(await readPlugins(world, plugins));
    },
    run: (...args: readonly string[]) => runCinch([...args, "--model", "mock:one"], { home, cwd: work }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test("[PLUG-01 PLUG-02 DOC-01] the examples run once they are acknowledged: a tool with its rule, and middleware that refuses a call", async () => {
  await using rig = openRig([
    calls("RollDice", { dice: "2d1" }),
    calls("Bash", { command: "git push origin release/1" }),
    says("done"),
  ]);
  const plugins = [join(EXAMPLES, "dice"), join(EXAMPLES, "house-rules")];
  rig.configure(plugins);
  const unseen = await rig.run("-p", "roll");
  expect([unseen.code, rig.mock.requests.length]).toEqual([5, 0]);
  expect(unseen.stderr).toContain(`unseen plugin (${plugins.join(", ")})`);

  await rig.acknowledge(plugins);
  const { code, stdout, stderr } = await rig.run("-p", "roll", "--output-format", "stream-json");
  expect([code, stderr]).toEqual([0, "cinch: The plugin dice allows without asking: RollDice.\n"]);
  const events: { kind: string; payload: { content: unknown } }[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const told = events.flatMap(({ kind, payload }) => (kind === "ToolResult" ? [payload.content] : []));
  expect(told).toEqual([
    [{ type: "text", text: "2d1: 1 + 1 = 2" }],
    [{ type: "text", text: "Release branches are frozen: ask the release team." }],
  ]);
  expect(events.filter(({ kind }) => kind === "CustomEvent").map(({ payload }) => payload)).toEqual([
    { namespace: "house-rules", kind: "Calls", payload: { RollDice: 1, Bash: 1 } },
  ] as never);
});
