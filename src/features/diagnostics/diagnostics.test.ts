import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { messageOf } from "../../base/errors.ts";
import { checker } from "./checker.ts";
import { diagnose } from "./diagnose.ts";
import type { DiagnosticSource } from "./diagnostic-source.ts";
import { frameMessage, LSP_MESSAGE_BYTES_MAX, parseFrames } from "./language-server/framing.ts";
import { parseDiagnostics, parsePublished } from "./parse-diagnostics.ts";
import { PROBLEMS_MAX, problemsReport } from "./problem.ts";

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("[TOOL-11 REL-06] messages are read whatever the bytes were cut into", async () => {
  const message = fc.dictionary(fc.string(), fc.jsonValue());
  await holds(
    fc.asyncProperty(
      fc.array(message, { maxLength: 5 }),
      fc.integer({ min: 1, max: 200 }),
      async (messages, size) => {
        const bytes = Buffer.concat(messages.map(frameMessage));
        const expected = messages.map((each): unknown => JSON.parse(JSON.stringify(each)));
        expect(await Array.fromAsync(parseFrames(chunksOf(bytes, size)))).toEqual(expected);
      },
    ),
  );
});

test("[TOOL-11 REL-06] whatever else a server writes ends the reading with a reason, and never hangs or grows", async () => {
  await holds(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 400 }),
      fc.integer({ min: 1, max: 50 }),
      async (bytes, size) => {
        const read = Array.fromAsync(parseFrames(chunksOf(bytes, size)));
        const why = await read.then(() => "", messageOf);
        expect(bytes.length === 0 ? why === "" : why !== "").toBe(true);
      },
    ),
  );
  const failing = async (text: string) => {
    const stream = chunksOf(Buffer.from(text), 1_000);
    return await Array.fromAsync(parseFrames(stream)).then(() => "", messageOf);
  };
  expect(await failing("x".repeat(5_000))).toBe("its output is not a protocol message");
  expect(await failing(`Content-Length: ${LSP_MESSAGE_BYTES_MAX + 1}\r\n\r\n`)).toContain("is too large");
  expect(await failing("Content-Length: -1\r\n\r\n")).toBe("its output is not a protocol message");
  expect(await failing("Content-Length: 2\r\n\r\nno")).toBe("it wrote a message that is not JSON");
  expect(await failing("Content-Length: 5\r\n\r\n{}")).toBe("its last message broke off");
});

test("[TOOL-11 REL-06] diagnostics of any shape are read as far as they are some", async () => {
  await holds(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      for (const problem of parseDiagnostics("/a", values)) expect(problem.line).toBeGreaterThan(0);
    }),
  );
  expect(parsePublished({ uri: "untitled:x", diagnostics: [] })).toBeUndefined();
  expect(
    parsePublished({
      uri: "file:///a%20b",
      version: 2,
      diagnostics: [{ message: "m" }, { severity: 4, message: "hint" }],
    }),
  ).toEqual({
    path: "/a b",
    version: 2,
    problems: [{ path: "/a b", line: 1, column: 1, severity: "error", message: "m" }],
  });
});

test("[TOOL-11] many problems are counted, and the first ones shown, errors before warnings, each in one line", () => {
  const problem = (severity: "error" | "warning", line: number) =>
    ({ path: "/w/a.ts", line, column: 1, severity, message: "one\ntwo" }) as const;
  const many = Array.from({ length: 30 }, (_, at) => problem(at % 2 === 0 ? "warning" : "error", at + 1));
  const lines = problemsReport("lint", many, "/w").split("\n");
  expect(lines).toHaveLength(PROBLEMS_MAX + 2);
  expect(lines[0]).toBe("[lint: 15 errors, 15 warnings]");
  expect(lines[1]).toBe("a.ts:2:1: error: one two");
  expect(lines.at(-1)).toBe("and 10 more");
});

test("[TOOL-11] a checker is run on the changed files, its words come back, and it is ended at its time limit", async () => {
  await using rig = openToolRig();
  const path = join(rig.root, "a.txt");
  writeFileSync(path, "x");
  const run = (command: readonly [string, ...string[]], waitMs = 5_000) =>
    checker(
      { name: "lint", kind: "checker", files: ["*.txt"], command, waitMs },
      {
        world: rig.world,
        root: rig.root,
        env: { PATH: "/usr/bin:/bin" },
        spawn: async () => rig.world.spawn,
      },
    ).check([path], new AbortController().signal);
  expect(await run(["sh", "-c", 'echo "$1: bad"; exit 1', "sh"])).toBe(`[lint: exit 1]\n${path}: bad`);
  expect(await run(["sh", "-c", 'test "$1" = -q && test -n "$2"', "sh", "-q", "{files}"])).toBe(
    "[lint: no problems]",
  );
  expect(await run(["no-such-checker"])).toContain("no-such-checker");
  const hung = run(["sh", "-c", "sleep 1000", "sh"]);
  await rig.world.clock.advance(5_000);
  expect(await hung).toBe("[lint: has not ended within 5 s]");
});

test("[TOOL-11] only a call that wrote files is asked about, each source about its own, what it said itself stays as it is, and a command may have changed any file, however it ended", async () => {
  await using rig = openToolRig();
  const asked: (readonly string[])[] = [];
  const source: DiagnosticSource = {
    name: "lint",
    covers: (path) => path.endsWith(".txt"),
    stale: () => undefined,
    check: async (paths) => {
      asked.push(paths);
      return "[lint: no problems]";
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const stale: unknown[] = [];
  const middleware = diagnose({
    covering: async () => [source],
    stale: (paths) => stale.push(paths ?? "any"),
  });
  const path = { path: "/w/a.txt", access: "write" } as const;
  const call = (paths: readonly { path: string; access: "read" | "write" }[]) => ({
    ...rig.callOf(TOOL, {}),
    plan: { summary: "x", target: { kind: "paths", paths } } as const,
  });
  const says =
    (isError = false) =>
    async () => ({ content: [{ type: "text", text: "done" } as const], isError });
  const done = { type: "text", text: "done" } as const;
  const other = { path: "/w/a.md", access: "write" } as const;
  expect((await middleware(call([path, path, other]), rig.context, says())).content).toEqual([
    done,
    { type: "text", text: "[lint: no problems]" },
  ]);
  expect((await middleware(call([{ ...path, access: "read" }]), rig.context, says())).content).toEqual([
    done,
  ]);
  expect((await middleware(call([path]), rig.context, says(true))).content).toEqual([done]);
  expect(asked).toEqual([["/w/a.txt"]]);
  expect(stale).toEqual([["/w/a.txt", "/w/a.md"], "any", ["/w/a.txt"]]);
  const failing = async () => {
    throw new Error("it broke");
  };
  await expect(middleware(rig.callOf(TOOL, {}), rig.context, failing)).rejects.toThrow("it broke");
  expect(stale.at(-1)).toBe("any");
  await middleware(rig.callOf({ ...TOOL, mutating: false }, {}), rig.context, says());
  expect(stale).toHaveLength(4);
});

const TOOL = {
  name: "Probe",
  description: "probes",
  inputSchema: { type: "object" },
  mutating: true,
  level: "ReadOnly",
  plan: () => Promise.reject(new Error("not planned")),
  run: () => Promise.reject(new Error("not run")),
} as const;
