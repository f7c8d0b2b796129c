import { expect, test } from "bun:test";
import { basename, dirname } from "node:path";
import { commandLinePage } from "../../../scripts/command-line.ts";
import { codeOf, filesUnder, isTest, readSource } from "../../../test/support/source.ts";
import type { CliContext, ExitCode } from "../../session/commands/cli-command.ts";
import { EXIT } from "../../session/commands/cli-command.ts";
import { parseArguments } from "../args/arguments.ts";
import { helpText } from "../args/help.ts";
import type { AnyCommand } from "../args/parsed-call.ts";
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
  for (const way of ["cinch COMMAND --help", "cinch help flags", "cinch help exit-codes"])
    expect(help).toContain(way);
});

test("[CLI-01] the pages of flags and exit codes fit 80 columns", () => {
  for (const topic of ["flags", "exit-codes"]) {
    const help = helpText([topic]);
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(help).toMatchSnapshot();
  }
});

test("[CLI-01] the help of every command and verb names each of its flags, and all but its examples fits 80 columns", () => {
  for (const { command, action, flags } of ACTIONS.filter(({ command: { name } }) => name !== "")) {
    const page = action === command || action.name === "" ? [command.name] : [command.name, action.name];
    const help = helpText(page);
    const [before = "", examples = ""] = help.split("Examples:\n");
    const own = action === command && command.verbs !== undefined ? [] : flags; // a verb's flags stand in its page
    const missing = own.map(({ name }) => name).filter((name) => !help.includes(`--${name}`));
    expect({ page, missing }).toEqual({ page, missing: [] });
    const wide = before.split("\n").filter((line) => line.length > 80);
    expect({ page, wide, hasExamples: examples !== "" }).toEqual({ page, wide: [], hasExamples: true });
  }
});

test("[CLI-01] cinch help flags names the flags of every run, and cinch help exit-codes every exit code", () => {
  const pages = `${helpText(["flags"])}${helpText(["exit-codes"])}`;
  const global = COMMANDS.filter(({ name }) => !/^[a-z]/.test(name)).flatMap(({ flags, settings = [] }) => [
    ...flags.map(({ name }) => name),
    ...settings.map((name) => settingFlag(name).name),
  ]);
  expect(global.length).toBeGreaterThan(20);
  expect(global.filter((name) => !pages.includes(`--${name}`))).toEqual([]);
  const codes = [...new Set(Object.values(EXIT))].map((code) => new RegExp(`^ *${code} `, "m"));
  expect(codes.filter((code) => !code.test(pages)).map(String)).toEqual([]);
});

const GREET: AnyCommand = {
  name: "greet",
  brief: "say hello",
  summary: "Says hello.",
  words: [{ name: "NAME", help: "who is greeted" }],
  flags: [{ name: "shout", kind: "switch", help: "In capitals." }],
  examples: [
    { line: "cinch greet Ann", does: "says hello" },
    { line: "cinch greet Ann --shout", does: "says it louder" },
  ],
  load: () => Promise.resolve({ run: greet }),
};

async function greet({ words, flags, stdout }: CliContext): Promise<ExitCode> {
  await stdout.write(`hello, ${words[0]}${flags["shout"] === true ? "!" : "."}`);
  return EXIT.done;
}

test("[CLI-02 DOC-02] parser, hints, help and documentation of a new subcommand follow from its value", async () => {
  const all = [...COMMANDS, GREET];
  const parse = (line: string) => parseArguments(line.split(" "), all);
  const problem = (line: string) => {
    const read = parse(line);
    return read.kind === "usage" ? read.problem : read.kind;
  };
  const call = parse("greet Ann --shout");
  expect(call).toMatchObject({ command: GREET, words: ["Ann"], flags: { shout: true } });
  expect(parse("--shout greet Ann")).toMatchObject({ command: GREET, flags: { shout: true } });
  expect(problem("gret Ann")).toContain("did you mean cinch greet?");
  expect(problem("greet")).toBe("cinch greet needs NAME: who is greeted");
  expect(problem("greet Ann Bob")).toBe('cinch greet takes NAME; "Bob" is one too many');
  expect(problem("greet Ann --shuot")).toBe("there is no flag --shuot; did you mean --shout?");
  expect(problem("models --shout")).toBe("--shout goes with cinch greet, not with cinch models");
  expect(parse("help greet")).toEqual({ kind: "help", about: ["greet"] });
  expect(helpText([], all)).toContain("  greet       say hello");
  expect(helpText(["greet"], all)).toContain("cinch greet NAME [FLAGS]");
  expect(commandLinePage(all)).toContain("| `cinch greet` | Says hello. |");
  if (call.kind !== "command") throw new Error(call.kind);
  const { run } = await GREET.load();
  let written = "";
  const write = (text: string) => {
    written += text;
    return Promise.resolve();
  };
  const stdout = { isTerminal: false, write };
  expect(await run({ ...call, stdout } as unknown as Parameters<typeof run>[0])).toBe(EXIT.done);
  expect(written).toBe("hello, Ann!");
});

test("[CLI-02 DOC-02] a subcommand is named in its own folder and in the list, and neither parser, help nor start know it", () => {
  const names = new Set(COMMANDS.map(({ name }) => name).filter((name) => /^[a-z]/.test(name)));
  const shared = ["main.ts", "run.ts", "context.ts", "args/*.ts"]
    .flatMap((files) => filesUnder("src/cli", files))
    .filter((file) => !isTest(file));
  const found = shared.flatMap((file) =>
    codeOf(readSource(file))
      .strings.filter((text) => names.has(text))
      .map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
  const folders = [
    ...filesUnder("src/cli/commands", "*/command.ts"),
    ...filesUnder("src/features", "*/cli/command.ts"),
  ];
  expect(folders.length).toBe(COMMANDS.length);
  for (const file of folders) {
    const files = new Set(filesUnder(dirname(file), "*.ts").map((each) => basename(each)));
    expect({ file, hasRun: files.has("run.ts") }).toEqual({ file, hasRun: true });
    const imported = [...readSource(file).matchAll(/^import (?!type )[^;]* from "([^"]+)"/gm)].map(
      ([, name = ""]) => name,
    );
    const heavy = imported.filter((name) => !/\/(?:flags|verbs|cli-command|settings-flags)\.ts$/.test(name));
    expect({ file, heavy }).toEqual({ file, heavy: [] });
  }
});
