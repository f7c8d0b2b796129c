import { expect, test } from "bun:test";
import fc from "fast-check";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { probe } from "../../../test/support/tools.ts";
import { HarnessError } from "../../base/errors.ts";
import { ToolFailure } from "../tool.ts";
import { catchFailures } from "./catch-failures.ts";
import { inputProblems } from "./input-problems.ts";
import { surelyFits } from "./surely-fits.ts";
import { prepareCall } from "./validate.ts";

const schema = {
  type: "object",
  properties: {
    file_path: { type: "string" },
    offset: { type: "integer", minimum: 1 },
    edits: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: { old: { type: "string" }, mode: { enum: ["a", "b"] } },
        required: ["old"],
      },
    },
  },
  required: ["file_path"],
};

test("[TOOL-10 LIB-05] an input that does not fit is reported by field, with the expected and the found value", () => {
  const tool = probe({ inputSchema: schema });
  const problems = [
    {},
    { path: "x" },
    { file_path: 3, offset: 0 },
    { file_path: "a", offset: "5" },
    { file_path: null },
    { file_path: "a", edits: [{ mode: "c" }] },
    { file_path: "a", edits: [] },
    [],
    undefined,
    { file_path: "a", more: 1 },
  ].map((input) => inputProblems(tool, input));
  expect(problems).toEqual([
    ["file_path: expected string, found nothing"],
    ["file_path: expected string, found nothing (given: path)"],
    ["file_path: expected string, found number 3", "offset: 0 is less than 1, found number 0"],
    ['offset: expected integer, found string "5"'],
    ["file_path: expected string, found null"],
    [
      "edits.0.old: expected string, found nothing (given: mode)",
      'edits.0.mode: expected one of ["a","b"], found string "c"',
    ],
    ["edits: Array has too few items (0 < 1), found array of 0"],
    ["expected an object, found array of 0"],
    ["expected an object, found nothing"],
    [],
  ]);
});

test("[TOOL-10] schemas of strangers are held too: references, closed objects, unusable ones", () => {
  const closed = probe({
    inputSchema: {
      type: "object",
      properties: { a: { $ref: "#/$defs/text" }, "x/y": { type: "boolean" } },
      $defs: { text: { type: "string" } },
      additionalProperties: false,
    },
  });
  expect([{ a: 1 }, { "x/y": 1 }, { c: 1 }, { a: "" }].map((input) => inputProblems(closed, input))).toEqual([
    ["a: expected string, found number 1"],
    ["x/y: expected boolean, found number 1"],
    ["c: there is no such field"],
    [],
  ]);
  const broken = probe({ inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } } });
  expect(inputProblems(broken, { a: 1 })[0]).toStartWith("the tool's own schema cannot be used");
  expect(broken.inputSchema).toEqual({ type: "object", properties: { a: { $ref: "#/nowhere" } } });
});

test("[TOOL-10] no input makes the check itself fail, and what it says is well-formed", () => {
  const tool = probe({ inputSchema: schema });
  const property = fc.property(fc.jsonValue({ noUnicodeString: false }), (input) => {
    const problems = inputProblems(tool, input);
    return problems.every((problem) => problem.isWellFormed() && !problem.includes("cannot be used"));
  });
  fc.assert(property, { numRuns: 500 });
});

test("[TOOL-10] input that is no JSON is answered with its beginning, and the tool does not run", async () => {
  await using rig = openToolRig();
  const tool = probe({ plan: () => Promise.reject(new Error("must not be planned")) });
  const malformed = `{"file_path": "${"x".repeat(300)}`;
  const prepared = await prepareCall({ ...rig.callOf(tool, undefined), malformed }, rig.context);
  expect(prepared).toEqual({
    kind: "refused",
    output: {
      content: [
        {
          type: "text",
          text: `The input of Probe is not a JSON object. It begins: ${JSON.stringify(malformed.slice(0, 200))} (315 characters in all).`,
        },
      ],
      isError: true,
    },
  });
});

test("[LIB-05] a call that fits is planned, and runs with that plan", async () => {
  await using rig = openToolRig();
  const plan = { summary: "Probe:x", target: { kind: "none" } } as const;
  const call = rig.callOf(probe({ plan: () => Promise.resolve(plan) }), {});
  expect(await prepareCall(call, rig.context)).toEqual({ kind: "ready", call: { ...call, plan }, notes: [] });
});

test("[ENG-22] planning that does not end is given up, and a cancel ends it at once", async () => {
  await using rig = openToolRig();
  const stuck = probe({ plan: () => new Promise(() => undefined) });
  const answer = rig.text(stuck, {});
  await rig.world.clock.advance(10_000);
  expect(await answer).toBe("error: Probe could not be prepared within 10 s: the disk does not answer");
  const cancelled = rig.text(stuck, {}).catch((thrown: unknown) => thrown);
  await rig.world.clock.advance(1);
  const reason = new Error("stop");
  rig.cancel.abort(reason);
  expect(await cancelled).toBe(reason);
  expect(rig.world.clock.waiting).toBe(0);
});

test("[ENG-03 ENG-12] a failure is a result, a bug is reported as one, and an end of the turn is rethrown", async () => {
  const logged: unknown[] = [];
  await using rig = openToolRig();
  const log = {
    for: () => log,
    write: (...entry: readonly unknown[]) => void logged.push(entry),
  };
  const context = { ...rig.context, world: { ...rig.world, log } };
  const outcome = (thrown: Error) => {
    const call = rig.callOf(probe(), {});
    return catchFailures()(call, context, () => Promise.reject(thrown)).catch((error: unknown) => error);
  };
  const error = (text: string) => ({ content: [{ type: "text", text }], isError: true });
  expect(await outcome(new ToolFailure("no such file"))).toEqual(error("no such file"));
  expect(logged).toEqual([]);
  expect(await outcome(new TypeError("x is undefined"))).toEqual(
    error("internal error in Probe: x is undefined"),
  );
  expect(logged).toEqual([
    [
      "error",
      "a tool threw",
      expect.objectContaining({ tool: "Probe", error: "TypeError", at: expect.any(Array) }),
    ],
  ]);
  expect(JSON.stringify(logged)).not.toContain("x is undefined");
  const fatal = new HarnessError("EngineStopping", {});
  expect(await outcome(fatal)).toBe(fatal);
  const reason = new Error("cancelled");
  rig.cancel.abort(reason);
  expect(await outcome(new TypeError("aftermath"))).toBe(reason);
});

const { offset: _offset, edits: _edits, ...common } = schema.properties;
const COMMON_SCHEMA = {
  type: "object",
  properties: {
    ...common,
    limit: { type: "integer", description: "lines" },
    all: { type: "boolean" },
    list: {
      type: "array",
      items: { type: "object", properties: { mode: { enum: ["a", "b"] } }, required: ["mode"] },
    },
  },
  required: ["file_path"],
};

test("[TOOL-10 PERF-02] an input that fits common keywords needs no validator, and only such an input", () => {
  // Of the numbers only those that JSON can hold: the validator takes Infinity for an integer.
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const value = fc.oneof(fc.string(), number, fc.integer(), fc.boolean(), fc.constant(null));
  const input = fc.record(
    {
      file_path: fc.oneof({ arbitrary: fc.string(), weight: 5 }, { arbitrary: value, weight: 1 }),
      limit: fc.oneof({ arbitrary: fc.integer(), weight: 3 }, { arbitrary: value, weight: 1 }),
      all: fc.oneof(fc.boolean(), value),
      list: fc.array(fc.record({ mode: fc.constantFrom("a", "b", "c") }, { requiredKeys: [] }), {
        maxLength: 2,
      }),
      other: value,
    },
    { requiredKeys: [] },
  );
  const tool = probe({ inputSchema: COMMON_SCHEMA });
  let fitting = 0;
  fc.assert(
    fc.property(input, (given) => {
      fitting += surelyFits(COMMON_SCHEMA, given) ? 1 : 0;
      expect(surelyFits(COMMON_SCHEMA, given)).toBe(inputProblems(tool, given).length === 0);
    }),
    { numRuns: 1_000 },
  );
  expect(fitting).toBeGreaterThan(50);
});

test("[TOOL-10] a keyword that is not common is left to the validator", () => {
  expect(surelyFits(schema, { file_path: "a" })).toBe(true);
  expect(surelyFits(schema, { file_path: "a", offset: 1 })).toBe(false);
  expect(surelyFits({ ...COMMON_SCHEMA, additionalProperties: false }, { file_path: "a" })).toBe(false);
});
