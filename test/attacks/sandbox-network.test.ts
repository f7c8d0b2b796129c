import { describe, expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ClientId } from "../../src/base/ids.ts";
import type { Ask } from "../../src/session/questions.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../support/place.ts";
import { processesWith, signalIfRunning } from "../support/processes.ts";
import { requireSandbox, seenInside } from "../support/sandbox-place.ts";
import { openSandboxRig, RELAY } from "../support/sandbox-rig.ts";
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
  expect(await rig.confinement()).toMatchObject({ kind: "working", network: [`127.0.0.1:${port}`] });
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
}, 300_000);

// Seen red with ports of this machine held to 80 and 443, and with hosts compared as texts.
describe("[SBX-01 SBX-04 PERM-01] a host of this machine that the user lists", () => {
  for (const entry of ["127.0.0.1:PORT", "127.0.0.1", "localhost", "localhost:PORT"]) {
    test(`by ${entry} is reached unasked, and no other`, async () => {
      const asked: string[] = [];
      await using server = hello(asked);
      await using other = hello(asked);
      const name = entry.replace(/:.*/, "");
      const url = `http://${name}:${server.port}`;
      const beside = `${name === "localhost" ? "127.0.0.1" : "localhost"}:${other.port}`;
      await using place = openPlace(
        calls("Bash", { command: `curl -sS ${url}/listed` }),
        calls("Bash", {
          command: `curl -sS http://${beside}/beside`,
        }),
        says("done"),
      );
      const provider = readFileSync(join(place.root, "config", "config.toml"), "utf8");
      place.config(`${provider}[sandbox]\nnetwork = ["${entry.replace("PORT", String(server.port))}"]\n`);
      await using harness = await place.open({ relayCommand: RELAY });
      const events = JSON.stringify(await turn(harness, "go"));
      expect(asked).toEqual(["/listed"]);
      expect(events).toContain(`curl needs the network (${beside})`);
      expect(events).not.toContain(`needs the network (${name}:${server.port})`);
    }, 300_000);
  }
});

// Seen red with what the proxy knows left out of what is recognised.
test("[SBX-04 S57] a request that the proxy refused is asked for outside, whatever the program makes of it", async () => {
  const asked: string[] = [];
  const questions: string[] = [];
  await using server = hello(asked);
  const ask: Ask = (question) => {
    questions.push(question.text);
    return Promise.resolve({ kind: "answered", answer: "approve", by: "cli_x" as ClientId });
  };
  const settings = { network: ["allowed.example"] };
  await using rig = openSandboxRig({ settings, attended: true, ask });
  // As npm does it: an error of its own words, without the proxy's.
  const script = `[ "$(curl -s --noproxy '' -o /tmp/out -w '%{http_code}' http://127.0.0.1:${server.port}/it)" = 200 ] || { echo '403 Forbidden'; exit 1; }; cat /tmp/out`;
  expect(await rig.bash(script)).toStartWith("hello");
  expect(questions).toHaveLength(1);
  expect(questions[0]).toContain(
    `Bash failed in the sandbox (the proxy refused a request: 127.0.0.1:${server.port} is not on the list of [sandbox] network)`,
  );
  expect(asked).toEqual(["/it"]);
  // A failure of another kind, in a command that the proxy refused nothing, is none of that.
  expect(await rig.bash("echo '403 Forbidden'; exit 1")).toBe("error: 403 Forbidden\n[exit code 1]");
  expect(questions).toHaveLength(1);
  // Nobody there: the note says what was refused and what to do.
  await using alone = openSandboxRig({ settings });
  expect(await alone.bash(script)).toContain("that may be why it failed: the proxy refused a request");
}, 300_000);

test("[SBX-04 PERM-03 S57] public hosts that the proxy refused are offered, at most three times for a call, and no others", async () => {
  const questions: (readonly string[])[] = [];
  const texts: string[] = [];
  const ask: Ask = ({ text, choices = [] }) => {
    questions.push(choices.map(({ label }) => label));
    texts.push(text.split("\n")[0] ?? "");
    const answer = choices.some(({ value }) => value === "hosts") ? "hosts" : "deny";
    return Promise.resolve({ kind: "answered", answer, by: "cli_x" as ClientId });
  };
  const settings = { network: ["allowed.example"] };
  await using rig = openSandboxRig({ settings, attended: true, ask });
  const proxied = (host: string) =>
    `exec 7<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT %s HTTP/1.1\\r\\n\\r\\n' ${host} >&7; cat <&7 >/dev/null`;
  const reach = (n: number) =>
    `run it in the sandbox, which reaches h${n}.cinch-canary.example for this session`;
  const others = ["run it outside", "leave it"];
  const shown = await rig.bash(
    `echo x >>runs; n=$(wc -l <runs); ${proxied('"h$n.cinch-canary.example:443"')}; exit 1`,
  );
  expect(questions).toEqual([[reach(1), ...others], [reach(2), ...others], [reach(3), ...others], others]);
  expect(texts[1]).toContain("(network question 2 of at most 3 for this call)");
  expect(readFileSync(join(rig.root, "runs"), "utf8")).toBe("x\nx\nx\nx\n");
  expect(await rig.confinement()).toMatchObject({
    network: ["allowed.example", ...[1, 2, 3].map((n) => `h${n}.cinch-canary.example`)],
  });
  expect(shown).toContain(
    "[A person lets commands of this session reach h1.cinch-canary.example; this ran again with that]",
  );
  expect(shown).not.toContain("[proxy: h1.");
  questions.length = 0;
  for (const host of [
    "10.0.0.1:80",
    "127.0.0.1:80",
    "[::1]:80",
    "localhost:80",
    "db.internal:80",
    "router:80",
  ])
    await rig.bash(`${proxied(host)}; exit 1`);
  expect(questions).toEqual(Array.from({ length: 6 }, () => others));
}, 300_000);

describe("[SBX-04 PERM-03] a person who is asked about a command that wants the network is asked once", () => {
  test("and it runs outside, or in the sandbox with the hosts, as they say", async () => {
    const asked: string[] = [];
    await using server = hello(asked);
    const wanted = [
      `curl -sS http://127.0.0.1:${server.port}/outside`,
      "curl -sS https://name.cinch-canary.example/; echo proxy=$http_proxy",
    ];
    await using place = openPlace(...wanted.map((command) => calls("Bash", { command })), says("done"));
    await using harness = await place.open({ relayCommand: RELAY, wishes: { attended: true } });
    const connection = await connect(harness);
    const { session: sessionId } = harness;
    const events = connection.subscribe(sessionId, { signal: new AbortController().signal });
    await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
    const told: unknown[] = [];
    for await (const event of events) {
      if (event.kind === "Asked") told.push("asked again");
      if (event.kind === "ToolResult") told.push(JSON.stringify(event.payload.content));
      if (event.kind === "PermissionAnswered") told.push(event.payload.hosts);
      if (event.kind === "TurnEnded") break;
      if (event.kind !== "PermissionRequested") continue;
      const { callId, hosts } = event.payload;
      const answer = { kind: "AnswerPermission", sessionId, callId, decision: "allow" } as const;
      if (told.length === 0)
        await expect(connection.send({ ...answer, hosts: true })).rejects.toThrow(
          "the question offers no hosts",
        );
      await connection.send(hosts === undefined ? answer : { ...answer, hosts: true });
    }
    expect(told).toEqual([
      undefined,
      expect.stringContaining("hello"),
      true,
      expect.stringContaining("proxy=http://127.0.0.1:3128"),
    ]);
    expect(asked).toEqual(["/outside"]);
  }, 300_000);
});

test("[SBX-04 S57] hosts that a person grants are reached by the next command, and one that runs keeps its network", async () => {
  const asked: string[] = [];
  await using server = hello(asked);
  await using rig = openSandboxRig();
  const place = `127.0.0.1:${server.port}`;
  const fetches = (path: string) => `curl -s --noproxy '' http://${place}${path}`;
  expect(await rig.confinement()).toEqual({ kind: "working", network: "off", takesHosts: true });
  expect(await rig.bash(fetches("/before"))).not.toContain("hello");
  await rig.bash(`touch began; while [ ! -e go ]; do sleep 0.05; done; ${fetches("/running")}; touch over`, {
    background: true,
  });
  await until("the command in the background", () => existsSync(join(rig.root, "began")));
  await rig.sandbox.grant([place]);
  expect(await rig.confinement()).toMatchObject({ kind: "working", network: [place] });
  expect(await rig.bash(fetches("/after"))).toBe("hello");
  await rig.bash("touch go");
  await until("its end", () => existsSync(join(rig.root, "over")));
  expect(asked).toEqual(["/after"]);
}, 300_000);

test("[S57 REL-03] a relay that dies takes its network with it, the next command gets another, and the session ends what it started", async () => {
  await using rig = openSandboxRig({ settings: { network: ["allowed.example"] } });
  expect(await rig.bash("echo $http_proxy")).toBe("http://127.0.0.1:3128");
  const relays = () => processesWith("__relay").filter((pid) => parentOf(pid) === process.pid);
  await until("no relay but this one's is there", () => relays().length === 1);
  const own = relays();
  for (const pid of own) signalIfRunning(pid, "SIGKILL");
  await until("the end of the relay", () =>
    processesWith("__relay").every((pid) => parentOf(pid) !== own[0]),
  );
  // At that very moment a command may still be sent into the network that is gone: then it does not run.
  const look = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '";
  expect(await rig.bash(look)).toMatch(/^lo$|so nothing was run/);
  expect(await rig.bash(look)).toBe("lo");
  await rig.end();
  await until("the end of the other relay", () => relays().length === 0);
}, 300_000);

function parentOf(pid: number): number {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "latin1") : "";
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function disposable<Server extends { stop(force: boolean): Promise<void> }>(
  server: Server,
): Server & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.stop(true) });
}

function hello(asked: string[]) {
  return disposable(
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        asked.push(new URL(request.url).pathname);
        return new Response("hello");
      },
    }),
  );
}
