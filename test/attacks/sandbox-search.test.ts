import { describe, expect } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Spawn } from "../../src/base/world.ts";
import { hostRipgrep } from "../../src/platform/ripgrep.ts";
import { globTool } from "../../src/tools/search/glob.ts";
import { grepTool } from "../../src/tools/search/grep.ts";
import { preferProgram } from "../support/requires.ts";
import { requireSandbox, seenInside } from "../support/sandbox-place.ts";
import type { SandboxRig } from "../support/sandbox-rig.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";
import { until } from "../support/until.ts";

const test = requireSandbox();

const ripgrep = hostRipgrep("/nowhere");
const GREP = grepTool(ripgrep);
const GLOB = globTool(ripgrep);
const CANARY = "CANARY-OUTSIDE";

/** A folder `d` in the workspace, and a link `l` beside it to one elsewhere with a file of the same name. */
function folders(rig: SandboxRig): void {
  mkdirSync(join(rig.root, "d"));
  writeFileSync(join(rig.root, "d/s0.txt"), "inside\n");
  writeFileSync(join(rig.outside, "s0.txt"), `${CANARY}\n`);
  writeFileSync(join(rig.outside, "only-outside.txt"), `${CANARY}\n`);
  symlinkSync(rig.outside, join(rig.root, "l"));
}

function swap({ root }: SandboxRig): void {
  renameSync(join(root, "d"), join(root, "was"));
  renameSync(join(root, "l"), join(root, "d"));
  renameSync(join(root, "was"), join(root, "l"));
}

/**
 * Puts the link in the place of the folder at the last moment: when the search program is started. What the program
 * then finds is what it would find by any swap while it runs.
 */
function swapsAtStart(rig: SandboxRig): void {
  const { spawn } = rig.world;
  const swapping: Spawn = (options) => {
    if (!options.argv.some((word) => word.endsWith("/rg"))) return spawn(options);
    swap(rig);
    const child = spawn(options);
    void child.exited.then(() => swap(rig));
    return child;
  };
  Object.assign(rig.world, { spawn: swapping });
  Object.assign(rig.context.world, { spawn: swapping });
}

/** Fails if the search runs unconfined: each prints the canary. */
describe("[SBX-01 S29] a search shows nothing of a folder that a link leads to", () => {
  const CALLS = [
    [GREP, { path: "d", pattern: `${CANARY}|inside` }],
    [GREP, { path: "d", pattern: CANARY, mode: "files" }],
    [GREP, { path: "d", pattern: CANARY, mode: "count" }],
    [GREP, { path: "d/s0.txt", pattern: CANARY }],
    [GLOB, { path: "d", pattern: "*.txt" }],
  ] as const;

  test("which replaces the searched one while the search starts", async () => {
    for (const [tool, input] of CALLS) {
      await using rig = openSandboxRig();
      folders(rig);
      swapsAtStart(rig);
      const said = await rig.call(tool, input);
      expect([tool.name, input, said]).toEqual([
        tool.name,
        input,
        expect.not.stringMatching(/CANARY-|only-outside/),
      ]);
    }
  }, 60_000);

  preferProgram("python3")(
    "which a command in the background exchanges for it all the time",
    async () => {
      await using rig = openSandboxRig();
      folders(rig);
      writeFileSync(join(rig.root, "swap.py"), EXCHANGE);
      const python = seenInside(Bun.which("python3") ?? "python3", dirname(rig.root));
      await rig.bash(`PYENV_VERSION= ${python} swap.py`, { background: true });
      await until("the exchange", () => Bun.file(join(rig.root, "going")).size > 0);
      const said: string[] = [];
      for (let n = 0; n < 60; n += 1)
        said.push(
          await rig.call(GREP, { path: "d", pattern: `${CANARY}|inside|x${n}` }),
          await rig.call(GLOB, { path: "d", pattern: "*" }),
        );
      // A call that was planned while the link stood there names what it leads to, and the gate asks for that.
      const unasked = said.filter((text) => !text.includes(rig.outside));
      expect(unasked.filter((text) => text.includes(CANARY) || text.includes("only-outside"))).toEqual([]);
      expect(unasked.some((text) => text.includes("d/s0.txt"))).toBe(true);
      expect(await rig.bash("echo still going")).toContain("still going");
    },
    120_000,
  );
});

const EXCHANGE = `import ctypes, platform, time
c = ctypes.CDLL(None); end = time.time() + 100
number = 276 if platform.machine() == "aarch64" else 316
open("going", "w").write("yes")
while time.time() < end:
    c.syscall(number, -100, b"d", -100, b"l", 2)
    time.sleep(0.002)
`;

describe("[SBX-01 TOOL-03] a search in the sandbox", () => {
  test("finds what it found before: ignore files of the folder, above it, and of a repository above", async () => {
    await using rig = openSandboxRig();
    const above = dirname(rig.root);
    mkdirSync(join(above, ".git/info"), { recursive: true });
    writeFileSync(join(above, ".git/info/exclude"), "excluded.txt\n");
    writeFileSync(join(above, ".gitignore"), "above.txt\n");
    writeFileSync(join(rig.root, ".ignore"), "own.txt\n");
    mkdirSync(join(rig.root, "sub"));
    for (const name of ["excluded.txt", "above.txt", "own.txt", "kept.txt", "sub/kept.txt"])
      writeFileSync(join(rig.root, name), "needle\n");
    expect(await rig.call(GREP, { pattern: "needle", mode: "files" })).toBe("kept.txt\nsub/kept.txt");
    expect((await rig.call(GLOB, { pattern: "**/*.txt" })).split("\n").sort()).toEqual([
      "kept.txt",
      "sub/kept.txt",
    ]);
    expect(await rig.call(GREP, { pattern: "needle", path: "sub/kept.txt" })).toContain("needle");
    writeFileSync(join(rig.outside, "other.txt"), "needle\n");
    expect(await rig.call(GREP, { pattern: "needle", path: rig.outside })).toContain("other.txt\n1:needle");
    rmSync(join(rig.root, "sub"), { recursive: true });
  });

  test("reads no place that is hidden, unless that place is what is searched", async () => {
    await using rig = openSandboxRig({ denied: () => ({ hidden: [join(rig.root, "keys")], readOnly: [] }) });
    mkdirSync(join(rig.root, "keys"));
    writeFileSync(join(rig.root, "keys/one"), "needle\n");
    writeFileSync(join(rig.root, "two"), "needle\n");
    expect(await rig.call(GREP, { pattern: "needle", mode: "files" })).toBe("two");
    expect(await rig.call(GREP, { pattern: "needle", path: "keys" })).toContain("keys/one\n1:needle");
  });

  test("continues without one where there is none", async () => {
    await using rig = openSandboxRig({ settings: { backend: "none" } });
    writeFileSync(join(rig.root, "two"), "needle\n");
    expect(await rig.call(GREP, { pattern: "needle", mode: "files" })).toBe("two");
  });
});
