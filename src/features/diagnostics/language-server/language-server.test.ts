import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settle } from "../../../../test/support/fake-clock.ts";
import { noneWith } from "../../../../test/support/processes.ts";
import { ROOT } from "../../../../test/support/source.ts";
import type { ToolRig } from "../../../../test/support/tool-rig.ts";
import { openToolRig } from "../../../../test/support/tool-rig.ts";
import { until } from "../../../../test/support/until.ts";
import type { SourceSettings } from "../diagnostic-source.ts";
import { languageServer } from "./language-server.ts";

const [TSC] = [...new Bun.Glob("node_modules/@typescript/typescript-*/lib/tsc").scanSync(ROOT)];
const CHILD = join(ROOT, "test", "support", "language-server-child.ts");
const TIMEOUT_MS = 300_000;

function server(rig: ToolRig, how: string, more: Partial<SourceSettings> = {}) {
  const { world, root } = rig;
  const command = [
    process.execPath,
    "--no-install",
    "--no-env-file",
    "--config=/dev/null",
    CHILD,
    how,
  ] as const;
  return languageServer(
    { name: "badness", kind: "language-server", files: ["*.txt"], command, waitMs: 5_000, ...more },
    { world, root, env: {}, spawn: async () => world.spawn },
  );
}

function write(rig: ToolRig, name: string, text: string): string {
  const path = join(rig.root, name);
  writeFileSync(path, text);
  return path;
}

const go = () => new AbortController().signal;

test(
  "[TOOL-11] a real language server reports the errors of a file, and the corrected ones",
  async () => {
    await using rig = openToolRig();
    write(rig, "tsconfig.json", '{"compilerOptions":{"strict":true}}');
    await using source = server(rig, "", {
      name: "typescript",
      files: ["*.ts"],
      command: [join(ROOT, TSC ?? "tsc"), "--lsp", "--stdio"],
    });
    const path = write(rig, "a.ts", 'export const one: number = "1";\nexport const two = nothing;\n');
    expect([source.covers(path), source.covers(join(rig.root, "a.txt")), source.covers("/etc/a.ts")]).toEqual(
      [true, false, false],
    );
    expect(await source.check([path], go())).toBe(
      [
        "[typescript: 2 errors, 0 warnings]",
        "a.ts:1:14: error 2322: Type 'string' is not assignable to type 'number'.",
        "a.ts:2:20: error 2304: Cannot find name 'nothing'.",
      ].join("\n"),
    );
    write(rig, "b.ts", "export const nothing = 2;\n");
    write(
      rig,
      "a.ts",
      'import { nothing } from "./b";\nexport const one = 1;\nexport const two = nothing;\n',
    );
    expect(await source.check([path], go())).toBe("[typescript: no problems]");
  },
  TIMEOUT_MS,
);

test(
  "[TOOL-11] a real language server hears of what a command has made, changed and removed, in files that it was never shown",
  async () => {
    await using rig = openToolRig();
    write(rig, "tsconfig.json", '{"compilerOptions":{"strict":true}}');
    write(rig, "b.ts", "export const two = 2;\n");
    await using source = server(rig, "", {
      name: "typescript",
      files: ["*.ts"],
      command: [join(ROOT, TSC ?? "tsc"), "--lsp", "--stdio"],
    });
    let lines = 0;
    const check = async () => {
      const text = `import { two } from "./b";\nexport const one: number = two;\n${"\n".repeat(lines++)}`;
      const told = await source.check([write(rig, "a.ts", text)], go());
      return told.split("\n").at(-1);
    };
    expect(await check()).toBe("[typescript: no problems]");
    write(rig, "b.ts", 'export const two = "2";\n');
    source.stale();
    expect(await check()).toBe("a.ts:2:14: error 2322: Type 'string' is not assignable to type 'number'.");
    rmSync(join(rig.root, "b.ts"));
    source.stale();
    expect(await check()).toContain("a.ts:1:21: error 2307: Cannot find module './b'");
    mkdirSync(join(rig.root, "b"));
    write(rig, "b/index.ts", "export const two = 2;\n");
    source.stale();
    expect(await check()).toBe("[typescript: no problems]");
  },
  TIMEOUT_MS,
);

for (const how of ["asked", "tells"]) {
  test(
    `[TOOL-11] a server that ${how === "asked" ? "answers when it is asked" : "tells by itself"} gets each change, and its last answer counts`,
    async () => {
      await using rig = openToolRig();
      await using source = server(rig, how);
      const check = async (...paths: string[]) => {
        const told = source.check(paths, go());
        let isOver = false;
        const over = told.finally(() => {
          isOver = true;
        });
        // The quiet after its word passes by the fake clock, the answers in their own time.
        await until("the check is over", async () => {
          const isQuiet = rig.world.clock.waiting > 1; // its time limit, and the wait for another word
          if (isQuiet) await rig.world.clock.advance(400);
          await settle();
          return isOver;
        });
        return await over;
      };
      const path = write(rig, "a.txt", "good\nso bad\n");
      expect(await check(path)).toBe("[badness: 1 error, 0 warnings]\na.txt:2:4: error no-bad: this is bad");
      write(rig, "a.txt", "good\n");
      expect(await check(path)).toBe("[badness: no problems]");
    },
    TIMEOUT_MS,
  );
}

test(
  "[TOOL-11 S22] a server gets no file that a link has replaced, and none in a folder that is now a link",
  async () => {
    await using rig = openToolRig();
    await using source = server(rig, "asked");
    const elsewhere = join(rig.root, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "a.txt"), "bad");
    mkdirSync(join(rig.root, "own"));
    const [file, inside] = [write(rig, "a.txt", "good"), write(rig, "own/a.txt", "good")];
    expect(await source.check([file, inside], go())).toBe("[badness: no problems]");
    rmSync(file);
    symlinkSync(join(elsewhere, "a.txt"), file);
    rmSync(join(rig.root, "own"), { recursive: true });
    symlinkSync(elsewhere, join(rig.root, "own"));
    expect(await source.check([file, inside], go())).toBe("[badness: no problems]");
  },
  TIMEOUT_MS,
);

test(
  "[TOOL-11 REL-04] a server that says too much in few messages is ended as one that floods",
  async () => {
    await using rig = openToolRig();
    await using source = server(rig, "pours");
    expect(await source.check([write(rig, "a.txt", "bad")], go())).toBe("[badness: it floods]");
  },
  TIMEOUT_MS,
);

test(
  "[TOOL-11 REL-01] a server that dies, floods or talks nonsense harms nothing, and after three times it is left alone",
  async () => {
    for (const [how, why] of [
      ["dies", "it has ended"],
      ["floods", "it floods"],
      ["garbage", "its output is not a protocol message"],
    ] as const) {
      await using rig = openToolRig();
      await using source = server(rig, how);
      const path = write(rig, "a.txt", "bad");
      const said: string[] = [];
      for (let at = 0; at < 4; at++) said.push(await source.check([path], go()));
      const failed = `[badness: ${why}]`;
      expect([how, ...said]).toEqual([
        how,
        failed,
        failed,
        failed,
        "[badness: it has failed 3 times, and is not asked any more]",
      ]);
    }
  },
  TIMEOUT_MS,
);

test(
  "[TOOL-11 REL-01 ENG-22] a server that never answers is waited for as long as its settings say, and a cancel ends the wait at once",
  async () => {
    await using rig = openToolRig();
    const path = write(rig, "a.txt", "bad");
    await using hangs = server(rig, "hangs");
    const first = hangs.check([path], go());
    await until("the check waits", () => rig.world.clock.waiting > 0);
    await rig.world.clock.advance(20_000);
    expect(await first).toBe("[badness: it was not ready within 20 s]");
    await using mute = server(rig, "mute");
    const stop = new AbortController();
    const waiting = mute.check([path], stop.signal).catch((thrown: Error) => thrown.message);
    stop.abort(new Error("stopped"));
    expect(await waiting).toBe("stopped");
  },
  TIMEOUT_MS,
);

test(
  "[TOOL-11 REL-03] a server ends with its session, also one that does not want to",
  async () => {
    await using rig = openToolRig();
    const path = write(rig, "a.txt", "bad");
    const mark = `HOW=asked-${process.pid}`;
    const source = languageServer(
      {
        name: "badness",
        kind: "language-server",
        files: ["*.txt"],
        command: [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", CHILD, "asked"],
        waitMs: 5_000,
      },
      {
        world: rig.world,
        root: rig.root,
        env: { HOW: mark.slice("HOW=".length) },
        spawn: async () => rig.world.spawn,
      },
    );
    await source.check([path], go());
    await source[Symbol.asyncDispose]();
    await noneWith(mark);
  },
  TIMEOUT_MS,
);

test("[TOOL-11] a missing program is reported, and fails no call", async () => {
  await using rig = openToolRig();
  await using source = server(rig, "", { command: ["no-such-language-server"] });
  expect(await source.check([write(rig, "a.txt", "x")], go())).toContain("no-such-language-server");
});
