import { expect, test } from "bun:test";
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./source.ts";
import { temporaryDirectory } from "./world.ts";

test("a test whose program is missing is left out and recorded, or fails where all are required", async () => {
  await using folder = temporaryDirectory();
  const file = join(folder.path, "sample.test.ts");
  const omitted = join(folder.path, "omitted.jsonl");
  await Bun.write(
    file,
    `import { requireProgram } from ${JSON.stringify(join(ROOT, "test/support/requires.ts"))};
     requireProgram("cinch-no-such-program")("needs what is not there", () => {});
     requireProgram("sh")("needs a shell", () => {});`,
  );
  const run = (env: Record<string, string>) =>
    Bun.spawnSync([process.execPath, "--config=/dev/null", "test", file], {
      cwd: folder.path,
      env: { PATH: process.env["PATH"] ?? "", CINCH_TEST_OMITTED: omitted, ...env },
    });

  expect(run({}).exitCode).toBe(0);
  const line = {
    program: "cinch-no-such-program",
    test: "needs what is not there",
    file: relative(ROOT, realpathSync(file)),
  };
  expect(await Bun.file(omitted).text()).toBe(`${JSON.stringify(line)}\n`);

  const required = run({ CINCH_TEST_REQUIRE: "all" });
  expect(required.exitCode).toBe(1);
  expect(required.stderr.toString()).toContain("needs the program cinch-no-such-program");
  expect(required.stderr.toString()).toContain("1 pass");
});
