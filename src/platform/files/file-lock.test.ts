import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { lockFile } from "./file-lock.ts";

const { signal } = new AbortController();

async function inPlace(run: (path: string) => Promise<void>): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "cinch-lock-"));
  try {
    await run(join(place, "engine.lock"));
  } finally {
    rmSync(place, { recursive: true });
  }
}

test("[CTL-11 R37] who comes second waits until the first has let go", async () => {
  await inPlace(async (path) => {
    const clock = fakeClock();
    const first = await lockFile(path, clock, signal);
    let isHeld = false;
    const second = lockFile(path, clock, signal).then((lock) => {
      isHeld = true;
      return lock;
    });
    await clock.advance(1_000);
    expect(isHeld).toBe(false);
    first[Symbol.dispose]();
    await clock.advance(1_000);
    using _second = await second;
  });
});

test("[CTL-11 S30] a link in its place is refused, and makes nothing where it leads", async () => {
  await inPlace(async (path) => {
    const target = `${path}-target`;
    symlinkSync(target, path);
    await expect(lockFile(path, fakeClock(), signal)).rejects.toMatchObject({ code: "ELOOP" });
    expect(existsSync(target)).toBe(false);
  });
});

requireProgram("mkfifo")("[CTL-11 S30] a FIFO in its place holds nobody up", async () => {
  await inPlace(async (path) => {
    expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
    using _lock = await lockFile(path, fakeClock(), signal);
  });
});
