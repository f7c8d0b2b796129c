import { expect, test } from "bun:test";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { peerCredentials } from "./peer-credentials.ts";
import { hostSockets } from "./sockets.ts";

const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];
const onLinux = process.platform === "linux";

test("[AUTH-11] the kernel names the process at the other end of a Unix socket; of any other stream nobody is known", async () => {
  await using folder = temporaryDirectory();
  const path = join(folder.path, "s");
  const told = Promise.withResolvers<unknown>();
  const server = await hostSockets.listen(path, (stream) => {
    told.resolve(peerCredentials(stream));
    stream.destroy();
  });
  const client = await hostSockets.connectPath(path, new AbortController().signal);
  client.on("error", () => undefined).resume();
  const self = { pid: process.pid, uid: process.geteuid?.() };
  expect(await told.promise).toEqual(onLinux ? self : undefined);
  client.destroy();
  await server[Symbol.asyncDispose]();
  expect(peerCredentials(new Duplex())).toBeUndefined();
});

test("[AUTH-11] a stream that is no socket is refused, and no timer is left when descent is let go", () => {
  const program = `
    import { Duplex } from "node:stream";
    import { trackDescendants } from ${JSON.stringify(join(import.meta.dir, "descendants.ts"))};
    let armed = 0;
    const clock = { timer: () => { armed++; return { [Symbol.dispose]() { armed--; } }; } };
    {
      using descent = trackDescendants(clock);
      console.log(descent.judge(new Duplex()).kind);
    }
    console.log(armed);`;
  const { stdout } = Bun.spawnSync([process.execPath, ...FLAGS, "-e", program]);
  expect(stdout.toString()).toBe("refused\n0\n");
});

test("[AUTH-11] orphans that have ended are collected, and the runtime's own children keep their exit codes", () => {
  if (!onLinux) return;
  // In a process of its own: who inherits orphans does so to its end.
  const program = `
    import { readFileSync, readdirSync } from "node:fs";
    import { trackDescendants } from ${JSON.stringify(join(import.meta.dir, "descendants.ts"))};
    let look;
    using descent = trackDescendants({ timer: (_ms, callback) => { look = callback; return { [Symbol.dispose]() {} }; } });
    const zombies = () => readdirSync("/proc").filter((pid) => {
      try {
        const stat = readFileSync("/proc/" + pid + "/stat", "latin1");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return state === "Z" && Number(parent) === process.pid;
      } catch { return false; }
    }).length;
    await Bun.spawn(["sh", "-c", "(true & true) & exit 0"], { stdout: "ignore" }).exited;
    await Bun.spawn(["sh", "-c", "sh -c 'sleep 0.05' & exit 0"], { stdout: "ignore" }).exited;
    while (zombies() === 0) await Bun.sleep(5);
    const before = zombies() > 0;
    while (zombies() > 0) { look(); await Bun.sleep(1); }
    const child = Bun.spawn(["sh", "-c", "exit 7"]);
    let code;
    child.exited.then((exited) => { code = exited; });
    let left = zombies();
    while (code === undefined || left > 0) { look(); await Bun.sleep(1); left = zombies(); }
    console.log(before, left, code);`;
  const { stdout, stderr } = Bun.spawnSync([process.execPath, ...FLAGS, "-e", program], { timeout: 60_000 });
  expect([stdout.toString(), stderr.toString()]).toEqual(["true 0 7\n", ""]);
});
