import { afterAll, expect } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { SessionId } from "../../src/base/ids.ts";
import { isObject, parseJson } from "../../src/base/json.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { openHomeStore } from "../support/home-store.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { says } from "../support/mock-provider/turn.ts";
import {
  ANSWER,
  CHECKS,
  COMPILE,
  DIFF,
  PACKAGE,
  ROUNDS,
  TEST,
  TOLERANCE,
  TOO_STRICT,
  UTIL,
} from "../support/package-job.ts";
import { requireProgram } from "../support/requires.ts";
import { anthropicComplaints, chatComplaints, responsesComplaints } from "../support/wire-validity.ts";

const FILES_MIN = 50;
/** US dollars for a million tokens of input and of output; an answer of the mock has 100 and 20. */
const PRICE = { input: 2, output: 10 };
const ANSWER_USD = (100 * PRICE.input + 20 * PRICE.output) / 1_000_000;
const SCRIPT: readonly Turn[] = [...ROUNDS.map((parts): Turn => ({ parts })), says(ANSWER)];

const WIRES = [
  { kind: "anthropic", row: "PROV-02", path: "/messages", complaints: anthropicComplaints },
  { kind: "openai-compatible", row: "PROV-03", path: "/chat/completions", complaints: chatComplaints },
  { kind: "openai-responses", row: "PROV-05", path: "/responses", complaints: responsesComplaints },
] as const;

let published: string | undefined;
afterAll(() => {
  if (published !== undefined) rmSync(published, { recursive: true, force: true });
});

/** The package with the bug, committed; made once, and only where there is a test that runs. */
function packageWithBug(): string {
  if (published !== undefined) return published;
  const original = realpathSync(mkdtempSync(join(tmpdir(), "cinch-package-")));
  for (const part of ["src", "package.json", "LICENSE"]) {
    cpSync(join(PACKAGE, part), join(original, part), { recursive: true });
  }
  const util = readFileSync(join(original, UTIL), "utf8");
  writeFileSync(join(original, UTIL), util.replace(TOLERANCE, TOO_STRICT));
  git(original, "init", "--quiet");
  git(original, "add", "--all");
  git(original, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "--message=published");
  published = original;
  return original;
}

for (const { kind, row, path, complaints } of WIRES) {
  requireProgram("git")(
    `[ENG-01 CLI-01 ${row} PROV-11 TOOL-01 TOOL-02 TOOL-03 SES-01] cinch -p mends a bug in a published package of more than ${FILES_MIN} files over the ${kind} wire`,
    async () => {
      await using mock = startMockProvider({ script: SCRIPT });
      using home = cinchHome();
      const work = join(home.path, "zod");
      cpSync(packageWithBug(), work, { recursive: true });
      expect(git(work, "ls-files").split("\n").length).toBeGreaterThan(FILES_MIN);
      mkdirSync(join(home.path, "config/cinch"));
      writeFileSync(join(home.path, "config/cinch/config.toml"), configOf(kind, mock.url));

      const prompt =
        "Some exact decimal multiples are refused. Find out why, mend it, and name the function well.";
      const result = await runCinch(["-p", prompt, "--model", "mock:one", "--output-format", "json"], {
        home,
        cwd: work,
        env: { PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` },
      });
      const { session, cost_usd, usage, ...rest } = objectOf(result.stdout);

      // From outside: the code, the answer, the price, and every changed line of the repository.
      expect(result).toMatchObject({ code: 0, stderr: "", timedOut: false });
      expect(rest).toEqual({
        result: ANSWER,
        turns: SCRIPT.length,
        tools_used: ["TodoWrite", "Glob", "Bash", "Grep", "Read", "MultiEdit", "Edit"],
        refused: 0,
        stop_reason: "complete",
      });
      expect(usage).toMatchObject({ calls: SCRIPT.length });
      expect(cost_usd).toBeCloseTo(ANSWER_USD * SCRIPT.length, 6);
      expect(changedLines(git(work, "diff", "--unified=0"))).toBe(DIFF);
      expect(git(work, "status", "--porcelain").trimEnd().split("\n")).toHaveLength(3);

      // In the log: every call with its input, in order, and what came of it.
      const events = await logOf(home.path, session as SessionId);
      const asked = ROUNDS.flat().flatMap((part) => ("tool" in part ? [{ ...part }] : []));
      expect(
        events.flatMap((event) =>
          event.kind === "ToolCallStarted" ? [{ tool: event.payload.tool, input: event.payload.args }] : [],
        ),
      ).toEqual(asked);
      const results = events.flatMap((event) => (event.kind === "ToolResult" ? [event.payload] : []));
      const outputs = asked.map(({ tool }, at) => ({ tool, failed: results[at]?.isError ?? false }));
      expect(outputs.flatMap(({ failed }, at) => (failed ? [at] : []))).toEqual([asked.findIndex(isBash)]);
      const texts = results.map(({ content }) => JSON.stringify(content));
      const [failing = "", passing = ""] = texts.filter((_, at) => outputs[at]?.tool === "Bash");
      expect(failing).toContain("(fail) .multipleOf() accepts exact decimal multiples");
      expect(passing).toContain(" 0 fail");
      const [found = "", left = ""] = texts.filter((_, at) => outputs[at]?.tool === "Grep");
      for (const file of [UTIL, CHECKS, COMPILE]) expect(found).toContain(file);
      expect(left).toContain("No matches");
      expect(events.filter((event) => event.kind === "TodoChanged")).toHaveLength(3);
      expect(events.filter((event) => event.kind === "CostIncremented")).toHaveLength(SCRIPT.length);

      // On the wire: each request is one that the provider would take, and repeats what was said before.
      expect(mock.requests.map((request) => request.path)).toEqual(SCRIPT.map(() => path));
      expect(mock.requests.flatMap(({ body }) => complaints(body))).toEqual([]);
      const last = JSON.stringify(mock.requests.at(-1)?.body);
      expect(last).toContain(TOO_STRICT);
      expect(last).toContain("(fail) .multipleOf() accepts exact decimal multiples");
    },
  );
}

function isBash({ tool }: { readonly tool: string }): boolean {
  return tool === "Bash";
}

function configOf(kind: (typeof WIRES)[number]["kind"], url: string): string {
  return `
[providers.mock]
kind = "${kind}"
base_url = "${kind === "anthropic" ? url : `${url}/v1`}"
[prices."mock:one"]
input = ${PRICE.input}
output = ${PRICE.output}
[permissions]
allow = ["Bash:${TEST}"]
`;
}

function git(cwd: string, ...args: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-c", "core.autocrlf=false", ...args], { cwd });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.toString();
}

/** The lines of a diff that went and came, below the name of their file. */
function changedLines(diff: string): string {
  return diff
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("--- ")) return [line.replace("--- a/", "--- ")];
      return /^[-+](?!\+\+ )/.test(line) ? [line] : [];
    })
    .map((line) => `${line}\n`)
    .join("");
}

async function logOf(home: string, session: SessionId): Promise<readonly Envelope[]> {
  await using store = await openHomeStore(home);
  const found = await store.find(session);
  return found === undefined ? [] : await store.events(found.logId, 0, 10_000);
}

function objectOf(text: string): Record<string, unknown> {
  const value = parseJson(text)?.value;
  if (!isObject(value)) throw new Error(`no JSON object: ${text}`);
  return { ...value };
}
