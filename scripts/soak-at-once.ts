import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { arrayAt } from "../src/base/json.ts";
import { cinchHome, runCinch } from "../test/support/cinch.ts";
import { openHomeStore } from "../test/support/home-store.ts";
import { startMockProvider } from "../test/support/mock-provider/mock-provider.ts";
import { calls, says } from "../test/support/mock-provider/turn.ts";

/** Time limit of one run while all of them share the machine. */
const RUN_MS_MAX = 300_000;

/**
 * Starts `count` runs with a command at the same moment on one session store, `rounds` times (SES-16). Each must end
 * with 0 and its answer and leave its log in the store.
 */
export async function soakAtOnce(count: number, rounds: number): Promise<readonly string[]> {
  const failures: string[] = [];
  using home = cinchHome();
  await using mock = startMockProvider({
    script: ({ body }) =>
      arrayAt(body, "messages").some((message) => Reflect.get(Object(message), "role") === "tool")
        ? says("done")
        : calls("Bash", { command: "echo one" }),
  });
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(join(home.path, "config/cinch/config.toml"), `default_model = "mock:one"\n${provider}`);
  for (let round = 1; round <= rounds; round++) {
    const startedMs = performance.now();
    const ended = await Promise.all(
      Array.from({ length: count }, () =>
        runCinch(["-p", "go", "--auto-approve"], { home, cwd: work, timeoutMs: RUN_MS_MAX }),
      ),
    );
    const failed = ended.filter(({ code, stdout }) => code !== 0 || stdout !== "done\n");
    for (const { code, stderr } of failed) failures.push(`round ${round}: ended with ${code}: ${stderr}`);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`round ${round}: ${count} runs, ${failed.length} failed, ${seconds} s`);
  }
  await using store = await openHomeStore(home.path);
  const logs = await store.list({ limit: count * rounds + 1 });
  if (logs.length !== count * rounds)
    failures.push(`${logs.length} of ${count * rounds} logs are in the store`);
  return failures;
}
