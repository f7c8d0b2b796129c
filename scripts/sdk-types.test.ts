import { expect, test } from "bun:test";
import type { JsonSchema } from "../src/base/json.ts";
import { requireProgram } from "../test/support/requires.ts";
import { ROOT } from "../test/support/source.ts";
import { pythonTypes } from "./sdk-types.ts";

const MODULE = `${ROOT}/sdk/python/src/cinch_client/protocol.py`;

/** Python's `keyword.kwlist`, which the test with Python compares with the real one. */
const KEYWORDS =
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  );
const SHAPES = [KEYWORDS, [...KEYWORDS, "to"], ["__mangled", "with-hyphen"]].flatMap((names) => [
  { names, required: [] },
  { names, required: names },
  { names, required: ["from", "to"] },
  { names: [...names, "needed"], required: ["needed"] },
]);

test("[SDK-01] no class of the generated Python module has a field that Python cannot declare", async () => {
  for (const text of [await Bun.file(MODULE).text(), generated()]) {
    const fields = [...text.matchAll(/^ {4}(\S+): /gm)].map(([, name = ""]) => name);
    const inClasses = fields.filter((name) => !name.startsWith('"'));
    expect(inClasses.filter((name) => KEYWORDS.includes(name) || !/^(?!__)[A-Za-z_]\w*$/.test(name))).toEqual(
      [],
    );
  }
});

requireProgram("python3")(
  "[SDK-01] Python imports the module whatever the fields are called, with the same required and optional fields",
  async () => {
    const check = `
import json, keyword, sys
assert sorted(keyword.kwlist) == sorted(json.loads(sys.argv[2]))
compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
space = {}
exec(compile(sys.stdin.read(), "generated", "exec"), space)
types = [space["Shape%d" % at] for at in range(int(sys.argv[3]))]
print(json.dumps([[sorted(each.__required_keys__), sorted(each.__optional_keys__)] for each in types]))`;
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      ["python3", "-c", check, MODULE, JSON.stringify(KEYWORDS), `${SHAPES.length}`],
      { stdin: new TextEncoder().encode(generated()), env: { PATH: process.env["PATH"] ?? "" } },
    );
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
    expect(JSON.parse(stdout.toString())).toEqual(
      SHAPES.map(({ names, required }) => [
        names.filter((name) => required.includes(name)).toSorted(),
        names.filter((name) => !required.includes(name)).toSorted(),
      ]),
    );
  },
);

function generated(): string {
  const schemas = SHAPES.map(({ names, required }, at): [string, JsonSchema] => {
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    return [`Shape${at}`, { type: "object", properties, required: [...required] }];
  });
  return pythonTypes({
    version: "1",
    schemas: Object.fromEntries(schemas),
    reasons: ["Refused"],
    results: [],
    queries: [],
  });
}
