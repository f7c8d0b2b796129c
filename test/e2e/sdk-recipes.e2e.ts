import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { cinchPath } from "../support/cinch.ts";
import type { Block } from "../support/documents.ts";
import { blocksOf } from "../support/documents.ts";
import type { MockRequest } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";
import { readSource } from "../support/source.ts";

const TIMEOUT_MS = 120_000;
const FILE = "docs/clients/curl.md";
const BLOCKS = blocksOf(FILE, readSource(FILE));
const ENGINE = BLOCKS.find(({ info }) => info === "engine")?.text ?? "";
const PORT = "8421";

interface Recipe {
  readonly block: Block;
  /** The output below it. */
  readonly shown: string;
}

/** The blocks of one way to the engine, in order. */
function recipes(way: string): readonly Recipe[] {
  return BLOCKS.flatMap((block, at) => {
    if (block.language !== "sh" || (block.info !== "" && block.info !== way)) return [];
    const next = BLOCKS[at + 1];
    return [{ block, shown: next === undefined || next.language === "sh" ? "" : next.text }];
  });
}

/** `…` stands for anything within a line. An end of the last line more or less does not count. */
function matches(shown: string, printed: string): boolean {
  const pattern = shown.trimEnd().split("…").map(RegExp.escape).join("[^\\n]*");
  return new RegExp(`^${pattern}$`).test(printed.trimEnd());
}

/** A change in two hunks. */
const TIDY = {
  file_path: "list.txt",
  edits: [
    { old_string: "first", new_string: "First" },
    { old_string: "last", new_string: "Last" },
  ],
};

function model({ body }: MockRequest): Turn {
  const asked = JSON.stringify((body["messages"] as readonly unknown[]).at(-1));
  if (asked.includes("hello")) return says("Hello.");
  if (asked.includes("Touch")) return calls("Bash", { command: "touch note.txt" });
  if (asked.includes("Tidy")) return calls("MultiEdit", TIDY);
  if (asked.includes("Think for long"))
    return { ...says("I am thinking about it. ".repeat(4)), fault: { kind: "stall", at: "mid-event" } };
  return says("Done.");
}

async function run(served: Served, way: string): Promise<unknown> {
  symlinkSync(cinchPath(), join(served.work, "cinch"));
  const { PATH = "/usr/bin:/bin" } = process.env;
  const mark = (at: number) => `@@ block ${at} @@`;
  const each = recipes(way);
  const port = new URL(served.url).port;
  const script = each.map(
    ({ block }, at) => `${block.text.replaceAll(PORT, port)}\nprintf '\\n%s\\n' '${mark(at)}'\n`,
  );
  const shell = Bun.spawn(["sh", "-c", script.join("")], {
    cwd: served.work,
    env: { PATH, LANG: "C.UTF-8", TMPDIR: served.home.path, ...served.home.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ]);
  let rest = stdout;
  const wrong: unknown[] = [];
  for (const [at, { block, shown }] of each.entries()) {
    const [printed = "", ...after] = rest.split(`\n${mark(at)}\n`);
    rest = after.join(`\n${mark(at)}\n`);
    if (!matches(shown, printed)) wrong.push({ place: block.place, shown, printed });
  }
  return { code, stderr, wrong, rest };
}

for (const way of ["unix", "port"]) {
  requireProgram("curl")(
    `[SDK-01 DOC-01 CTL-06 CTL-14 AUTH-05 LIB-06] the curl recipes do what they show (${way})`,
    async () => {
      const [, , listen, at, ...flags] = ENGINE.trim().split(" ");
      expect([listen, at]).toEqual(["--listen", `127.0.0.1:${PORT}`]);
      await using served = await openServed({
        script: model,
        listens: true,
        flags: ["--model", "mock:one", ...flags],
        config: '[prices."mock:one"]\ninput = 1\noutput = 5\n',
      });
      expect(await run(served, way)).toEqual({ code: 0, stderr: "", wrong: [], rest: "" });
    },
    TIMEOUT_MS,
  );
}

test("[DOC-01 CTL-04] the curl recipes speak the version that there is", () => {
  const named = readSource(FILE).matchAll(/(?:X-Harness-Version: |version=|protocol_version":")([0-9.]+)/g);
  expect([...new Set([...named].map(([, version]) => version))]).toEqual([PROTOCOL_VERSION]);
});
