import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { FEATURES } from "../../../app/features.ts";
import { readProjectItems, readUserItems, SETTINGS_FILES } from "./find-items.ts";
import { ITEM_FILE_BYTES_MAX, ITEM_FILES_MAX } from "./read-item.ts";

const { files } = testWorld();
const LAYOUTS = [...SETTINGS_FILES, ...FEATURES.flatMap(({ trust }) => trust?.layouts ?? [])];

function project(content: Readonly<Record<string, string>>) {
  const directory = temporaryDirectory();
  const root = join(directory.path, "repo");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(content)) write(path, text);
  return {
    root,
    write,
    async found() {
      const { items, refused } = await readProjectItems(files, root, LAYOUTS);
      return {
        items: items.map(({ kind, path, files: all }) => [
          kind,
          relative(root, path),
          all.map((file) => file.path).join(" "),
        ]),
        refused: refused.map(({ path, why }) => `${relative(root, path)} ${why}`),
      };
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("[TOFU-01] every kind of file below .cinch and .agents is found, each separately, a skill with all its files", async () => {
  await using at = project({
    ".cinch/config.toml": "",
    ".cinch/permissions.toml": "",
    ".cinch/aliases.toml": "",
    ".cinch/hooks.toml": "",
    ".cinch/mcp.json": "{}",
    ".cinch/profile.toml": "",
    ".cinch/hooks/pre.sh": "",
    ".cinch/profiles/a.toml": "",
    ".cinch/profiles/preset/p.toml": "",
    ".cinch/agents/a.md": "",
    ".cinch/prompts/p.md": "",
    ".cinch/skills/s/SKILL.md": "s",
    ".cinch/skills/s/scripts/run.sh": "x",
    ".cinch/skills/s/.hidden": "x",
    ".cinch/skills/s/deep/er/x.md": "x",
    ".agents/skills/t/SKILL.md": "t",
    ".agents/prompts/q.md": "",
    ".agents/notes.txt": "not loaded by anything",
    ".cinch/cache/x": "nor this",
    "nested/.cinch/config.toml": "another project's, if it is one",
  });
  expect(await at.found()).toEqual({
    items: [
      ["config", ".cinch/config.toml", ""],
      ["permission-preset", ".cinch/permissions.toml", ""],
      ["alias-file", ".cinch/aliases.toml", ""],
      ["hook", ".cinch/hooks.toml", ""],
      ["mcp", ".cinch/mcp.json", ""],
      ["profile", ".cinch/profile.toml", ""],
      ["hook", ".cinch/hooks/pre.sh", ""],
      ["profile", ".cinch/profiles/a.toml", ""],
      ["permission-preset", ".cinch/profiles/preset/p.toml", ""],
      ["agent", ".cinch/agents/a.md", ""],
      ["prompt-template", ".cinch/prompts/p.md", ""],
      ["skill", ".cinch/skills/s", ".hidden SKILL.md deep/er/x.md scripts/run.sh"],
      ["skill", ".agents/skills/t", "SKILL.md"],
      ["prompt-template", ".agents/prompts/q.md", ""],
    ],
    refused: [],
  });
});

test("[TOFU-01 S42 R22] what is too large, too many, no file, or a way out of the project is refused, not skipped", async () => {
  await using at = project({
    ".cinch/skills/big/SKILL.md": "x".repeat(ITEM_FILE_BYTES_MAX + 1),
    ".cinch/skills/padded/SKILL.md": "s",
    ".cinch/skills/padded/README.md": " ".repeat(ITEM_FILE_BYTES_MAX + 1),
    ".cinch/skills/out/SKILL.md": "s",
    ".cinch/skills/folders/SKILL.md": "s",
    ".cinch/skills/inside/SKILL.md": "s",
    ".cinch/skills/fifo/SKILL.md": "s",
    "../secret": "secret",
    "../secrets/x": "secret",
    ".cinch/hooks/ok.sh": "x",
  });
  const skill = (path: string) => join(at.root, ".cinch/skills", path);
  symlinkSync("../../../../secret", skill("out/asset"));
  symlinkSync("../../../../secrets", skill("folders/assets"));
  symlinkSync("SKILL.md", skill("inside/again.md"));
  symlinkSync("../../../secrets", skill("linked"));
  symlinkSync("../../../secret", join(at.root, ".cinch/hooks/evil.sh"));
  symlinkSync("nowhere", join(at.root, ".cinch/hooks/gone.sh"));
  mkdirSync(skill("many"), { recursive: true });
  for (let n = 0; n <= ITEM_FILES_MAX; n++) writeFileSync(skill(`many/${n}`), "");
  Bun.spawnSync(["mkfifo", skill("fifo/pipe")]);
  const { items, refused } = await at.found();
  expect(items).toEqual([
    ["hook", ".cinch/hooks/ok.sh", ""],
    ["skill", ".cinch/skills/inside", "SKILL.md again.md"],
  ]);
  expect(refused.map((why) => why.replace(/ENOENT.*?'/, "ENOENT'"))).toEqual([
    ".cinch/hooks/evil.sh is a link that leads outside, and was not read",
    expect.stringMatching(/^\.cinch\/hooks\/gone\.sh cannot be read: ENOENT/),
    ".cinch/skills/big holds SKILL.md, which has 1,048,577 bytes, more than 1,048,576, and was not read",
    ".cinch/skills/fifo holds pipe, which is not a regular file, and was not read",
    ".cinch/skills/folders holds assets, which is a link that leads outside, and was not read",
    ".cinch/skills/linked is a link that leads outside, and was not read",
    ".cinch/skills/many holds more than 256 files, and was not read",
    ".cinch/skills/out holds asset, which is a link that leads outside, and was not read",
    ".cinch/skills/padded holds README.md, which has 1,048,577 bytes, more than 1,048,576, and was not read",
  ]);
});

test("[TOFU-01] whether a file is executable belongs to what is acknowledged", async () => {
  await using at = project({ ".cinch/hooks/x": "echo" });
  const hash = async () => (await readProjectItems(files, at.root, LAYOUTS)).items[0]?.files[0]?.executable;
  expect(await hash()).toBe(false);
  chmodSync(join(at.root, ".cinch/hooks/x"), 0o755);
  expect(await hash()).toBe(true);
});

test("[TOFU-01 TOFU-02] of the user's own folder aliases and skills are found, and its hooks need no acknowledgement", async () => {
  await using at = project({
    "aliases.toml": "",
    "skills/s/SKILL.md": "s",
    "hooks/x.sh": "",
    "config.toml": "",
  });
  const { items } = await readUserItems(files, at.root, LAYOUTS);
  expect(items.map(({ kind, scope, path }) => [kind, scope, relative(at.root, path)])).toEqual([
    ["alias-file", "user", "aliases.toml"],
    ["skill", "user", "skills/s"],
  ]);
  expect(await readUserItems(files, join(at.root, "nowhere"), LAYOUTS)).toEqual({ items: [], refused: [] });
});

test("[TOFU-01] no two layouts have the same position, so a person is always asked in one order", () => {
  const positions = LAYOUTS.map((layout) => `${layout.in} ${layout.order}`);
  expect(positions.filter((each, index) => positions.indexOf(each) !== index)).toEqual([]);
});
