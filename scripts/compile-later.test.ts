import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../test/support/world.ts";
import { compileThresholds, laterCompilation } from "./compile-later.ts";

test("[PERF-02] the engine of the compiled program has the later thresholds", async () => {
  await using folder = await temporaryDirectory();
  const program = join(folder.path, "bun");
  writeFileSync(program, laterCompilation(readFileSync(process.execPath)));
  chmodSync(program, 0o755);
  const options = [thresholdsOf(process.execPath), thresholdsOf(program)];
  expect(options[1]).toEqual(compileThresholds());
  expect(options[0]).not.toEqual(options[1]);
});

test("[PERF-02] an executable without the thresholds, or with two of them, is refused", () => {
  const bun = readFileSync(process.execPath);
  expect(() => laterCompilation(new Uint8Array(100))).toThrow("scripts/compile-later.ts");
  expect(() => laterCompilation(Buffer.concat([bun, bun]))).toThrow("scripts/compile-later.ts");
});

/** Asks a Bun for its thresholds. */
function thresholdsOf(program: string): Readonly<Record<string, number>> {
  const { stdout, stderr } = Bun.spawnSync([program, "--no-install", "--config=/dev/null", "-e", "0"], {
    env: { BUN_JSC_dumpOptions: "2" },
  });
  const said = `${stdout}${stderr}`;
  return Object.fromEntries(
    Object.keys(compileThresholds()).map((option) => [
      option,
      Number(new RegExp(`\\b${option}=(\\d+)`).exec(said)?.[1]),
    ]),
  );
}
