import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { restrictFolder } from "./restrict-folder.ts";

test("[CTL-10 S30] a folder of ours that others may write in is closed to them, and its mode else left as it is", () => {
  const place = mkdtempSync(join(tmpdir(), "cinch-close-folder-"));
  try {
    const folder = join(place, "state");
    mkdirSync(folder);
    const closed = [0o777, 0o1777, 0o775, 0o722, 0o700, 0o755, 0o500].map((mode) => {
      chmodSync(folder, mode);
      restrictFolder(folder);
      return statSync(folder).mode & 0o7777;
    });
    expect(closed).toEqual([0o755, 0o1755, 0o755, 0o700, 0o700, 0o755, 0o500]);
    expect(() => restrictFolder(join(place, "missing"))).toThrow("ENOENT");
  } finally {
    rmSync(place, { recursive: true });
  }
});
