import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lazyImportsOf, START_IMPORTS } from "../scripts/start-chunk.ts";
import { openMockHome } from "./support/mock-home.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { ROOT } from "./support/source.ts";

test("[PERF-01] the chunk of the start has what a plain -p imports dynamically, and nothing else", async () => {
  await using place = openMockHome(
    [calls("Read", { file_path: "note.txt", limit: 10 }), says("It has one line."), says("Done.")],
    // It is tried beside the first answer, if the answer takes long enough.
    '[sandbox]\nbackend = "none"\n',
  );
  writeFileSync(join(place.work, "note.txt"), "one line\n");
  const report = join(place.home.path, "loaded");
  const loaded = new Set<string>();
  // The first run makes the home; every later one finds it.
  for (const prompt of ["read the note", "go on"]) {
    const child = Bun.spawn(
      [
        process.execPath,
        ...[
          "--no-install",
          "--no-env-file",
          "--config=/dev/null",
          `--tsconfig-override=${ROOT}/tsconfig.json`,
        ],
        ...[
          "--preload",
          join(ROOT, "test/support/loaded-modules.ts"),
          join(ROOT, "src/cli/main.ts"),
          "-p",
          prompt,
        ],
      ],
      {
        cwd: place.work,
        env: { PATH: process.env["PATH"], TERM: "dumb", LOADED_MODULES: report, ...place.home.env },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    expect(await child.exited, await new Response(child.stderr).text()).toBe(0);
    for (const file of readFileSync(report, "utf8").trim().split("\n")) loaded.add(file);
  }
  const imported = lazyImportsOf(ROOT, [...loaded]).filter((file) => loaded.has(file));
  expect(imported.sort()).toEqual([...START_IMPORTS].sort());
}, 60_000);
