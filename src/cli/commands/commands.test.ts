import { expect, test } from "bun:test";
import { helpText } from "../args/help.ts";
import { settingFlag } from "../args/settings-flags.ts";
import { COMMANDS } from "./commands.ts";

const ACTIONS = COMMANDS.flatMap((command) => [
  { command, action: command, flags: command.flags },
  ...(command.verbs ?? []).map((verb) => ({
    command,
    action: verb,
    flags: command.flags.filter(({ name }) => verb.flags.includes(name)),
  })),
]);

test("[CLI-01] a flag takes a value in every command or in none, and its letter is its own", () => {
  const kinds = new Map<string, Set<string>>();
  const letters = new Map<string, Set<string>>();
  for (const { flags, action } of ACTIONS) {
    for (const { name, short, kind, placeholder } of [
      ...flags,
      ...(action.settings ?? []).map(settingFlag),
    ]) {
      const arity = kind === "switch" || kind === "optional-text" ? kind : "value";
      kinds.set(name, (kinds.get(name) ?? new Set()).add(arity));
      if (short !== undefined) letters.set(short, (letters.get(short) ?? new Set()).add(name));
      expect([name, placeholder !== undefined]).toEqual([name, kind !== "switch"]);
    }
  }
  expect([...kinds].filter(([, arities]) => arities.size > 1)).toEqual([]);
  expect([...letters].filter(([, names]) => names.size > 1)).toEqual([]);
});

test("[CLI-01] a verb names flags that its command has, and a flag names flags that may stand beside it", () => {
  for (const { command, action } of ACTIONS) {
    const own = command.flags.map(({ name }) => name);
    const beside = [...own, ...(action.settings ?? command.settings ?? [])];
    if (action !== command) expect(own).toEqual(expect.arrayContaining([...action.flags] as string[]));
    for (const group of action.required ?? []) expect(own).toEqual(expect.arrayContaining([...group]));
    for (const { excludes = [], needs = [] } of command.flags)
      expect(beside).toEqual(expect.arrayContaining([...excludes, ...needs]));
  }
  for (const { verbs = [], flags } of COMMANDS.filter((command) => command.verbs !== undefined)) {
    const taken = new Set(verbs.flatMap((verb) => verb.flags));
    expect(flags.filter(({ name }) => !taken.has(name))).toEqual([]);
  }
});

test("[CLI-02] cinch --help fits a screen of 24 rows and 80 columns, and says where the rest is", () => {
  const help = helpText();
  const lines = help.trimEnd().split("\n");
  expect(lines.length).toBeLessThan(24); // the prompt of the shell stands below it
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  for (const { name, brief } of COMMANDS.filter((command) => /^[a-z]/.test(command.name))) {
    expect(brief.length).toBeLessThanOrEqual(26);
    expect(help).toContain(`  ${name.padEnd(12)}${brief}`);
  }
  expect(help).toMatchSnapshot();
});

test("[CLI-01] the pages of flags and exit codes fit 80 columns", () => {
  for (const topic of ["flags", "exit-codes"]) {
    const help = helpText([topic]);
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(help).toMatchSnapshot();
  }
});
