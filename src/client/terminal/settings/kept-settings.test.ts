import { expect, test } from "bun:test";
import { KeptSettings } from "./kept-settings.ts";

test("[TUI-11] a change also takes what the person has written into the file meanwhile", async () => {
  let file = "vim_keys = false\n";
  let changes = 0;
  const settings = new KeptSettings({
    host: {
      settingsPath: "/config/terminal.toml",
      readSettings: async () => file,
      writeSettings: async (text) => {
        file = text;
      },
    },
    changed: () => {
      changes += 1;
    },
    showFailure: (failure) => {
      throw failure;
    },
  });
  await settings.reload();
  file = "vim_keys = true\n";
  settings.change({ mouse: "off" });
  await settings.settle();
  expect(settings.values).toMatchObject({ vimKeys: true, mouse: "off" });
  expect([file, changes]).toEqual(['vim_keys = true\nmouse = "off"\n', 3]);
});
