import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT_TEXTS } from "../../src/cli/exit-codes.ts";
import type { CinchHome } from "../support/cinch.ts";
import { cinchPath } from "../support/cinch.ts";
import { blocksOf, documents } from "../support/documents.ts";
import type { KeptHome } from "../support/kept-home.ts";
import { openKeptHome } from "../support/kept-home.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { readSource } from "../support/source.ts";

/** Commands whose running is the business of a test of their own, or that only a person can end. */
const ELSEWHERE = /\bcinch demo\b|\bcinch debug\b/;
/** Documents whose blocks belong together, and are run in order by a test of their own. */
const IN_ORDER = ["docs/clients/curl.md", "examples/vscode/README.md"];

const COMMANDS = documents().flatMap((file) =>
  blocksOf(file, readSource(file))
    .filter(({ language }) => language === "sh" && !IN_ORDER.includes(file))
    .flatMap(({ place, text }) =>
      text
        .replaceAll("\\\n", " ")
        .split("\n")
        .filter((line) => /(?:^|[|;&] *)\.\/cinch(?: |$)/.test(line) && !ELSEWHERE.test(line))
        .map((line) => ({ place, line: line.replace(/\s+# .*$/, "").trim() })),
    ),
);

describe("[DOC-01] the commands that documents show", () => {
  test("there are some", () => expect(COMMANDS.length).toBeGreaterThan(5));

  for (const { place, line } of COMMANDS)
    requireProgram("git")(`runs: ${line} (${place})`, () => runShown(line));

  test("[CLI-01] the README's exit codes are those of the program", () => {
    const rows = [...readSource("README.md").matchAll(/^\| (\d+) \| (.+) \|$/gm)];
    expect(rows.map(([, code, text]) => [Number(code), text])).toEqual(
      EXIT_TEXTS.map(([code, text]) => [code, text]),
    );
  });
});

/** One small repository with an earlier session, and its model, for all lines. */
interface PreparedHome extends AsyncDisposable {
  readonly kept: KeptHome;
}

let opening: Promise<PreparedHome> | undefined;
afterAll(async () => await (await opening)?.[Symbol.asyncDispose]());

async function openPrepared(): Promise<PreparedHome> {
  await using opened = new AsyncDisposableStack();
  const mock = opened.use(
    startMockProvider({ script: () => says("It is a small project."), models: ["one"] }),
  );
  const kept = opened.use(
    await openKeptHome(async (home) => {
      const work = join(home.path, "work");
      mkdirSync(join(home.path, "config/cinch"), { recursive: true });
      mkdirSync(work);
      writeFileSync(
        join(home.path, "config/cinch/config.toml"),
        `default_model = "mock:one"\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n[prices."mock:one"]\ninput = 1\noutput = 1\n`,
      );
      symlinkSync(cinchPath(), join(work, "cinch"));
      const before =
        'git init -q . && echo "one line" >note.txt && git add . && ./cinch -p "Hello." >first.txt';
      expect(await runLine(home, before)).toMatchObject({ code: 0 });
    }),
  );
  const rest = opened.move();
  return { kept, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}

/** Runs a line as it stands in the document, but for the model. */
async function runShown(line: string): Promise<void> {
  opening ??= openPrepared();
  const { kept } = await opening;
  kept.setBack();
  const { code, stdout, stderr } = await runLine(
    kept.home,
    line.replaceAll(/--model \S+/g, "--model mock:one"),
  );
  const told = stderr.replaceAll(/^cinch: Using mock:one\. Another: .*\n/gm, ""); // the profile's own model has no key
  expect({ code, told: /error|cinch: /.test(told) ? told : "" }).toEqual({ code: 0, told: "" });
  if (/ -p /.test(line)) expect(stdout).toContain("It is a small project.");
  if (/ models/.test(line)) expect(stdout).toBe("mock:one\n");
}

async function runLine(home: CinchHome, line: string) {
  const { PATH = "/usr/bin:/bin" } = process.env;
  const child = Bun.spawn(["sh", "-c", line], {
    cwd: join(home.path, "work"),
    env: { PATH, LANG: "C.UTF-8", TERM: "dumb", ...home.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}
