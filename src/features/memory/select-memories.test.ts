import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { byteLength } from "../../base/text/text.ts";
import type { StoredMemory } from "./memory.ts";
import { memorySections, SELECTED_BYTES_MAX } from "./sections.ts";
import { SELECTED_MAX, selectMemories } from "./select-memories.ts";

const NOW = Date.UTC(2026, 0, 31);

const kept = (name: string, parts: Partial<StoredMemory> = {}): StoredMemory => ({
  name,
  type: "project",
  description: "",
  tags: [],
  content: "Body.",
  scope: "project",
  path: `/m/${name}.md`,
  modifiedMs: NOW,
  bytes: 10,
  ...parts,
});

const selected = (prompt: string, ...memories: readonly StoredMemory[]) =>
  selectMemories(prompt, memories, NOW).map(({ name }) => name);

test("[CTX-02] a memory is found by a tag, by its name, or by two words of its description", () => {
  const memory = kept("m1", {
    tags: ["Postgres"],
    description: "port of the local database for development",
  });
  expect(selected("start postgres", memory)).toEqual(["m1"]);
  expect(selected("which port does the database listen on?", memory)).toEqual(["m1"]);
  expect(selected("describe the database", memory)).toEqual([]);
  expect(selected("use the file, please, and then do it again", memory)).toEqual([]);
  expect(selected("", memory)).toEqual([]);
  expect(selected("cut a new release-notes page", kept("releaseNotes"))).toEqual(["releaseNotes"]);
});

test("[CTX-02] endings and a mistyped letter do not hide a memory; another word does", () => {
  const memory = kept("m1", { tags: ["deployment"] });
  for (const prompt of ["deployments", "Deployment!", "deploymnet", "deploiment", "deployments are slow"])
    expect(selected(prompt, memory)).toEqual(["m1"]);
  for (const prompt of ["depth", "payment", "employment contract"])
    expect(selected(prompt, memory)).toEqual([]);
});

test("[CTX-02] what is worth more and what is newer comes first, and there is an end to it", () => {
  const at = (days: number) => NOW - days * 24 * 60 * 60 * 1000;
  const all = [
    kept("reference", { type: "reference", tags: ["build"] }),
    kept("old", { tags: ["build"], modifiedMs: at(400) }),
    kept("new", { tags: ["build"] }),
    kept("wish", { type: "feedback", tags: ["build"], modifiedMs: at(400) }),
    kept("person", { type: "user", tags: ["build"], modifiedMs: at(400) }),
    kept("both", { tags: ["build", "linux"], modifiedMs: at(400) }),
  ];
  expect(selected("build it on linux", ...all)).toEqual(["both", "new", "wish", "reference", "person"]);
  expect(SELECTED_MAX).toBe(5);
});

test("[CTX-02 REL-04] what a turn is given is bounded, and what is cut says where the rest is", () => {
  const long = kept("long", { content: "a line of text\n".repeat(500) });
  const texts = memorySections([long, kept("second"), kept("third", { content: "x".repeat(8_000) })]);
  expect(texts.reduce((sum, { text }) => sum + byteLength(text), 0)).toBeLessThanOrEqual(SELECTED_BYTES_MAX);
  expect(texts[0]?.text).toContain("[cut: MemoryRead long has the rest]");
});

test("[CTX-02 REL-06] choosing is the same each time, keeps to its bound, and ends, whatever the words are", async () => {
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom("build", "test", "deploy"),
  );
  const memory = fc
    .record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      description: word,
      tags: fc.array(word, { maxLength: 8 }),
    })
    .map(({ name, ...parts }) => kept(name, parts));
  await holds(
    fc.property(fc.array(word, { maxLength: 20 }), fc.array(memory, { maxLength: 10 }), (words, memories) => {
      const prompt = words.join(" ");
      const found = selectMemories(prompt, memories, NOW);
      expect(found.length).toBeLessThanOrEqual(SELECTED_MAX);
      expect(selectMemories(prompt, memories, NOW)).toEqual(found);
    }),
    200,
  );
});
