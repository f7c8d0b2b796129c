import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { processesWith } from "../support/processes.ts";
import { requireSandbox, seenInside } from "../support/sandbox-place.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";
import { until } from "../support/until.ts";

const test = requireSandbox();

test("[SBX-01 S15 S55 S57] commands reach the hosts of the list through the proxy, and nothing beside it", async () => {
  const asked: string[] = [];
  await using server = disposable(
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        asked.push(new URL(request.url).pathname);
        return new Response("hello");
      },
    }),
  );
  const { port } = server;
  await using rig = openSandboxRig({ settings: { network: [`127.0.0.1:${port}`] } });
  const proxied = (target: string) =>
    `exec 7<>/dev/tcp/127.0.0.1/3128; printf 'GET ${target} HTTP/1.1\\r\\n\\r\\n' >&7; cat <&7`;
  expect(await rig.bash(proxied(`http://127.0.0.1:${port}/through`))).toEndWith("hello");
  expect(await rig.confinement()).toEqual({ kind: "working", network: [`127.0.0.1:${port}`] });
  // What programs make of the variables: a listed name is the host's, the others are the sandbox's own.
  const bun = seenInside(process.execPath, dirname(rig.root));
  const usual = `fetch("http://127.0.0.1:${port}/usual").then((it) => it.text()).then(console.log)`;
  expect(await rig.bash(`'${bun}' -e '${usual}'; echo $no_proxy`)).toBe("hello\nlocalhost,::1");
  expect(await rig.bash(proxied("http://127.0.0.1:22/"))).toContain("403");
  const refused = await rig.bash(proxied("http://localhost:80/"));
  expect(refused).toContain("403");
  expect(refused).toEndWith("[proxy: localhost:80 is not on the list of [sandbox] network]");
  expect(await rig.bash(`exec 7<>/dev/tcp/127.0.0.1/${port}`)).toContain("Connection refused");
  expect(await rig.bash("getent hosts cinch-canary.example || echo none")).toEndWith("none");
  expect(await rig.bash("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '")).toBe("lo");
  expect(await rig.bash("echo $https_proxy; ps ax | grep -c [_]_relay; true")).toBe(
    "http://127.0.0.1:3128\n0",
  );
  expect(await rig.bash("echo $npm_config_cache")).toBe("/tmp/.cache/npm"); // the home's cannot be written
  expect(asked).toEqual(["/through", "/usual"]);
}, 30_000);

test("[S57 REL-03] a relay that dies takes its network with it, the next command gets another, and the session ends what it started", async () => {
  await using rig = openSandboxRig({ settings: { network: ["allowed.example"] } });
  expect(await rig.bash("echo $http_proxy")).toBe("http://127.0.0.1:3128");
  const own = processesWith("__relay").filter((pid) => parentOf(pid) === process.pid);
  expect(own).toHaveLength(1);
  for (const pid of own) process.kill(pid, "SIGKILL");
  await until("the end of the relay", () =>
    processesWith("__relay").every((pid) => parentOf(pid) !== own[0]),
  );
  // At that very moment a command may still be sent into the network that is gone: then it does not run.
  const look = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '";
  expect(await rig.bash(look)).toMatch(/^lo$|so nothing was run/);
  expect(await rig.bash(look)).toBe("lo");
  await rig.end();
  expect(processesWith("__relay").filter((pid) => parentOf(pid) === process.pid)).toEqual([]);
}, 30_000);

function parentOf(pid: number): number {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "latin1") : "";
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function disposable<Server extends { stop(force: boolean): Promise<void> }>(
  server: Server,
): Server & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.stop(true) });
}
