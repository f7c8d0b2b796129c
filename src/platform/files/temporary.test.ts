import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { makeTemporaryFolder, sweepTemporaryFolders } from "./temporary.ts";

const OWNER = ".cinch-owner";

test("[SES-18] a sweep removes marked folders of processes that are gone, and nothing else", async () => {
  await using place = temporaryDirectory();
  const own = makeTemporaryFolder("cinch-");
  const mark: Record<string, unknown> = JSON.parse(readFileSync(join(own, OWNER), "utf8"));
  const dead = { ...mark, processStart: "before:1" };
  const folder = (name: string, text: string | undefined) => {
    const path = join(place.path, name);
    mkdirSync(path);
    if (text !== undefined) writeFileSync(join(path, OWNER), text);
    return path;
  };
  const kept = [
    folder("cinch-living", JSON.stringify(mark)),
    folder("cinch-nomark", undefined),
    folder("cinch-broken", "{"),
    folder("cinch-abroad", JSON.stringify({ ...dead, namespace: "pid:[1]" })),
    folder("others-AbCdEf", JSON.stringify(dead)),
  ];
  const gone = [
    folder("cinch-AbCdEf", JSON.stringify(dead)),
    folder("cinch-keys-AbCdEf", JSON.stringify(dead)),
  ];
  const aim = folder("aim", JSON.stringify(dead));
  symlinkSync(aim, join(place.path, "cinch-linked"));
  mkdirSync(join(place.path, "cinch-linkto"));
  symlinkSync(join(aim, OWNER), join(place.path, "cinch-linkto", OWNER));
  kept.push(aim, join(place.path, "cinch-linked"), join(place.path, "cinch-linkto"));

  expect([...sweepTemporaryFolders(place.path)].sort()).toEqual(gone.sort());
  expect(gone.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  expect(sweepTemporaryFolders(join(place.path, "nowhere"))).toEqual([]);
});

test("[SES-18] folders that are not its own do not keep a sweep from the others", async () => {
  await using place = temporaryDirectory();
  const own = makeTemporaryFolder("cinch-");
  const mark: Record<string, unknown> = JSON.parse(readFileSync(join(own, OWNER), "utf8"));
  // Before and after it, since a listing may begin with the newest.
  const others = (from: number) => {
    for (let at = from; at < from + 300; at++) mkdirSync(join(place.path, `cinch-other${at}`));
  };
  others(100);
  const dead = join(place.path, "cinch-AbCdEf");
  mkdirSync(dead);
  writeFileSync(join(dead, OWNER), JSON.stringify({ ...mark, processStart: "before:1" }));
  others(400);
  expect(sweepTemporaryFolders(place.path)).toEqual([dead]);
});

test("[SES-18] a folder that a killed process could not mark any more is removed once it is a minute old, while it is empty", async () => {
  await using place = temporaryDirectory();
  const names = ["cinch-AbCdEf", "cinch-keys-AbCdEf", "cinch-FullAA", "cinch-theirs-AbCdEf", "cinch-linked"];
  const [sandbox, keys, full, foreign, link] = names.map((name) => join(place.path, name));
  for (const path of [sandbox, keys, full, foreign]) mkdirSync(String(path));
  writeFileSync(join(String(full), "file"), "");
  symlinkSync(String(foreign), String(link));
  const { mtimeMs } = statSync(String(keys));
  expect(sweepTemporaryFolders(place.path, mtimeMs + 30_000)).toEqual([]);
  expect([...sweepTemporaryFolders(place.path, mtimeMs + 120_000)].sort()).toEqual([
    String(sandbox),
    String(keys),
  ]);
  expect([sandbox, keys, full, foreign, link].map((path) => existsSync(String(path)))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test("[SES-18] a process that loses its folder to a sweep before it could mark it makes another", () => {
  const lost: string[] = [];
  const made = makeTemporaryFolder("cinch-", (folder) => {
    if (lost.length < 2) {
      lost.push(folder);
      rmdirSync(folder); // as a sweep does
    }
    writeFileSync(join(folder, OWNER), "{}", { flag: "wx" });
  });
  expect(lost).not.toContain(made);
  expect([existsSync(join(made, OWNER)), ...lost.map((path) => existsSync(path))]).toEqual([
    true,
    false,
    false,
  ]);
  rmSync(made, { recursive: true });
});
