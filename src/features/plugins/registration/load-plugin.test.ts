import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { trustFile } from "../../../guard/trust/ledger/item.ts";
import type { TrustItem } from "../../../session/guard/trust.ts";
import { loadPlugin } from "./load-plugin.ts";

const { files } = testWorld();
const PLUGIN = 'export const plugin = { name: "mine", apiVersion: 1, register() {}, said: word };';

function openRig() {
  const directory = temporaryDirectory();
  const at = join(directory.path, "plugin");
  const folder = join(directory.path, "data/plugins");
  const imported: string[] = [];
  return {
    at,
    folder,
    imported,
    /** An item as it was read, and the same files on the disk. */
    item(texts: Readonly<Record<string, string>>): TrustItem {
      for (const [name, text] of Object.entries(texts)) {
        const path = name === "" ? at : join(at, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
      const all = Object.entries(texts).map(([name, text]) =>
        trustFile(name, new TextEncoder().encode(text), 0o644),
      );
      return { kind: "plugin", scope: "user", path: at, files: all };
    },
    load: (item: TrustItem) =>
      loadPlugin(item, {
        files,
        folder,
        importModule(path) {
          imported.push(path);
          return import(path);
        },
      }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("[PLUG-02 S29] what is imported is what was acknowledged, files beside it too, whatever lies in its place by now", async () => {
  await using rig = openRig();
  const item = rig.item({
    "plugin.ts": `import { word } from "./lib/word.ts"; ${PLUGIN}`,
    "lib/word.ts": 'export const word: string = "seen";',
  });
  writeFileSync(join(rig.at, "lib/word.ts"), 'export const word = "swapped";');
  expect(await rig.load(item)).toMatchObject({ name: "mine", said: "seen" });
  expect(rig.imported[0]).toStartWith(rig.folder);
});

test("[PLUG-02 S29] a copy that was tampered with is replaced", async () => {
  await using rig = openRig();
  const item = rig.item({ "plugin.ts": `const word = "seen"; ${PLUGIN}` });
  await rig.load(item);
  const [own = ""] = readdirSync(rig.folder);
  const copy = join(rig.folder, own, "plugin.ts");
  rmSync(copy);
  writeFileSync(copy, `const word = "tampered"; ${PLUGIN}`);
  await rig.load(item);
  expect(await Bun.file(copy).text()).toStartWith('const word = "seen"');
  chmodSync(copy, 0o666);
  await rig.load(item);
  expect((await files.stat(copy))?.mode.toString(8)).toEndWith("400");
});

test("[PLUG-02] one file alone is a plugin, under any name", async () => {
  await using rig = openRig();
  expect(await rig.load(rig.item({ "": `const word = "alone"; ${PLUGIN}` }))).toMatchObject({
    said: "alone",
  });
});

test("[PLUG-02] a single file is loaded under its own name", async () => {
  await using rig = openRig();
  for (const [text, problem] of [
    ["# Read me first", "plugin cannot be read as code, TypeScript or JavaScript: "],
    ['import "leftpad"', 'plugin imports "leftpad", which is not among its files'],
  ] as const)
    await expect(rig.load(rig.item({ "": text }))).rejects.toMatchObject({
      message: expect.stringContaining(`The plugin ${rig.at} cannot be used: ${problem}`),
    });
});

const REFUSED: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  [
    "a file outside of its folder",
    { "plugin.ts": 'import "../other.ts"' },
    'plugin.ts imports "../other.ts"',
  ],
  ["a file by its absolute path", { "plugin.ts": 'import "/etc/x.ts"' }, 'plugin.ts imports "/etc/x.ts"'],
  ["a package that is not in it", { "plugin.ts": 'import "left-pad"' }, 'plugin.ts imports "left-pad"'],
  ["an address", { "plugin.ts": 'await import("https://x.y/z.js")' }, 'plugin.ts imports "https://x.y/z.js"'],
  [
    "what is missing, from a file behind its entry",
    { "plugin.ts": 'import "./a.ts"', "a.ts": 'require("./b.ts")' },
    'a.ts imports "./b.ts"',
  ],
  ["nothing, since it is no code", { "plugin.ts": "const = 7" }, "plugin.ts cannot be read as code"],
  ["nothing, since it throws", { "plugin.ts": 'throw new Error("no luck")' }, "importing it failed: no luck"],
  ["nothing, since it has no entry", { "other.ts": "" }, "its folder has none of plugin.ts"],
  ["nothing, since it exports none", { "plugin.ts": "export const a = 1" }, "it exports no plugin"],
];

test.each(REFUSED)(
  "[PLUG-02] a plugin that imports %s is refused, with the reason",
  async (_, texts, problem) => {
    await using rig = openRig();
    await expect(rig.load(rig.item(texts))).rejects.toMatchObject({
      reason: "PluginInvalid",
      message: expect.stringContaining(`The plugin ${rig.at} cannot be used: ${problem}`),
    });
  },
);

test("[PLUG-02] types of cinch, modules of Bun and Node, and its own node_modules can be imported", async () => {
  await using rig = openRig();
  const item = rig.item({
    "plugin.ts": `import type { Plugin } from "cinch"; import { join } from "node:path"; import { a } from "dep";\nconst word = join(a, "b"); ${PLUGIN}`,
    "node_modules/dep/package.json": '{ "name": "dep", "main": "index.js" }',
    "node_modules/dep/index.js": 'export const a = "a";',
  });
  expect(await rig.load(item)).toMatchObject({ said: "a/b" });
});
