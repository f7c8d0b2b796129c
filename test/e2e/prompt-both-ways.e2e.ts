import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEngineIn } from "../support/both-ways.ts";
import type { CinchResult } from "../support/cinch.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import type { MockOptions } from "../support/mock-provider/mock-provider.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";

// `cinch -p` in an engine of its own and in one that already runs: the same output, the same exit code, the same
// requests.

const TIMEOUT_MS = 300_000;

interface Case {
  readonly name: string;
  readonly script?: MockOptions["script"];
  readonly config?: string;
  /** Command lines, one after the other. */
  readonly runs: readonly (readonly string[])[];
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly prepare?: (place: MockHome) => void;
  /** Exit codes of the runs. */
  readonly codes: readonly number[];
}

const bash = (command: string) => calls("Bash", { command });
const NO_SANDBOX = '[sandbox]\nbackend = "none"\n';

const CASES: readonly Case[] = [
  { name: "an answer", runs: [["-p", "hello"]], codes: [0] },
  { name: "JSON", runs: [["-p", "hello", "--output-format", "json"]], codes: [0] },
  {
    name: "stream-json with calls",
    script: [
      calls("Write", { file_path: "a.txt", content: "a\n" }),
      calls("Read", { file_path: "a.txt" }),
      says("ok"),
    ],
    runs: [["-p", "go", "--level", "WorkspaceWrite", "--output-format", "stream-json"]],
    codes: [0],
  },
  { name: "a prompt on standard input", runs: [["-p"]], stdin: "from a pipe", codes: [0] },
  { name: "an attachment", runs: [["-p", "look"]], stdin: "attached text\n", codes: [0] },
  { name: "an empty standard input for a prompt", runs: [["-p"]], stdin: "", codes: [2] },
  {
    name: "standard input that is no text",
    runs: [["-p", "look"]],
    stdin: new Uint8Array([0xff, 0xfe, 0]),
    codes: [2],
  },
  {
    name: "an image that is mentioned",
    runs: [["-p", "see @dot.png"]],
    prepare: ({ work }) => writeFileSync(join(work, "dot.png"), DOT),
    codes: [0],
  },
  {
    name: "a refused call",
    script: [bash("touch made"), says("could not")],
    config: NO_SANDBOX,
    runs: [["-p", "go", "--level", "ReadOnly"]],
    codes: [3],
  },
  {
    name: "a refused call as JSON",
    script: [bash("touch made"), says("could not")],
    config: NO_SANDBOX,
    runs: [["-p", "go", "--level", "ReadOnly", "--output-format", "json"]],
    codes: [3],
  },
  {
    name: "strict permissions",
    script: [calls("Ls", { path: "." }), says("could not")],
    runs: [["-p", "go", "--strict-permissions"]],
    codes: [3],
  },
  {
    name: "auto-approve, which the engine was not started with",
    script: [bash("echo made > made"), says("made")],
    config: NO_SANDBOX,
    runs: [["-p", "go", "--auto-approve"]],
    codes: [0],
  },
  {
    name: "a plan",
    script: [calls("ExitPlanMode", { plan: "do it" }), says("planned")],
    runs: [["-p", "go", "--plan"]],
    codes: [0],
  },
  {
    name: "a limit of rounds",
    script: Array.from({ length: 5 }, (_, at) => calls("Ls", { path: `${at}` })),
    runs: [["-p", "go", "--max-turns", "2"]],
    codes: [4],
  },
  {
    name: "a limit of time",
    script: [fails({ kind: "stall", at: "first-byte" })],
    runs: [["-p", "go", "--max-time", "3s"]],
    codes: [4],
  },
  {
    name: "a limit of cost, which does not hold for the next run",
    config: '[prices."mock:one"]\ninput = 1000\noutput = 1000\n',
    runs: [
      ["-p", "go", "--max-cost", "0.0001"],
      ["-p", "go"],
    ],
    codes: [4, 0],
  },
  {
    name: "a failed turn",
    script: [fails({ kind: "status", status: 400 })],
    runs: [["-p", "go"]],
    codes: [1],
  },
  { name: "an unknown model", runs: [["-p", "go", "--model", "nobody:one"]], codes: [2] },
  { name: "an unknown profile", runs: [["-p", "go", "--profile", "missing"]], codes: [2] },
  { name: "a missing directory", runs: [["-p", "go", "--cwd", "missing"]], codes: [2] },
  { name: "an unknown session", runs: [["-p", "go", "--resume", "sess_none"]], codes: [2] },
  {
    name: "nothing to continue, as JSON",
    runs: [["-p", "go", "--continue", "--output-format", "json"]],
    codes: [2],
  },
  {
    name: "a session that is continued",
    runs: [
      ["-p", "first"],
      ["-p", "second", "--continue"],
    ],
    codes: [0, 0],
  },
  {
    name: "a file of the project that nobody acknowledged",
    prepare: ({ work }) => writeFileSync(join(work, "AGENTS.md"), "Say yes.\n"),
    runs: [
      ["-p", "go"],
      ["-p", "go", "--without-project"],
    ],
    codes: [5, 0],
  },
  {
    name: "another directory, with the environment of the terminal",
    script: [bash('echo "$(pwd) $GREETING"'), says("done")],
    config: NO_SANDBOX,
    env: { GREETING: "hello-there" },
    prepare: ({ work }) => mkdirSync(join(work, "below")),
    runs: [["-p", "go", "--cwd", "below", "--auto-approve", "--output-format", "stream-json"]],
    codes: [0],
  },
  {
    name: "a variable that is kept from commands",
    script: [bash("echo got:$SERVICE_TOKEN"), says("done")],
    config: NO_SANDBOX,
    env: { SERVICE_TOKEN: "tok-1234567890abcdef" },
    runs: [["-p", "go", "--auto-approve", "--output-format", "stream-json"]],
    codes: [0],
  },
  { name: "effort", runs: [["-p", "go", "--effort", "low"]], codes: [0] },
  {
    name: "a prompt of the user's own",
    prepare: ownPrompt,
    runs: [
      ["ack", "--all"],
      ["-p", "/prompts:hello you"],
    ],
    codes: [0, 0],
  },
  { name: "an unknown command", runs: [["-p", "/nothing-like-this"]], codes: [2] },
  { name: "a command for a person", runs: [["-p", "/quit"]], codes: [2] },
  { name: "a text that begins with a slash", runs: [["-p", "//etc is a folder"]], codes: [0] },
];

/** A picture of one pixel. */
const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function ownPrompt({ home }: MockHome): void {
  const folder = join(home.path, "config/cinch");
  mkdirSync(join(folder, "prompts"));
  writeFileSync(
    join(folder, "prompts/hello.md"),
    "---\ndescription: greets\n---\nSay hello to $ARGUMENTS.\n",
  );
}

test.each(CASES)(
  "[CTL-11 CLI-01 PERM-12] $name: the same in an own engine and in one that already runs",
  async (each) => {
    const own = await outcomeOf(each, "own");
    const running = await outcomeOf(each, "running");
    expect(running).toEqual(own);
    expect(own.results.map(({ code }) => code)).toEqual([...each.codes]);
  },
  TIMEOUT_MS,
);

async function outcomeOf(each: Case, way: "own" | "running") {
  await using place = openMockHome(each.script ?? [says("one"), says("two")], each.config);
  each.prepare?.(place);
  await using _engine = way === "running" ? await startEngineIn(place) : undefined;
  const results: CinchResult[] = [];
  for (const words of each.runs) {
    const args = way === "own" && words[0] === "-p" ? [...words, "--own-engine"] : words;
    results.push(await place.run(args, { stdin: each.stdin ?? "", env: each.env ?? {} }));
  }
  const plain = (text: string) => withoutChance(text, place);
  return {
    results: results.map(({ code, stdout, stderr }) => ({
      code,
      stdout: plain(stdout),
      stderr: plain(stderr),
    })),
    asked: place.provider.requests.map(({ body }) => plain(JSON.stringify(body))),
  };
}

/** Replaces what differs between any two runs: ids, moments, times, ports, folders, live news. */
function withoutChance(text: string, { home, provider }: MockHome): string {
  return text
    .replaceAll(home.path, "HOME")
    .replaceAll(new URL(provider.url).host, "PROVIDER")
    .replaceAll(/\b(sess|log|cli|call|inp|ask|task)_[0-9A-Za-z]+/g, "$1_ID")
    .replaceAll(/"ts":"[^"]*"/g, '"ts":"NOW"')
    .replaceAll(/"(components)":\{[^}]*\}/g, '"$1":{}')
    .replaceAll(/"(duration|elapsedMs)":\d+/g, '"$1":0')
    .replaceAll(/^.*"aside":true.*\n/gm, "")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "NOW")
    .replaceAll(/-(?:\w{8})(?=[/\\"])/g, "-UNIQUE");
}
