import { expect, test } from "bun:test";
import { join } from "node:path";

const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];
const isLinux = process.platform === "linux";

test("[CRED-03 S59] a process that closes itself stays closed, and what it starts is open", () => {
  const program = `
    import { dlopen } from "bun:ffi";
    import { makeUndumpable } from ${JSON.stringify(join(import.meta.dir, "undumpable.ts"))};
    const name = process.argv[1] ?? "";
    const done = makeUndumpable();
    if (process.platform !== "linux") console.log(done);
    else {
      const { symbols } = dlopen(name, { prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" } });
      const child = Bun.spawnSync(["cat", "/proc/self/environ"], { env: { SEEN: "yes" } });
      console.log(done, symbols.prctl(3, 0n, 0n, 0n, 0n), child.stdout.toString().trim());
    }`;
  const { stdout, stderr } = Bun.spawnSync([process.execPath, ...FLAGS, "-e", program, "libc.so.6"]);
  expect([stdout.toString().trim(), stderr.toString()]).toEqual([
    isLinux ? "true 0 SEEN=yes\0" : "false",
    "",
  ]);
});
