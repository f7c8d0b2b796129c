import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { hasReason } from "../../base/errors.ts";
import { parseCassette } from "./cassette.ts";
import { readCassette } from "./read-cassette.ts";

const HEADER = '{"cassette":1,"family":"f","model":"m","variables":[{"name":"pid","pattern":"pid \\\\d+"}]}';
const USER = '{"role":"user","content":[{"type":"text","text":"go"}]}';
const FINISH = '{"ms":3,"event":{"kind":"finish","reason":"stop","raw":"end_turn"}}';
const FIRST = `{"request":{"tools":["Read"],"after":0,"messages":[${USER}]},"events":[${FINISH}]}`;

test("[PROV-08] a cassette is read, with empty lines and keys of later versions passed over", () => {
  const text = `\n${HEADER.replace("}]}", '}],"later":1}')}\r\n\n${FIRST}\n`;
  expect(parseCassette(text, "c.jsonl")).toEqual({
    path: "c.jsonl",
    header: { cassette: 1, family: "f", model: "m", variables: [{ name: "pid", pattern: "pid \\d+" }] },
    exchanges: [
      {
        line: 4,
        request: {
          tools: ["Read"],
          after: 0,
          messages: [{ role: "user", content: [{ type: "text", text: "go" }] }],
        },
        events: [{ ms: 3, event: { kind: "finish", reason: "stop", raw: "end_turn" } }],
      },
    ],
  });
});

test.each([
  ["an empty file", "", 1, 'the first line must be a header with "cassette": 1'],
  ["a later version", '{"cassette":2}', 1, 'the first line must be a header with "cassette": 1, not 2'],
  [
    "a pattern that is none",
    '{"cassette":1,"variables":[{"name":"a","pattern":"("}]}',
    1,
    "the pattern ( is not a regular expression",
  ],
  [
    "a name that means something else",
    '{"cassette":1,"variables":[{"name":"cwd","pattern":"x"}]}',
    1,
    'the name "cwd" stands for something else',
  ],
  [
    "a name that is none",
    '{"cassette":1,"variables":[{"name":"A|B","pattern":"x"}]}',
    1,
    '"A|B" is not a name: small letters, digits and -',
  ],
  [
    "one name twice",
    '{"cassette":1,"variables":[{"name":"a","pattern":"x"},{"name":"a","pattern":"y"}]}',
    1,
    "two variables have the same name",
  ],
  ["a line that was cut off", `${HEADER}\n${FIRST}\n${FIRST.slice(0, 60)}`, 3, "it is not JSON"],
  ["a line without a request", `${HEADER}\n{"events":[]}`, 2, 'an exchange needs a "request"'],
  [
    "more shared messages than there are",
    `${HEADER}\n${FIRST}\n${FIRST.replace('"after":0', '"after":2')}`,
    3,
    '"request.after" must be a whole number from 0 to 1',
  ],
  [
    "a message that is none",
    `${HEADER}\n${FIRST.replace('"role":"user"', '"role":"system"')}`,
    2,
    '"request.messages" must be canonical messages',
  ],
  [
    "tools that are no names",
    `${HEADER}\n${FIRST.replace('["Read"]', "[1]")}`,
    2,
    '"request.tools" must be names',
  ],
  [
    "an event of no known kind",
    `${HEADER}\n${FIRST.replace('"kind":"finish"', '"kind":"end"')}`,
    2,
    '"events" must be a list of {ms, event}',
  ],
  ["a negative pause", `${HEADER}\n${FIRST.replace('"ms":3', '"ms":-3')}`, 2, '"events" must be a list'],
])("[PROV-08] %s is refused with its line", (_what, text, line, problem) => {
  expect(() => parseCassette(text, "c.jsonl")).toThrow(
    `The cassette c.jsonl cannot be read at line ${line}: ${problem}`,
  );
});

test("[PROV-08] whatever bytes a cassette holds, it is read or refused as invalid, nothing else", async () => {
  const jsonish = fc.string({ unit: fc.constantFrom(...'{}[]":,1ab\\n \n') });
  const changed = fc
    .tuple(fc.nat(HEADER.length + FIRST.length), fc.string({ maxLength: 3 }))
    .map(([at, more]) => `${HEADER}\n${FIRST}`.slice(0, at) + more + `${HEADER}\n${FIRST}`.slice(at + 1));
  const lines = fc.array(fc.json(), { maxLength: 3 }).map((values) => [HEADER, ...values].join("\n"));
  await holds(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), jsonish, changed, lines), (text) => {
      try {
        parseCassette(text, "c.jsonl");
      } catch (thrown) {
        if (!hasReason(thrown, "CassetteInvalid")) throw thrown;
      }
    }),
    500,
  );
});

test("[PROV-08] a cassette that is missing, a folder, or no text is reported with its problem", async () => {
  await using folder = temporaryDirectory();
  const world = testWorld();
  const open = (path: string) => readCassette(world, path);
  writeFileSync(join(folder.path, "bytes"), Uint8Array.from([0xff, 0xfe, 0, 1]));
  await expect(open(join(folder.path, "none"))).rejects.toThrow(
    `The cassette does not exist: ${join(folder.path, "none")}`,
  );
  await expect(open(folder.path)).rejects.toThrow(
    `The cassette ${folder.path} cannot be read at line 1: it is a directory`,
  );
  await expect(open(join(folder.path, "bytes"))).rejects.toThrow("the first line must be a header");
});
