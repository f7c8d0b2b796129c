import { afterAll, expect } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strayIds } from "../support/kept-events.ts";
import type { PackageProject } from "../support/package-project.ts";
import { BUN, openPackageProject } from "../support/package-project.ts";
import { requireProgram } from "../support/requires.ts";
import { ROOT } from "../support/source.ts";

/** `cinch/engine` as a stranger's program has it: packed, installed, and used through its public door alone. */

const TIMEOUT_MS = 180_000;
const test = requireProgram("tar", "node");

let opening: Promise<PackageProject> | undefined;

/** The one project of this file, with the program in it. */
async function project(): Promise<PackageProject> {
  opening ??= openPackageProject().then((opened) => {
    copyFileSync(join(ROOT, "test/support/engine-program-child.ts"), join(opened.path, "program.ts"));
    return opened;
  });
  return await opening;
}

afterAll(async () => {
  (await opening)?.[Symbol.dispose]();
});

/** Runs a scenario of the program to its end, and returns the values that it printed. */
async function run(...words: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { run: start } = await project();
  const { code, stdout, stderr } = await start([...BUN, "program.ts", ...words]);
  expect([code, stderr]).toEqual([0, ""]);
  return lines(stdout);
}

function lines(text: string): readonly Record<string, unknown>[] {
  const whole = text.split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line));
}

test(
  "[LIB-10] a program with its own provider, tools and store compiles against the declarations, strictly",
  async () => {
    const { path, run: start } = await project();
    const tsconfig = join(path, "tsconfig.json");
    const settings = JSON.parse(readFileSync(tsconfig, "utf8"));
    const compilerOptions = { ...settings.compilerOptions, types: ["bun"] };
    writeFileSync(
      join(path, "tsconfig.bun.json"),
      JSON.stringify({ compilerOptions, include: ["program.ts"] }),
    );
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const compiled = await start(["node", tsc, "-p", "tsconfig.bun.json"]);
    expect(compiled).toEqual({ code: 0, stdout: "", stderr: "" });
  },
  TIMEOUT_MS,
);

test(
  "[LIB-10] a program's own store gets every event before a reader does",
  async () => {
    const kept = ["TurnStarted", "TextDelta", "CostIncremented", "TurnTiming", "TurnEnded"];
    expect(await run("store")).toEqual([{ text: "You said: hello", kept, title: "hello", isOurs: true }]);
  },
  TIMEOUT_MS,
);

test(
  "[LIB-10] a reader that reconnects after the last event it saw gets the same events as one clean pass",
  async () => {
    const [clean, ...same] = await run("reconnect");
    const ids = clean?.["ids"] as readonly number[];
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    expect(clean?.["kinds"]).toContain("ToolResult");
    expect(same).toEqual([{ broken: true, live: true }, { rest: true }]);
  },
  TIMEOUT_MS,
);

test(
  "[LIB-10] cancelling ends the turn and aborts its tool call, and the session continues",
  async () => {
    expect(await run("cancel")).toEqual([
      { rejects: "Cancelled", aborted: true },
      { rejects: "enough", text: "You said: still there" },
    ]);
  },
  TIMEOUT_MS,
);

test(
  "[LIB-10] a program answers permission questions; without an answer nothing runs",
  async () => {
    const asked = ["permission", "pay"];
    expect(await run("question")).toEqual([
      { asked: [asked, asked, asked], ran: ["call_", "call_", "call_"] },
      { ran: 3 },
    ]);
  },
  TIMEOUT_MS,
);

test(
  "[LIB-10] a budget ends the turn with its reason",
  async () => {
    expect(await run("budget")).toEqual([{ reason: "budget", cost: 0.0011, error: "CostBudgetExceeded" }]);
  },
  TIMEOUT_MS,
);

test(
  "[LIB-10] a session survives kill -9 in the middle of a turn, and nothing is lost or done twice",
  async () => {
    for (const fate of ["failed", "succeeded"]) await surviveKill(fate);
  },
  2 * TIMEOUT_MS,
);

/** Kills the program while a tool runs, and resumes its session with a decision about that call. */
async function surviveKill(fate: string): Promise<void> {
  const { path, temporary } = await project();
  const folder = mkdtempSync(join(path, "killed-"));
  const child = Bun.spawn([...BUN, "program.ts", "killed", folder], {
    cwd: path,
    env: { PATH: process.env["PATH"] ?? "", HOME: path, TMPDIR: temporary },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const seen = await readUntil(child.stdout, (line) => line.includes('"tool":"hang"'));
  child.kill("SIGKILL");
  await child.exited;

  const [{ log = "" } = {}, ...before] = seen as readonly {
    readonly log?: string;
    readonly event?: unknown;
  }[];
  const after = await run("resumed", folder, log, fate);
  const events = after.flatMap(({ event }) =>
    event === undefined ? [] : [event as { id: number; kind: string }],
  );
  expect(events.slice(0, before.length)).toEqual(before.map(({ event }) => event as (typeof events)[number]));
  expect(strayIds(events)).toEqual([]);
  expect(readFileSync(join(folder, "counted"), "utf8")).toBe("x");
  const history = JSON.stringify(after.find((line) => line["history"] !== undefined));
  for (const text of ["You said: first", "counted", `The user says that it ${fate}`])
    expect(history).toContain(text);
  expect(after).toContainEqual({ text: "You said: on" });
  const questions = after.filter((line) => line["question"] !== undefined);
  expect(questions).toEqual(fate === "failed" ? [] : [{ question: "choice", choices: 3 }]);
}

/** Reads lines up to one that fits. @throws Error if the stream ends before. */
async function readUntil(
  stream: ReadableStream<Uint8Array>,
  fits: (line: string) => boolean,
): Promise<readonly Record<string, unknown>[]> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (lines(text).some((line) => fits(JSON.stringify(line)))) return lines(text);
  }
  throw new Error(`the program ended before it came so far: ${text}`);
}
