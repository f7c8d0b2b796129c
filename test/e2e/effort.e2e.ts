import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";

const TIMEOUT_MS = 300_000;

test(
  "[PROV-02 PROF-03] the effort of the configuration reaches the model, --effort goes before it, and a wrong word is refused",
  async () => {
    using home = cinchHome();
    await using provider = startMockProvider({ script: [says("one"), says("two"), says("three")] });
    const config = join(home.path, "config/cinch");
    mkdirSync(config, { recursive: true });
    const write = (effort: string) =>
      writeFileSync(
        join(config, "config.toml"),
        `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n[thinking]\neffort = "${effort}"\n`,
      );
    const run = (...args: readonly string[]) =>
      runCinch(["--model", "mock:one", ...args, "-p", "x"], { home });
    write("medium");
    expect((await run()).stdout).toBe("one\n");
    expect((await run("--effort", "max")).stdout).toBe("two\n");
    expect((await run("--effort", "off")).stdout).toBe("three\n");
    const asked = provider.requests.map(({ body }) => body["reasoning_effort"]);
    expect(asked).toEqual(["medium", "high", undefined]);
    const wrong = await run("--effort", "hard");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("off, low, medium, high, xhigh, max"),
    ]);
    write("hard");
    const misread = await run();
    expect([misread.code, misread.stderr]).toEqual([
      2,
      expect.stringContaining("config.toml:5: thinking.effort"),
    ]);
  },
  TIMEOUT_MS,
);
