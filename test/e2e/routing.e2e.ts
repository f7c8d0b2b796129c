import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";

const TIMEOUT_MS = 300_000;
const USAGE = { input: 1_000_000, output: 0 };

/** Two providers of two wires behind one route: the second one takes what is dear, and takes over. */
function openPlace(first: readonly Turn[], second: readonly Turn[]) {
  const home = cinchHome();
  const [one, two] = [startMockProvider({ script: first }), startMockProvider({ script: second })];
  const config = join(home.path, "config/cinch");
  mkdirSync(config, { recursive: true });
  const write = (routing: string) =>
    writeFileSync(
      join(config, "config.toml"),
      `[providers.one]\nkind = "openai-compatible"\nbase_url = "${one.url}/v1"
[providers.two]\nkind = "anthropic"\nbase_url = "${two.url}"
[prices."one:big"]\ninput = 3\noutput = 3\n[prices."two:small"]\ninput = 1\noutput = 1\n${routing}`,
    );
  write(
    '[routing.mixed]\nmodel = "one:big"\nfallback = ["two:small"]\nrules = [{ model = "two:small", spent_above = 2.5 }]\n',
  );
  return {
    home,
    one,
    two,
    write,
    run: (...args: readonly string[]) => runCinch(["--model", "routing:mixed", ...args, "-p", "x"], { home }),
    async [Symbol.asyncDispose]() {
      await one[Symbol.asyncDispose]();
      await two[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

interface CostLine {
  readonly kind: string;
  readonly payload: { readonly provider: string; readonly model: string; readonly usd: number };
}

test(
  "[PROV-07 PROV-11] one turn goes to two providers by the amount spent, and the cost of each is listed separately",
  async () => {
    await using place = openPlace(
      [calls("Ls", { path: "." }, { usage: USAGE })],
      [says("done", { usage: USAGE })],
    );
    const { code, stdout, stderr } = await place.run("--output-format", "stream-json");
    expect([code, stderr]).toEqual([0, ""]);
    const costs = stdout
      .split("\n")
      .filter((line) => line.includes('"CostIncremented"'))
      .map((line): CostLine => JSON.parse(line))
      .map(({ payload: { provider, model, usd } }) => [provider, model, usd]);
    expect(costs).toEqual([
      ["one", "big", 3],
      ["two", "small", 1],
    ]);
    expect(place.two.requests.map(({ body }) => body["model"])).toEqual(["small"]);
  },
  TIMEOUT_MS,
);

test(
  "[PROV-07] if a provider has no credit the next of the chain answers, with a notice; a route that cannot work is refused at the start",
  async () => {
    const noCredit = fails({
      kind: "status",
      status: 402,
      body: { error: { message: "no credit", code: "insufficient_quota" } },
    });
    await using place = openPlace([noCredit], [says("from the second")]);
    const { code, stdout, stderr } = await place.run();
    expect([code, stdout]).toEqual([0, "from the second\n"]);
    expect(stderr).toContain("one:big cannot be used now");
    expect(stderr).toContain("two:small takes over.");
    expect((await runCinch(["models"], { home: place.home })).stdout).toEndWith("\nrouting:mixed\n");
    place.write('[routing.mixed]\nmodel = "nobody:big"\n');
    const unknown = await place.run();
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("no provider 'nobody'")]);
    expect(unknown.stderr).toContain('(it stands in "nobody:big", under [routing.mixed] of config.toml)');
    place.write(
      '[routing.mixed]\nmodel = "one:big"\nrules = [{ model = "routing:mixed", role = "summary" }]\n',
    );
    const circle = await place.run();
    expect([circle.code, circle.stderr]).toEqual([
      2,
      expect.stringContaining("routes do not lead to routes"),
    ]);
  },
  TIMEOUT_MS,
);

test(
  "[PROV-07 PROV-09] a missing key for a model of a route is reported with the route that names it",
  async () => {
    await using place = openPlace([], []);
    place.write('[routing.mixed]\nmodel = "openai:gpt-6.1-sol"\n');
    const { code, stderr } = await place.run();
    expect([code, stderr]).toEqual([
      2,
      "cinch: Provider openai needs a key. Set OPENAI_API_KEY (or keep it: cinch creds add openai), since [routing.mixed] of config.toml names openai:gpt-6.1-sol, or pick another model with --model. (ProviderKeyMissing)\n",
    ]);
  },
  TIMEOUT_MS,
);
