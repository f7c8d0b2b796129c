import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { screenSetting, settingsFile } from "./settings-file.ts";

test("[TUI-02 TUI-11] the screen is read from terminal.toml before the first frame; any fault means the whole screen", async () => {
  await using folder = temporaryDirectory();
  const path = settingsFile(folder.path);
  expect(await screenSetting(folder.path)).toBe("full");
  const cases = [
    ['theme = "dark"\nscreen = "inline"\n', "inline"],
    ['  screen="reader" # words\n', "reader"],
    ['"screen" = "inline"\n', "inline"],
    ['screen = "sideways"\n', "full"],
    ['[keys]\nscreen = "inline"\n', "full"],
    ['screen = "inline\n', "full"],
    [`screen = "inline"\n#${"x".repeat(1 << 20)}`, "full"],
  ] as const;
  for (const [text, kind] of cases) {
    writeFileSync(path, text);
    expect(await screenSetting(folder.path)).toBe(kind);
  }
  mkdirSync(join(folder.path, "as-folder/terminal.toml"), { recursive: true });
  expect(await screenSetting(join(folder.path, "as-folder"))).toBe("full");
});
