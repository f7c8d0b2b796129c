import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { writeOutputFile } from "./file-sink.ts";

const { signal } = new AbortController();

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

test("[SES-10] an export that is written touches no other file in its folder, and goes through no link there", async () => {
  await using directory = temporaryDirectory();
  const at = (name: string) => join(directory.path, name);
  writeFileSync(at("mine"), "mine");
  writeFileSync(at("a.jsonl.part"), "a download of mine");
  symlinkSync(at("mine"), at("a.jsonl.2.part"));
  await writeOutputFile(at("a.jsonl"), pieces("one\n", "two\n"), signal);
  await writeOutputFile(at("a.jsonl"), pieces("three\n"), signal);
  const names = ["a.jsonl", "a.jsonl.part", "mine"];
  expect(names.map((name) => readFileSync(at(name), "utf8"))).toEqual([
    "three\n",
    "a download of mine",
    "mine",
  ]);
  expect(statSync(at("a.jsonl")).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory.path).sort()).toEqual(["a.jsonl", "a.jsonl.2.part", "a.jsonl.part", "mine"]);
});

test("[SES-10 SES-16] an export that breaks off leaves the file that was there, and nothing beside it", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "a.jsonl");
  writeFileSync(path, "before");
  async function* broken(): AsyncGenerator<string> {
    yield "half";
    throw new Error("broke off");
  }
  await expect(writeOutputFile(path, broken(), signal)).rejects.toThrow("broke off");
  expect([readFileSync(path, "utf8"), readdirSync(directory.path)]).toEqual(["before", ["a.jsonl"]]);
});
