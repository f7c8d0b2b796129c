import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome, CinchResult } from "../support/cinch.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

const TIMEOUT_MS = 300_000;
const BUDGET_EXIT = 4;
/** Usage of the first answer: $0.03 at $1 for a million tokens. */
const USAGE = { input: 20_000, output: 10_000 };

interface BudgetRig extends AsyncDisposable {
  readonly provider: MockProvider;
  run(args: readonly string[], stdin?: string): Promise<CinchResult>;
}

function openPlace(script: readonly Turn[]): BudgetRig {
  const home: CinchHome = cinchHome();
  const provider = startMockProvider({ script });
  const config = join(home.path, "config/cinch");
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, "config.toml"),
    `[providers.mock]
kind = "openai-compatible"
base_url = "${provider.url}/v1"
[prices."mock:one"]
input = 1
output = 1
`,
  );
  const work = join(home.path, "work");
  mkdirSync(work);
  return {
    provider,
    run: (args, stdin) =>
      runCinch(args.includes("--model") ? args : ["--model", "mock:one", ...args], {
        home,
        cwd: work,
        ...(stdin === undefined ? {} : { stdin }),
      }),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

const TOLD = "$0.03 of $0.02 is spent";

test(
  "[ENG-13] the request that could pass the cap is not sent, and cap and spend are shown: as text, as JSON, as a stream",
  async () => {
    for (const format of ["text", "json", "stream-json"]) {
      await using place = openPlace([calls("Ls", { path: "." }, { usage: USAGE }), says("too dear")]);
      const { code, stdout, stderr } = await place.run(
        ["-p", "go", "--max-cost", "0.02", "--output-format", format],
        "",
      );
      expect([format, code, place.provider.requests.length]).toEqual([format, BUDGET_EXIT, 1]);
      if (format !== "stream-json") expect(stderr).toContain(TOLD);
      if (format === "json") {
        expect(JSON.parse(stdout)).toMatchObject({ stop_reason: "budget", cost_usd: 0.03 });
      }
      if (format === "stream-json") {
        const events = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        expect(events.find(({ kind }) => kind === "Error").payload).toMatchObject({
          reason: "CostBudgetExceeded",
          details: { spent: "0.03", cap: "0.02" },
        });
        expect(events.findLast(({ kind }) => kind === "TurnEnded").payload.reason).toBe("budget");
      }
    }
  },
  TIMEOUT_MS,
);

test(
  "[ENG-13 SES-07] a session that continues counts what it has cost before, and a higher cap lets it continue",
  async () => {
    await using place = openPlace([says("first", { usage: USAGE }), says("second")]);
    expect((await place.run(["-p", "go", "--max-cost", "0.02"])).code).toBe(0);
    const refused = await place.run(["-p", "more", "--continue", "--max-cost", "0.02"]);
    expect([refused.code, place.provider.requests.length]).toEqual([BUDGET_EXIT, 1]);
    expect(refused.stderr).toContain(TOLD);
    const raised = await place.run(["-p", "more", "--continue", "--max-cost", "5"]);
    expect([raised.code, raised.stdout.trim()]).toEqual([0, "second"]);
  },
  TIMEOUT_MS,
);

test(
  "[ENG-13 CLI-01] the line client shows cap and spend, and takes the next line",
  async () => {
    await using place = openPlace([says("first", { usage: USAGE })]);
    const { stdout, stderr, code } = await place.run(["--max-cost", "0.02"], "go\nmore\n/cost\n");
    expect(stdout + stderr).toContain(TOLD);
    expect(stdout + stderr).toContain("ended at the cost cap");
    expect(stdout + stderr).toContain("$0.0300 this session");
    expect(stdout).toContain("a million tokens: $");
    expect([code, place.provider.requests.length]).toEqual([BUDGET_EXIT, 1]);
  },
  TIMEOUT_MS,
);

test(
  "[CLI-01] with --quiet-cost no turn prints its cost; /cost still does",
  async () => {
    await using place = openPlace([says("one", { usage: USAGE }), says("two", { usage: USAGE })]);
    const loud = await place.run([], "go\n");
    expect(loud.stdout).toBe("one\n-- rounds: 1, $0.0300 this turn, $0.0300 this session\n");
    const { code, stdout } = await place.run(["--quiet-cost"], "go\n/cost\n");
    expect(stdout).toStartWith("two\n-- rounds: 1\n$0.0300 this session: ");
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test("[ENG-13 PROV-11] the cost cap of the README does not stop a server without prices, and says what it cannot count", async () => {
  await using place = openPlace([says("Fixed.")]);
  const args = [
    "-p",
    "Fix the failing test.",
    "--model",
    "mock:two",
    "--max-turns",
    "30",
    "--max-cost",
    "1.50",
  ];
  const { code, stdout, stderr } = await place.run(args);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Fixed.\n" });
  expect(stderr).toContain(
    "The price of two is unknown: its calls do not count towards the cost cap of $1.50.",
  );
});
