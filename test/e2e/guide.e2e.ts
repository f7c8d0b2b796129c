import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { COMMAND_KINDS, EVENT_KINDS } from "../../src/protocol/kinds.ts";
import { cinchHome, cinchPath } from "../support/cinch.ts";
import { blocksOf } from "../support/documents.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { portToComeBackTo } from "../support/ports.ts";
import { requireProgram } from "../support/requires.ts";
import { filesUnder, readSource } from "../support/source.ts";

const PAGES = filesUnder("docs/guide", "*.md").toSorted();
const INDEX = "docs/README.md";
/** Words that a person reads in three minutes. */
const WORDS_MAX = 700;
const PORT = "8421";
const TIMEOUT_MS = 120_000;

/** Lines that need a person, root or the network, with what runs them instead. */
const BY_HAND: Readonly<Record<string, string>> = {
  "git clone URL cinch && cd cinch": "the tests run in a clone",
  "./cinch demo": "test/e2e/demo.e2e.ts",
  'ln -s "$PWD/cinch" ~/.local/bin/cinch': "test/set-up.test.ts",
  "npm run build": ".ci/run",
  "sudo apt install bubblewrap": ".ci/run",
  "cd ~/src/my-project": "every test of a session",
  cinch: "test/e2e/line.e2e.ts",
  "cinch ack": "test/e2e/trust.e2e.ts",
  "cinch --profile review": "test/e2e/profiles.e2e.ts",
  'cinch -p "Review the last commit." --profile review': "test/e2e/profiles.e2e.ts",
};

/** The lines of a block without comments. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/\s+# .*$/, "").trimEnd())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function shellBlocks(page: string) {
  return blocksOf(page, readSource(page)).filter(({ language }) => language === "sh");
}

describe("[DOC-01] the guide", () => {
  test("has a page for each task, which its index lists, and each is read in three minutes", () => {
    const index = readSource(INDEX);
    const tasks =
      "ci configuration embedding extending first-session install operating permissions protocol threat-model";
    expect(PAGES.map((page) => basename(page, ".md"))).toEqual(tasks.split(" "));
    for (const page of PAGES) {
      expect(index).toContain(`](guide/${basename(page)})`);
      const words = readSource(page).split(/\s+/).length;
      expect({ page, isShort: words <= WORDS_MAX }).toEqual({ page, isShort: true });
    }
  });

  test("the README is shorter than 1,800 words", () => {
    expect(readSource("README.md").split(/\s+/).length).toBeLessThan(1_800);
  });

  test("a line that is not run here is one that another test runs", () => {
    const byHand = PAGES.flatMap(shellBlocks).filter(({ info }) => info === "by-hand");
    const lines = byHand.flatMap(({ text }) => linesOf(text));
    expect(lines.filter((line) => BY_HAND[line] === undefined)).toEqual([]);
    expect(Object.keys(BY_HAND).filter((line) => !lines.includes(line))).toEqual([]);
  });

  test("the kinds that the page about the protocol names are there", () => {
    const named = [...readSource("docs/guide/protocol.md").matchAll(/`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`/g)];
    const kinds: readonly string[] = [...COMMAND_KINDS, ...EVENT_KINDS, "HandshakeVersionMismatch"];
    expect(named.length).toBeGreaterThan(10);
    expect(named.map(([, kind = ""]) => kind).filter((kind) => !kinds.includes(kind))).toEqual([]);
  });

  for (const page of PAGES)
    requireProgram("git", "curl")(
      `every command of ${page} runs, in its order`,
      () => runPage(page),
      TIMEOUT_MS,
    );
});

/** Runs the commands of a page in one shell, in a small repository, with a model that answers at once. */
async function runPage(page: string): Promise<void> {
  await using mock = startMockProvider({ script: () => says("It is a small project."), models: ["one"] });
  using home = cinchHome();
  const [work, bin] = [join(home.path, "work"), join(home.path, "bin")];
  for (const folder of [join(home.path, "config/cinch"), work, bin]) mkdirSync(folder);
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `default_model = "mock:one"\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n[prices."mock:one"]\ninput = 1\noutput = 1\n`,
  );
  symlinkSync(cinchPath(), join(bin, "cinch"));
  const port = String(portToComeBackTo());
  const blocks = shellBlocks(page).filter(({ info }) => info !== "by-hand");
  const script = [
    "set -eu; trap 'if [ -n \"${server:-}\" ]; then kill $server; wait; fi' EXIT",
    "git init -q . && echo one >note.txt && git add . && echo two >note.txt",
    ...blocks.map(({ text, info }) =>
      info === "background"
        ? `${text.trim()} >engine.txt 2>&1 & server=$!; until curl -sf http://127.0.0.1:${PORT}/v1/health >health.txt; do sleep 0.1; done`
        : `unset ANTHROPIC_API_KEY\n${text.replaceAll(/^export \w+_API_KEY=….*$/gm, "")}`,
    ),
  ];
  const { PATH = "/usr/bin:/bin" } = process.env;
  const child = Bun.spawn(["sh", "-c", script.join("\n").replaceAll(PORT, port)], {
    cwd: work,
    env: { LANG: "C.UTF-8", TERM: "dumb", ...home.env, PATH: `${bin}:${PATH}` },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, told: code === 0 ? "" : `${stdout}${stderr}` }).toEqual({ code: 0, told: "" });
}
