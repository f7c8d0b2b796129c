import { expect, test } from "bun:test";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { lockDatabase } from "./database-lock.ts";

const { signal } = new AbortController();

/** Takes the lock, says so, and keeps it as long as it lives. */
const HOLDER = `
  import { lockDatabase } from ${JSON.stringify(join(import.meta.dir, "database-lock.ts"))};
  const { signal } = new AbortController();
  const lock = await lockDatabase(process.argv.at(-1), { sleep: () => Promise.resolve() }, signal);
  console.log("held");
  setInterval(() => lock, 60_000);
`;

test("[ENG-24 R37] who comes second waits until the first has let go, in one process", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "lock.db");
  const clock = fakeClock();
  const first = await lockDatabase(path, clock, signal);
  let isHeld = false;
  const second = lockDatabase(path, clock, signal).then((lock) => {
    isHeld = true;
    return lock;
  });
  await clock.advance(1_000);
  expect(isHeld).toBe(false);
  first[Symbol.dispose]();
  await clock.advance(1_000);
  using _second = await second;
});

test("[ENG-24 R37 R38] who comes second waits for another process too, and no longer than that lives", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "lock.db");
  const script = join(directory.path, "holder.ts");
  await Bun.write(script, HOLDER);
  await using holder = Bun.spawn([process.execPath, "--no-env-file", script, path], { stdout: "pipe" });
  const said = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(said.value)).toBe("held\n");
  const clock = fakeClock();
  let isHeld = false;
  const second = lockDatabase(path, clock, signal).then((lock) => {
    isHeld = true;
    return lock;
  });
  await clock.advance(1_000);
  expect(isHeld).toBe(false);
  holder.kill("SIGKILL");
  await holder.exited;
  await until("the lock", async () => {
    await clock.advance(20);
    return isHeld;
  });
  using _second = await second;
}, 60_000);

test("[ENG-24 S30] a link in its place is refused, and makes nothing where it leads", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "lock.db");
  symlinkSync(`${path}-target`, path);
  await expect(lockDatabase(path, fakeClock(), signal)).rejects.toThrow();
  expect(existsSync(`${path}-target`)).toBe(false);
});

test("[ENG-24 S30] a link above it is followed, as where ~/.config lies elsewhere, and the file is its owner's", async () => {
  await using directory = temporaryDirectory();
  const [real, link] = [join(directory.path, "real"), join(directory.path, "link")];
  mkdirSync(real);
  symlinkSync("real", link);
  const clock = fakeClock();
  const first = await lockDatabase(join(link, "lock.db"), clock, signal);
  expect(statSync(join(real, "lock.db")).mode & 0o777).toBe(0o600);
  let isHeld = false;
  const second = lockDatabase(join(real, "lock.db"), clock, signal).then((lock) => {
    isHeld = true;
    return lock;
  });
  await clock.advance(1_000);
  expect(isHeld).toBe(false);
  first[Symbol.dispose]();
  await clock.advance(1_000);
  using _second = await second;
});

test("[ENG-24 R22] a lock that is damaged is named, with the remedy", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "lock.db");
  writeFileSync(path, "no database\n".repeat(100));
  await expect(lockDatabase(path, fakeClock(), signal)).rejects.toThrow(
    `the lock ${path} is damaged; nothing is kept in it: remove it`,
  );
});

test("[ENG-24 ENG-09] who waits can give up, and holds up nobody by it", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "lock.db");
  const clock = fakeClock();
  const stop = new AbortController();
  const first = await lockDatabase(path, clock, signal);
  const second = lockDatabase(path, clock, stop.signal);
  stop.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  first[Symbol.dispose]();
  using _third = await lockDatabase(path, clock, signal);
});
