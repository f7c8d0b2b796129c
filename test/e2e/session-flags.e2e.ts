import { expect, test } from "bun:test";
import { startEngineIn } from "../support/both-ways.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";

const TIMEOUT_MS = 300_000;
const WAYS = ["own", "running"] as const;

/** Returns the system text of each request that the model got. */
function systemTexts({ provider }: MockHome): readonly string[] {
  return provider.requests.map(({ body }) => {
    const [first] = body["messages"] as readonly { readonly role: string; readonly content: string }[];
    return first?.role === "system" ? first.content : "";
  });
}

test.each(WAYS)(
  "[CLI-02] --append-system-prompt ends the system text of its session alone, and a resume says what it began with: %s engine",
  async (way) => {
    await using place = openMockHome([says("one"), says("two"), says("three"), says("four")]);
    await using _engine = way === "running" ? await startEngineIn(place) : undefined;
    const prompt = (...words: readonly string[]) =>
      place.run([...words, "-p", "go", ...(way === "own" ? ["--own-engine"] : [])]);
    const first = await prompt("--append-system-prompt", "Answer in Welsh.");
    expect([first.code, first.stdout]).toEqual([0, "one\n"]);
    const resumed = await prompt("--continue");
    expect(resumed.stdout).toBe("two\n");
    expect(resumed.stderr).toContain('--append-system-prompt "Answer in Welsh."');
    const changed = await prompt("--continue", "--append-system-prompt", "Answer in Breton.");
    expect([changed.stdout, changed.stderr]).toEqual(["three\n", expect.not.stringContaining("Welsh")]);
    expect((await prompt()).stderr).not.toContain("append");
    const [begun = "", without = "", other = "", next = ""] = systemTexts(place);
    expect(begun).toEndWith("\n\nAnswer in Welsh.");
    expect(other).toEndWith("\n\nAnswer in Breton.");
    for (const text of [without, next]) expect(text).not.toContain("Answer in");
  },
  TIMEOUT_MS,
);

test("[CLI-02] a text that is too long, or empty, is a usage error that names the flag", async () => {
  await using place = openMockHome([says("one")]);
  const long = await place.run(["-p", "go", "--append-system-prompt", "x".repeat(20_001)]);
  expect([long.code, long.stderr]).toEqual([
    2,
    expect.stringContaining("at most 20000 characters, not 20001"),
  ]);
  const empty = await place.run(["-p", "go", "--append-system-prompt", " "]);
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining("--append-system-prompt is empty")]);
  expect(place.provider.requests).toEqual([]);
});
