import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { hostFiles } from "../../platform/files/files.ts";
import { checkpointLogFiles } from "./checkpoint-log-files.ts";

test("[SES-06 SES-15] checkpoints go with the content of their session, once the newest is due", async () => {
  await using directory = temporaryDirectory();
  const data = directory.path;
  const [old, newer, linked] = [testId(), testId(), testId()];
  const at = (log: string) => join(data, "checkpoints", log);
  const day = Date.parse("2026-03-10T12:00:00Z") / 1_000;
  for (const log of [old, newer]) {
    mkdirSync(at(log), { recursive: true });
    for (const number of [1, 2]) {
      const path = join(at(log), `0000000${number}.record`);
      writeFileSync(path, "x");
      utimesSync(path, day, log === newer && number === 2 ? day + 86_400 : day);
    }
  }
  mkdirSync(join(data, "precious"));
  symlinkSync(join(data, "precious"), at(linked));
  for (const log of [old, newer, linked, testId()])
    await checkpointLogFiles.expire(log, "2026-03-11", {
      world: { files: hostFiles, random },
      paths: { data },
    });
  expect([old, newer, linked].map((log) => existsSync(at(log)))).toEqual([false, true, true]);
  expect(existsSync(join(data, "precious"))).toBe(true);
});

const { ids, random } = testWorld();
function testId() {
  return ids.next("log");
}
