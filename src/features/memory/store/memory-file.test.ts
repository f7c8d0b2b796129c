import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { costMs } from "../../../../test/support/cost.ts";
import { holds } from "../../../../test/support/property.ts";
import { readYamlHead } from "../../../base/text/yaml-head.ts";
import { CONTENT_BYTES_MAX, MEMORY_TYPES, TAG_CHARACTERS_MAX, TAGS_MAX } from "../memory.ts";
import { descriptionLine, parseMemory, renderMemory } from "./memory-file.ts";

const readYaml = async (source: string) => readYamlHead(source);
const parse = (text: string, stem = "note") => parseMemory(text, { stem, type: "project" }, readYaml);

const NOTE = {
  name: "note",
  type: "project",
  description: "what it is",
  tags: [],
  content: "Body.",
} as const;

const good = (...lines: readonly string[]) => parse(lines.join("\n"));

test("[CTX-02] what people do to a file by hand is put up with", async () => {
  const memory = { kind: "memory", memory: NOTE, ignoredFields: [] } as const;
  expect(
    await good("---", "name: note", "description: what it is", "metadata: {type: project}", "---", "Body."),
  ).toEqual(memory);
  const own = renderMemory(NOTE);
  for (const text of [
    own,
    own.replaceAll("\n", "\r\n"),
    own.replaceAll("\n", "\r"),
    `\ufeff${own}`,
    `${own}\n\n`,
  ])
    expect(await parse(text)).toEqual(memory);
  expect(
    await good(
      "---",
      "author: me",
      "type: project",
      "description: >",
      "  what it",
      "  is",
      "---",
      "",
      "Body.",
    ),
  ).toEqual(memory);
  expect(await good("---", "---", "First line.", "Second.")).toEqual({
    kind: "memory",
    memory: { ...NOTE, description: "First line.", content: "First line.\nSecond." },
    ignoredFields: [],
  });
  expect(await good("---", "tags: one, two words", "description: what it is", "...", "Body.")).toEqual({
    ...memory,
    memory: { ...NOTE, tags: ["one", "two words"] },
  });
});

test("[CTX-02] a broken file is reported with the line of the mistake", async () => {
  const problem = (line: number, text: string) => ({ kind: "problem" as const, line, problem: text });
  expect(await good("# Note", "text")).toEqual(problem(1, "it does not begin with a line of ---"));
  expect(await good("---", "name: note")).toEqual(
    problem(1, "the head that begins here is not closed by a line of ---"),
  );
  expect(await good("---", "name: note", "metadata:", "  type: secret", "---")).toEqual(
    problem(4, "type must be one of user, feedback, project, reference"),
  );
  expect(await good("---", "description: a", "description: b", "---")).toMatchObject({ line: 3 });
  expect(await good("---", "description: [1", "---")).toMatchObject({ kind: "problem", line: 2 });
  expect(await good("---", "description: &a [x]", "---")).toEqual(problem(2, "description must be a text"));
  expect(await good("---", "a: &a x", "description: *a", "---")).toMatchObject({
    memory: { description: "" },
  });
  expect(await good("---", "- list", "---")).toEqual(problem(2, "its head is not a list of keys and values"));
  expect(await good("---", "---", "x".repeat(CONTENT_BYTES_MAX + 1))).toMatchObject({ line: 3 });
  expect(await parse(renderMemory(NOTE), "MEMORY")).toMatchObject({ kind: "problem" });
  expect(await parse(renderMemory(NOTE), "a b")).toMatchObject({ kind: "problem" });
});

test("[CTX-02] a renamed file is known by its new name, and a notice says so", async () => {
  expect(await parse(renderMemory(NOTE), "other")).toEqual({
    kind: "memory",
    memory: { ...NOTE, name: "other" },
    ignoredFields: [{ line: 2, problem: "its name differs from the file's; it goes by other" }],
  });
});

const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).filter((one) => one.toLowerCase() !== "memory");
const memory = fc.record({
  name,
  type: fc.constantFrom(...MEMORY_TYPES),
  description: fc
    .string({ unit: "binary", maxLength: 80 })
    .map(descriptionLine)
    .filter((line) => line !== ""),
  tags: fc.array(
    fc
      .string({ unit: "binary", maxLength: 10 })
      .map(descriptionLine)
      .filter((tag) => tag !== "" && tag.length <= TAG_CHARACTERS_MAX),
    { maxLength: TAGS_MAX },
  ),
  content: fc
    .string({ unit: "grapheme", maxLength: 300 })
    .map((text) => text.toWellFormed().replaceAll(/\r\n?/g, "\n").trim()),
});

test("[CTX-02 REL-06] what is written is read again, and YAML reads it the same way", async () => {
  const never = () => Promise.reject(new Error("YAML was asked"));
  await holds(
    fc.asyncProperty(memory, async (each) => {
      const text = renderMemory(each);
      const place = { stem: each.name, type: "user" } as const;
      expect(await parseMemory(text, place, readYaml)).toEqual({
        kind: "memory",
        memory: each,
        ignoredFields: [],
      });
      const read = await readYaml(text.slice(4, text.indexOf("\n---\n", 4)));
      const { name, description, type, tags } = each;
      const metadata = { type, ...(tags.length > 0 ? { tags } : {}) };
      expect(read).toMatchObject({ kind: "value", value: { name, description, metadata } });
      if (/^[a-z]+-/.test(each.name)) await parseMemory(text, place, never); // its own form takes no YAML
    }),
    300,
  );
});

test("[REL-06] whatever a file holds, reading it ends with a memory or a problem", async () => {
  const piece = fc.constantFrom(
    ...[
      "---",
      "\n",
      "name:",
      "description: ",
      "metadata:",
      "  type: user",
      "tags: [",
      "]",
      "&a ",
      "*a",
      "!!js/function ",
      "? ",
    ],
    ...[
      "<<: *a",
      "{",
      "}",
      '"',
      "'",
      "\\",
      "|",
      ">",
      "\t",
      "\r",
      "\ufeff",
      "\u0000",
      "\ud800",
      "__proto__: 1",
      "- ",
      "[[[[",
    ],
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 60 }).map((parts) => parts.join("")),
    fc.array(piece, { maxLength: 60 }).map((parts) => `---\n${parts.join("")}\n---\nx`),
  );
  await holds(
    fc.asyncProperty(text, async (each) => {
      const { kind } = await parse(each);
      expect(["memory", "problem"]).toContain(kind);
    }),
    1_000,
  );
  expect(await good("---", "x".repeat(5_000), "---")).toMatchObject({ kind: "problem", line: 1 });
});

test("[REL-06] a head that is nested without end is read in time that grows with its length alone", async () => {
  const units = ["? ", "[", "{a: ", "- ", '"', "? - ", "&a ", "a: [", "!!map ", "? ? : "];
  for (const unit of units) {
    const bomb = unit.repeat(Math.floor(4_096 / unit.length));
    const read = async () => expect(["memory", "problem"]).toContain((await good("---", bomb, "---")).kind);
    expect({ unit, fast: (await costMs(read, 1_000)) < 1_000 }).toEqual({ unit, fast: true });
  }
});
