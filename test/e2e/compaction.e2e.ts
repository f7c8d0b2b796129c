import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../src/base/json.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { openHomeStore } from "../support/home-store.ts";
import type { MockRequest } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { checkValid } from "../support/valid-history.ts";

// A conversation that is longer than its model's window, through the command itself. The mock refuses what its wire
// refuses (calls without results, roles out of turn) and what is longer than its window.

const WINDOW = 12_000;
const RULE = "Always answer in Welsh.";

function openPlace(script: (request: MockRequest) => Turn) {
  const mock = startMockProvider({ script, contextTokensMax: WINDOW });
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[compaction]\ncontext_tokens = ${WINDOW}\n[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`,
  );
  const args = (...more: readonly string[]) => [...more, "--model", "mock:one", "--auto-approve"];
  const options = { home, cwd: work };
  return {
    mock,
    home,
    work,
    run: (...more: readonly string[]) => runCinch(args(...more), options),
    type: (more: readonly string[], ...lines: readonly string[]) =>
      runCinch(args(...more), { ...options, stdin: lines.map((line) => `${line}\n`).join("") }),
    start: (stdin: string) => startCinch(args(), { ...options, stdin }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

function isSummary({ body }: MockRequest): boolean {
  return JSON.stringify(body["system"] ?? "").includes("You summarise the earlier part");
}

/** Lines of JSON on standard output, of one kind. */
function eventsOf(stdout: string, kind: string): readonly Record<string, unknown>[] {
  return stdout
    .split("\n")
    .map((line) => parseJson(line)?.value)
    .filter(isObject)
    .filter((event) => event["kind"] === kind);
}

test("[SES-13 SES-17 R02 R11] a session continues for forty turns in a tiny window, killed in the middle, and stays valid", async () => {
  let answers = 0;
  await using place = openPlace((request) => {
    if (isSummary(request)) return says("Goal: count sheep.");
    answers += 1;
    return answers % 2 === 1
      ? calls("Bash", { command: `printf 'sheep %.0s' $(seq 400); echo ${answers}`, description: "count" })
      : says(`counted ${answers}`);
  });
  const { mock, home } = place;
  const prompts = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `count again, number ${from + at}`);
  {
    const stdin = [`${RULE} Count sheep.`, ...prompts(2, 30), ""].join("\n");
    await using running = place.start(stdin);
    await mock.until(({ requests }) => JSON.stringify(requests.at(-1) ?? "").includes("number 20"));
    running.kill("SIGKILL");
    await running.exited;
  }
  const again = await place.type(["--continue"], ...prompts(21, 40));
  expect(again.code).toBe(0);
  const compactions = [...again.stdout.matchAll(/made shorter: .*, ([\d,]+) → ([\d,]+) tokens/g)];
  expect(compactions.length).toBeGreaterThan(0);
  expect(compactions.length).toBeLessThan(10);
  for (const [, before = "", after = ""] of compactions)
    expect(Number(after.replace(",", ""))).toBeLessThan(Number(before.replace(",", "")) * 0.7);
  const last = JSON.stringify(mock.requests.at(-1)?.body);
  for (const fact of [RULE, "count again, number 40"]) expect(last).toContain(fact);

  await using store = await openHomeStore(home.path);
  const [log] = await store.list({ limit: 1 });
  const messages = await store.messages(log?.logId ?? ("log_" as never));
  expect(messages[0]?.boundary).toBe(true);
  expect(checkValid(messages.map(({ message }) => message))).toEqual([]);
  // The log still has the first turn: nothing of it was changed.
  const events = await store.events(log?.logId ?? ("log_" as never), 0, 50);
  const first = events.find(({ kind }) => kind === "TurnStarted");
  expect(JSON.stringify(first)).toContain(RULE);
}, 300_000);

test("[SES-13 HOOK-01] a provider that finds the request too long gets a shorter one; hooks and clients are notified", async () => {
  await using place = openPlace((request) => says(isSummary(request) ? "Goal: talk." : "fine"));
  const { home, mock } = place;
  const told = join(home.path, "told.jsonl");
  // Nobody tells the window now: only the refusal does.
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[[hooks]]\nevent = "Compact"\ncmd = "cat >> ${told}"\n[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`,
  );
  const flags = ["--output-format", "stream-json"];
  const long = "talk ".repeat(2_000);
  for (const turn of [1, 2, 3, 4]) {
    const more = turn === 1 ? [] : ["--continue"];
    expect((await place.run("-p", `${turn} ${long}`, ...flags, ...more)).code).toBe(0);
  }
  const refused = mock.requests.length;
  const { code, stdout } = await place.run("-p", `5 ${long}`, ...flags, "--continue");
  expect(code).toBe(0);
  const payload = { trigger: "overflow", tier: 2, boundary: expect.any(Number) };
  expect(eventsOf(stdout, "CompactionTriggered")).toMatchObject([{ payload }]);
  expect(eventsOf(stdout, "TextDelta")).toMatchObject([{ payload: { text: "fine" } }]);
  expect(mock.requests.slice(refused).map(isSummary)).toEqual([false, true, false]);
  expect(parseJson(readFileSync(told, "utf8").trim())?.value).toMatchObject({
    event: "Compact",
    turn: 5,
    trigger: "overflow",
    tokens: expect.any(Number),
  });
}, 300_000);

test("[SES-13] /compact shortens the conversation and says what came of it", async () => {
  await using place = openPlace((request) => says(isSummary(request) ? "Goal: talk." : "fine"));
  const long = `1 ${"talk ".repeat(2_000)}`;
  const { code, stdout } = await place.type([], long, "two", "/compact", "/compact", "three", "/quit");
  expect([code, stdout.match(/^fine$/gm)?.length]).toEqual([0, 3]);
  expect(stdout).toMatch(/made shorter: earlier turns became a summary, \d,\d{3} → [\d,]+ tokens\n/);
  expect(stdout).toContain("Nothing to compact: the conversation is short already.\n");
  expect(JSON.stringify(place.mock.requests.at(-1)?.body)).toContain("Goal: talk.");
}, 300_000);
