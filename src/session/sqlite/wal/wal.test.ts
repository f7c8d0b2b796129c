import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { LOG_KEY } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { openSqliteStore } from "../open.ts";
import { mayHaveFramesBehind, missingPagesText } from "./wal.ts";

/** Returns the locks of this process on a file. */
function locksOn(path: string): readonly string[] {
  const inode = String(statSync(path).ino);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[4] === String(process.pid) && fields[5]?.endsWith(`:${inode}`) === true)
    .map((fields) => fields.slice(1, 4).concat(fields.slice(6)).join(" "));
}

test.skipIf(!existsSync("/proc/locks"))(
  "[SES-16 REL-03] a store that is open keeps its locks while its files are looked at, so no other process resets its index",
  async () => {
    await using directory = temporaryDirectory();
    const path = join(directory.path, "sessions.db");
    await using _store = await openSqliteStore({ path, world: testWorld(), logKey: LOG_KEY });
    const held = [locksOn(path), locksOn(`${path}-shm`)];
    expect(held.map(({ length }) => length > 0)).toEqual([true, true]);
    for (let look = 0; look < 2; look++) {
      mayHaveFramesBehind(path);
      missingPagesText(path);
    }
    expect([locksOn(path), locksOn(`${path}-shm`)]).toEqual(held);
  },
);
