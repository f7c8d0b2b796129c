import { expect, test } from "bun:test";
import { KeyTable } from "../keys/key-table.ts";
import { DEFAULT_SETTINGS } from "./client-settings.ts";
import { editSettings } from "./edit-settings.ts";
import { KeptSettings } from "./kept-settings.ts";
import { SETTING_KEYS, TERMINAL_SETTING_NAMES } from "./setting-keys.ts";
import { readSettingsText } from "./settings-text.ts";

const PERSONS = `# mine
theme = 'light'   # for the sun
 last_lines=3

# colours are odd in tmux
[keys]
app.palette = ["ctrl+p", "f2"]
"edit.undo" = "ctrl+u"
`;

test("[TUI-11 bar Keys] a file gives settings and keys, with or without quotes", async () => {
  const { values, keys, problems } = await readSettingsText(PERSONS);
  expect(problems).toEqual([]);
  expect(values).toEqual({ theme: "light", lastLines: 3 });
  expect(keys).toEqual({ "app.palette": ["ctrl+p", "f2"], "edit.undo": ["ctrl+u"] });
});

test("[TUI-11 bar Keys] each wrong entry is named with its line and what to do, and the rest counts", async () => {
  const text = `theme = "drak"
them = "dark"
last_lines = -1
mouse = "full"
[keys]
app.palete = "f2"
app.help = ["ctlr+k", "f3"]
input.send = 7
app.palette = ["x"]
app.interrupt = []
input.newLine = ["vim-norml:enter"]
`;
  const { values, keys, problems } = await readSettingsText(text);
  expect(values).toEqual({ mouse: "full" });
  expect(keys).toEqual({ "app.help": ["f3"] });
  expect(problems).toEqual([
    'line 1: theme cannot be "drak". Did you mean dark?',
    "line 2: them is not a setting. Did you mean theme?",
    "line 3: last_lines must be a whole number from 0 to 1000.",
    "line 6: app.palete is not an action. Did you mean app.palette?",
    'line 7: app.help names "ctlr+k", which is not a key. Did you mean ctrl?',
    'line 8: input.send must be a list of keys, such as ["ctrl+k"], or [] for none.',
    'line 9: app.palette names "x", which could not be typed any more: add ctrl+ or alt+.',
    "line 10: app.interrupt needs a key: without one nobody could leave. It keeps ctrl+c.",
    'line 11: input.newLine names the mode "vim-norml". Did you mean vim-normal?',
  ]);
});

test("[TUI-11] a file that is no TOML is named with its line, and nothing of it counts", async () => {
  const { values, problems } = await readSettingsText('theme = "dark"\nmouse = \n');
  expect(values).toEqual({});
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^line 2: .*Nothing of the file counts until it is corrected\.$/);
});

test("[TUI-11] a change keeps comments, order and all other entries", async () => {
  const changes = { theme: "dark", vimKeys: true, lastLines: 12 } as const;
  expect(await editSettings(PERSONS, changes)).toEqual({
    kind: "edited",
    text: `# mine
theme = "dark"   # for the sun
 last_lines=12
vim_keys = true

# colours are odd in tmux
[keys]
app.palette = ["ctrl+p", "f2"]
"edit.undo" = "ctrl+u"
`,
  });
});

test("[TUI-11] a setting goes into an empty file, before the first table, and into a file of Windows", async () => {
  const edited = async (text: string) => {
    const result = await editSettings(text, { mouse: "off" });
    return result.kind === "edited" ? result.text : result.problem;
  };
  expect(await edited("")).toMatch(/^# Settings of .*\nmouse = "off"\n$/);
  expect(await edited("[keys]\n")).toBe('mouse = "off"\n\n[keys]\n');
  expect(await edited("# my keys\n[keys]\n")).toBe('mouse = "off"\n\n# my keys\n[keys]\n');
  expect(await edited("theme = 'dark'")).toBe("theme = 'dark'\nmouse = \"off\"\n");
  expect(await edited("theme = 'dark'\r\n\r\n[keys]\r\n")).toBe(
    "theme = 'dark'\r\nmouse = \"off\"\r\n\r\n[keys]\r\n",
  );
  expect(await edited('mouse = "full" # wheel\r\n')).toBe('mouse = "off" # wheel\r\n');
});

test("[TUI-11] a file in which the setting cannot be changed alone stays as it is", async () => {
  const hidden = 'note = """\nmouse = "full"\n"""\nmouse = "wheel"\n';
  expect(await editSettings(hidden, { mouse: "off" })).toEqual({
    kind: "refused",
    problem: 'the file is written in a way that it cannot be changed in: write mouse = "off" there',
  });
  expect(await editSettings("mouse = \n", { mouse: "off" })).toMatchObject({ kind: "refused" });
});

test("[TUI-11] every setting can be written and read again", async () => {
  const values = { ...DEFAULT_SETTINGS, theme: "none", lastLines: 0, vimKeys: true };
  const edited = await editSettings("", values);
  if (edited.kind !== "edited") throw new Error(edited.problem);
  expect(await readSettingsText(edited.text)).toEqual({ values, keys: {}, problems: [] });
  for (const name of TERMINAL_SETTING_NAMES) expect(edited.text).toContain(`\n${SETTING_KEYS[name].key} = `);
});

test("[TUI-11] what the file says counts after it is read, and a change goes into the file as it is by then", async () => {
  let file: string | undefined = "theme = 'light'\n";
  let changes = 0;
  const failures: unknown[] = [];
  const settings = new KeptSettings({
    host: {
      settingsPath: "/config/terminal.toml",
      readSettings: async () => file,
      async writeSettings(text) {
        file = text;
      },
    },
    changed() {
      changes += 1;
    },
    showFailure: (failure) => void failures.push(failure),
  });
  expect(settings.values).toEqual(DEFAULT_SETTINGS);
  await settings.reload();
  expect([settings.values.theme, changes]).toEqual(["light", 1]);
  file = "theme = 'dark' # by hand\n[keys]\nedit.undo = []\n";
  settings.change({ lastLines: 9 });
  expect([settings.values.lastLines, changes]).toEqual([9, 2]);
  await settings.reload();
  expect(file).toBe("theme = 'dark' # by hand\nlast_lines = 9\n\n[keys]\nedit.undo = []\n");
  expect([settings.values.theme, settings.values.lastLines]).toEqual(["dark", 9]);
  expect(settings.keys.keysOf("edit.undo")).toEqual([]);
  expect(new KeyTable().keysOf("edit.undo")).not.toEqual([]);
  expect(failures).toEqual([]);
});

test("[TUI-11] a file that cannot be written is said, and the change holds here and is kept with the next one", async () => {
  let file = "";
  let isFull = true;
  const failures: string[] = [];
  const settings = new KeptSettings({
    host: {
      settingsPath: "/config/terminal.toml",
      readSettings: async () => file,
      async writeSettings(text) {
        if (isFull) throw new Error("no space left");
        file = text;
      },
    },
    changed: () => undefined,
    showFailure: (failure) => void failures.push(String(failure)),
  });
  settings.change({ mouse: "off" });
  await settings.reload();
  expect(failures.join()).toContain("/config/terminal.toml does not keep this: no space left");
  expect(settings.values.mouse).toBe("off");
  isFull = false;
  settings.change({ vimKeys: true });
  await settings.reload();
  expect(file).toContain('mouse = "off"');
  expect(file).toContain("vim_keys = true");
});
