import { expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArguments } from "../../src/cli/args/arguments.ts";
import { COMMANDS } from "../../src/cli/commands/commands.ts";
import type { CliExample } from "../../src/session/commands/cli-command.ts";
import type { CinchHome } from "../support/cinch.ts";
import { cinchPath, runCinch } from "../support/cinch.ts";
import { openKeptHome } from "../support/kept-home.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { ROOT } from "../support/source.ts";

const AT_ONCE = 4;
const MEMORY = {
  name: "build-command",
  type: "project",
  description: "How it is built",
  content: "make",
};

const PAGES = COMMANDS.flatMap(({ name, verbs = [] }) => [
  ...(name === "" ? [] : [{ words: [name], examplesMin: 2 }]),
  ...verbs
    .filter((verb) => verb.name !== "")
    .map((verb) => ({
      words: [name, verb.name],
      examplesMin: verb.words === undefined && verb.flags.length === 0 ? 1 : 2,
    })),
]);
const EXAMPLES = COMMANDS.flatMap(({ examples, verbs = [] }): readonly CliExample[] => [
  ...examples,
  ...verbs.flatMap((verb) => verb.examples),
]);

test("[CLI-02] every subcommand and every verb has a help of at most 40 lines, with two examples", async () => {
  for (let at = 0; at < PAGES.length; at += AT_ONCE) {
    await Promise.all(
      PAGES.slice(at, at + AT_ONCE).map(async ({ words, examplesMin }) => {
        const { code, stdout, stderr } = await runCinch([...words, "--help"]);
        const lines = stdout.trimEnd().split("\n");
        const examples = lines.slice(lines.indexOf("Examples:")).filter((line) => /^ {2}\S/.test(line));
        const shown = {
          words,
          code,
          stderr,
          tooLong: lines.length > 40,
          tooWide: lines.some((line) => line.length > 100),
          enough: examples.length >= examplesMin,
        };
        expect(shown).toEqual({ words, code: 0, stderr: "", tooLong: false, tooWide: false, enough: true });
      }),
    );
  }
});

test("[CLI-02] cinch help COMMAND is cinch COMMAND --help, and an unknown one is an error", async () => {
  const [asked, flag] = await Promise.all([
    runCinch(["help", "memory", "show"]),
    runCinch(["memory", "show", "-h"]),
  ]);
  expect(asked).toEqual(flag);
  expect(await runCinch(["help", "memroy"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: 'cinch: there is no command "memroy"; did you mean cinch help memory? (UsageInvalid)\n',
  });
  const [all, word] = await Promise.all([runCinch(["--help"]), runCinch(["help"])]);
  expect(all).toEqual(word);
  const lines = all.stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThan(24); // one screen
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("[CLI-02] the product's own parser reads every example", async () => {
  expect(EXAMPLES.length).toBeGreaterThan(60);
  for (const { line } of EXAMPLES) {
    const words = await wordsOf(line);
    expect({ line, ...parseArguments(words, COMMANDS) }).toMatchObject({ line, kind: "command" });
  }
});

requireProgram("git")(
  "[CLI-02] every example that needs no key and no person runs",
  async () => {
    await using mock = startMockProvider({
      script: [calls("CallTool", { name: "MemoryWrite", input: MEMORY }), says("I will.")],
      models: ["one"],
    });
    using kept = await openKeptHome((home) => prepare(home, mock.url));
    const failed: object[] = [];
    const lines = EXAMPLES.filter(({ needs }) => needs === undefined).map(({ line }) => line);
    for (const line of new Set(lines)) {
      const { code, told } = await runLine(line, kept.home);
      if (code !== 0) failed.push({ line, code, told });
      kept.setBack();
    }
    expect(failed).toEqual([]);
    expect(lines.length).toBeGreaterThan(40);
  },
  300_000,
);

/** Makes what the examples name: a session, a memory, a skill, a plugin, a task, a key and a lock file. */
async function prepare(home: CinchHome, url: string): Promise<void> {
  const [config, work] = [join(home.path, "config/cinch"), join(home.path, "work")];
  mkdirSync(config, { recursive: true });
  for (const skill of [join(config, "skills/deploy"), join(work, "skills/deploy")]) {
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, "SKILL.md"), "---\nname: deploy\ndescription: How to deploy.\n---\nRun it.\n");
  }
  writeFileSync(
    join(config, "config.toml"),
    `default_model = "mock:one"\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${url}/v1"\n[prices."mock:one"]\ninput = 1\noutput = 1\n`,
  );
  cpSync(join(ROOT, "examples/plugins/dice"), join(work, "my-plugin"), { recursive: true });
  symlinkSync(cinchPath(), join(work, "cinch"));
  const setUp = [
    "git init -q .",
    'cinch -p "Remember how it is built." --auto-approve >first.txt',
    "cinch sessions export last --output session.jsonl",
    'cinch tasks add review "Review." --every 1d',
    "cinch creds add openai --from-env OPENAI_KEY",
    "cinch ack --emit-lockfile approved.lock",
  ];
  for (const line of setUp) expect({ line, ...(await runLine(line, home)) }).toMatchObject({ line, code: 0 });
}

async function runLine(
  line: string,
  home: CinchHome,
): Promise<{ readonly code: number; readonly told: string }> {
  const { PATH = "/usr/bin:/bin" } = process.env;
  const cwd = join(home.path, "work");
  const child = Bun.spawn(["sh", "-c", line], {
    cwd,
    env: { PATH: `${cwd}:${PATH}`, LANG: "C.UTF-8", TERM: "dumb", OPENAI_KEY: "sk-test", ...home.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, told: `${stdout}${stderr}` };
}

/** The words behind cinch, as a shell reads them. */
async function wordsOf(line: string): Promise<readonly string[]> {
  const shell = `cinch() { for word in "$@"; do printf '%s\\0' "$word"; done; }; git() { :; }; ${line}`;
  const child = Bun.spawn(["sh", "-c", shell], { stdout: "pipe", stdin: "ignore" });
  const text = await new Response(child.stdout).text();
  await child.exited;
  return text.split("\0").slice(0, -1);
}
