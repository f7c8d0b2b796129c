import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { CinchHome, RunningCinch } from "../support/cinch.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { openServed } from "../support/served.ts";
import { until } from "../support/until.ts";

interface ServeRig extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  readonly socket: string;
  readonly provider: MockProvider;
  serve(...flags: readonly string[]): RunningCinch;
  token(...flags: readonly string[]): Promise<string>;
  ask(path: string, token?: string, body?: unknown): Promise<Response>;
}

function openPlace(): ServeRig {
  const home = cinchHome();
  const provider = startMockProvider({ script: [says("at your service")] });
  const config = join(home.path, "config/cinch");
  mkdirSync(config);
  const local = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`;
  writeFileSync(join(config, "config.toml"), local);
  const work = join(home.path, "work");
  mkdirSync(work);
  const socket = join(home.path, "data/cinch/control.sock");
  return {
    home,
    work,
    socket,
    provider,
    serve: (...flags) => startCinch(["serve", "--model", "mock:one", ...flags], { home, cwd: work }),
    async token(...flags) {
      const made = await runCinch(["token", ...flags], { home, cwd: work });
      expect(made.stderr).toBe("");
      return made.stdout.trim();
    },
    ask: (path, token, body) =>
      fetch(`http://localhost${path}`, {
        unix: socket,
        headers: {
          ...(token === undefined ? {} : { "X-Harness-Token": token }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      }),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test("[CTL-11 CTL-06 AUTH-02 AUTH-11] an engine is served to its owner's clients over a socket, and to nobody without a token", async () => {
  await using place = openPlace();
  await using engine = place.serve();
  await until("the owner may attach", () => existsSync(join(place.home.path, "state/cinch/owner.token")));
  expect(statSync(place.socket).mode & 0o777).toBe(0o600);

  expect((await place.ask("/v1/health")).status).toBe(200);
  const refused = await place.ask("/v1/sessions");
  expect([refused.status, await refused.json()]).toMatchObject([401, { reason: "TokenMissing" }]);

  const token = await place.token("--identity-class", "human");
  expect((await place.ask("/v1/handshake", token)).status).toBe(200);
  const sessions: unknown = await (await place.ask("/v1/sessions", token)).json();
  const [session] = JSON.stringify(sessions).match(/sess_[0-9A-Z]{26}/) ?? [];
  const content = [{ type: "text", text: "hello" }];
  const answered = await place.ask(`/v1/sessions/${session}/input?wait=turn`, token, { content });
  expect([answered.status, await answered.json()]).toMatchObject([200, { text: "at your service" }]);

  // Seen red: a client that names what is not there wrote a line of level error.
  const wrong = await place.ask("/v1/sessions", token, { profile: "nope" });
  expect([wrong.status, await wrong.json()]).toMatchObject([404, { reason: "ProfileMissing" }]);
  const logs = join(place.home.path, "state/cinch/log");
  const lines = () => readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
  await until("the log has it", () => lines().join("").includes("ProfileMissing"));
  expect(lines().join("")).not.toContain('"level":"error"');

  engine.kill("SIGTERM");
  expect(await engine.exited).toBe(130);
  expect(existsSync(place.socket)).toBe(false);
  expect(existsSync(join(place.home.path, "state/cinch/owner.token"))).toBe(false);
}, 300_000);

test("[CTL-11] a second engine gets the address of the first, and one that was killed gives way to the next", async () => {
  await using place = openPlace();
  await using first = place.serve();
  const ready = join(place.home.path, "state/cinch/owner.token");
  await until("the first serves", () => existsSync(ready));
  const second = await runCinch(["serve", "--model", "mock:one"], { home: place.home, cwd: place.work });
  expect([second.code, second.stderr]).toEqual([2, expect.stringContaining("(EngineRunning)")]);
  // Without /proc nobody tells who listens.
  const who = existsSync("/proc/self/stat") ? "process (\\d+), cinch serve, " : "process unknown, ";
  const said = new RegExp(
    `already: ${who}since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\\. Attach`,
  ).exec(second.stderr);
  expect([second.stderr, said]).toEqual([expect.any(String), expect.anything()]);
  const pid = said?.[1];
  expect(second.stderr).toContain(
    pid === undefined ? "Or end it: Ctrl-C where it runs." : `Or end it: kill ${pid}`,
  );
  const runtime = (await (
    await place.ask("/v1/runtime", await place.token("--identity-class", "human"))
  ).json()) as {
    readonly pid: number;
  };
  expect(pid ?? `${runtime.pid}`).toBe(`${runtime.pid}`);

  first.kill("SIGKILL");
  await first.exited;
  expect(existsSync(place.socket)).toBe(true);
  await using third = place.serve();
  await until("the third serves", async () => {
    const health = await place.ask("/v1/health").catch(() => undefined);
    return health?.status === 200;
  });
  third.kill("SIGTERM");
  expect(await third.exited).toBe(130);
}, 300_000);

test("[CTL-10 CTL-11] an engine with another home does not take a share of a port's requests: the port is in use", async () => {
  await using served = await openServed({ script: [], listens: true });
  const port = new URL(served.url).port;
  await using place = openPlace();
  const flags = ["serve", "--model", "mock:one", "--listen", `127.0.0.1:${port}`];
  const second = await runCinch(flags, { home: place.home, timeoutMs: 30_000 });
  expect([second.code, second.stderr]).toEqual([
    2,
    expect.stringContaining(
      `nothing can be listened at 127.0.0.1:${port}: the port is in use: take another one, or 0 for one that is free`,
    ),
  ]);
  expect((await fetch(`${served.url}/v1/health`)).status).toBe(200);
}, 300_000);

test("[AUTH-03 CLI-01] cinch token says what it lacks: who acts, or an engine", async () => {
  await using place = openPlace();
  const bare = await runCinch(["token"], { home: place.home, cwd: place.work });
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("--identity-class human|agent")]);
  const lonely = await runCinch(["token", "--identity-class", "human"], {
    home: place.home,
    cwd: place.work,
  });
  expect([lonely.code, lonely.stderr]).toEqual([expect.any(Number), expect.stringContaining("cinch serve")]);
}, 300_000);

test("[AUTH-03 AUTH-05 CLI-01] a token that is issued or revoked leaves a line in the log, and cinch token revoke ends its streams", async () => {
  await using served = await openServed({ script: [] });
  const token = await served.token("--identity-class", "agent", "--commands", "CancelTurn");
  const [payload = ""] = token.split(".");
  const { jti } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { readonly jti: string };
  const logged = () => {
    const folder = join(served.home.path, "state/cinch/log");
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
  };
  const [issued] = logged()
    .split("\n")
    .filter((line) => line.includes("a token was issued") && line.includes(jti));
  expect(JSON.parse(issued ?? "{}")).toMatchObject({
    component: "auth",
    jti,
    class: "agent",
    sessions: "all",
    commands: "CancelTurn",
    can_mint: false,
  });
  expect(logged()).not.toContain(payload);

  const session = await served.session(token);
  const stream = await served.ask(`/v1/sessions/${session}/events`, token);
  const over = stream.text();
  const revoke = (...words: readonly string[]) =>
    runCinch(["token", "revoke", ...words], { home: served.home, stdin: `${token}\n` });
  expect(await revoke("-")).toMatchObject({ code: 0, stdout: `revoked ${jti}\n`, stderr: "" });
  await over; // at once, or the test does not end
  const refused = await served.ask("/v1/sessions", token);
  expect([refused.status, await refused.json()]).toMatchObject([401, { reason: "TokenRevoked" }]);
  expect(logged()).toMatch(new RegExp(`${jti}.*a token was revoked`));

  for (const [words, problem] of [
    [[], "needs ID: a token id (tok_…), or - to read the token from standard input"],
    [["x"], '"x" is not a token id'],
  ] as const)
    expect(await revoke(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });

  await served.end("SIGTERM");
  const id = "tok_00000000000000000000000000";
  expect(await revoke(id, jti)).toMatchObject({
    code: 0,
    stdout: `revoked ${id}\nrevoked ${jti}\n`,
    stderr: "",
  });
}, 300_000);

// Seen red: exit code 5 and 2 before anything was served.
test("[CTL-10 CTL-11 TOFU-01] an engine serves where its folder is not acknowledged, or no model is configured: the session says so", async () => {
  const cases = [
    {
      flags: ["--model", "mock:one"],
      files: { "AGENTS.md": "be brief" },
      reason: "NonInteractiveAckRefused",
    },
    { flags: [], files: {}, reason: "NoModel" },
  ];
  for (const { flags, files, reason } of cases) {
    await using served = await openServed({ script: [says("here")], flags, files });
    const token = await served.token();
    expect(await (await served.ask("/v1/sessions", token)).json()).toEqual({ sessions: [], more: false });
    const refused = await served.ask("/v1/sessions", token, { workingDir: served.work });
    expect(await refused.json()).toMatchObject({ reason });
    // Another folder, with a model, is served by the same engine.
    const elsewhere = { workingDir: served.home.path, model: "mock:one" };
    const begun = await served.ask("/v1/sessions", token, elsewhere);
    expect(begun.status).toBe(201);
    expect(await served.end("SIGTERM")).toBe(130);
    expect(await served.said()).toContain(`cinch: no session was begun: `);
    expect(await served.said()).toContain(`(${reason})`);
  }
}, 300_000);

test("[CTL-06] a reader of events that leaves is no error in the log", async () => {
  await using served = await openServed({ script: [], listens: true });
  const token = await served.token();
  const session = await served.session(token);
  for (let time = 0; time < 5; time += 1) {
    const leave = new AbortController();
    const stream = await fetch(`${served.url}/v1/sessions/${session}/events?since=0`, {
      headers: { "X-Harness-Token": token, "X-Harness-Version": PROTOCOL_VERSION },
      signal: leave.signal,
    });
    expect(stream.status).toBe(200);
    await stream.body?.getReader().read();
    leave.abort();
    await stream.body?.cancel().catch(() => undefined);
  }
  expect((await served.ask("/v1/sessions", token)).status).toBe(200);
  await served.end("SIGTERM");
  const folder = join(served.home.path, "state/cinch/log");
  const lines = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(lines.join("")).not.toContain('"level":"error"');
}, 300_000);

test("[CTL-11 SES-16] where an engine can make no lock, it says where, and what to do", async () => {
  using home = cinchHome();
  const socket = join(home.path, "data/cinch/control.sock");
  mkdirSync(`${socket}.lock`, { recursive: true }); // nobody can lock a folder
  const serving = await runCinch(["serve"], { home });
  expect([serving.code, serving.stderr]).toEqual([
    2,
    `cinch: the lock of the engine cannot be made: EISDIR: illegal operation on a directory, open '${socket}.lock'. Make room, or make its folder writable for you; XDG_DATA_HOME puts it elsewhere (UsageInvalid)\n`,
  ]);
});

test("[AUTH-06 CLI-01] pages of origins that --allow-origin and config.toml name are answered, any other refused, and no lookalike is taken", async () => {
  const [mine, other] = ["https://tools.example:8443", "https://other.example"];
  const extension = `chrome-extension://${"abcdefghijklmnop".repeat(2)}`;
  const named = [mine, "http://localhost:3000", "tauri://localhost", extension];
  const [first = "", second = "", ...configured] = named;
  await using served = await openServed({
    script: [],
    flags: ["--model", "mock:one", "--allow-origin", first, "--allow-origin", second],
    config: `[server]\nallow_origins = ${JSON.stringify(configured)}\n`,
    listens: true,
  });
  const asked = async (origin: string, method = "GET") => {
    const { status, headers } = await fetch(`${served.url}/v1/health`, { method, headers: { origin } });
    return [status, headers.get("access-control-allow-origin"), headers.get("vary")];
  };
  for (const origin of named) {
    expect([await asked(origin), await asked(origin, "OPTIONS")]).toEqual([
      [200, origin, "origin"],
      [204, origin, "origin"],
    ]);
  }
  const refused = [other, "null", "http://localhost:3001", "https://tools.example", "tauri://localhost.evil"];
  for (const origin of refused) {
    expect([origin, await asked(origin), await asked(origin, "OPTIONS")]).toEqual([
      origin,
      [403, null, "origin"],
      [403, null, "origin"],
    ]);
  }
  const token = await served.token();
  const health = (await (await served.ask("/v1/engine-health", token)).json()) as {
    readonly allowed_origins?: unknown;
  };
  expect(health.allowed_origins).toEqual(named);
  const doctor = await runCinch(["doctor"], { home: served.home, cwd: served.work });
  expect([doctor.code, doctor.stdout]).toEqual([
    0,
    expect.stringContaining(`pages of these origins may call your engine: tauri://localhost, ${extension}.`),
  ]);
  const wrongOnes: readonly (readonly [string, string])[] = [
    ["*", "is a pattern; name each origin by itself"],
    ["https://*.example", "is a pattern"],
    ["null", "is the origin of every local file"],
    ["https://tools.example/", "is not an origin as browsers send it; write https://tools.example "],
    [
      "file:///a",
      "is not an origin as browsers send it; write http://HOST:PORT, https://HOST, vscode-webview://ID",
    ],
    ["tools.example", "write https://tools.example "],
    [
      `${mine},HTTP://localhost`,
      '"HTTP://localhost" is not an origin as browsers send it; write http://localhost ',
    ],
  ];
  for (const [wrong, problem] of wrongOnes) {
    const { code, stderr } = await runCinch(["serve", "--allow-origin", wrong], {
      home: served.home,
      cwd: served.work,
    });
    expect([wrong, code, stderr]).toEqual([wrong, 2, expect.stringContaining("cinch: --allow-origin: ")]);
    expect(stderr).toContain(problem);
  }
}, 300_000);

test("[AUTH-06 PROF-03] a wrong origin in config.toml ends the start with its line; a repository and a profile name none", async () => {
  await using place = openPlace();
  const config = join(place.home.path, "config/cinch/config.toml");
  const own = readFileSync(config, "utf8");
  const served = async () => {
    const { code, stderr } = await runCinch(["serve", "--model", "mock:one"], {
      home: place.home,
      cwd: place.work,
    });
    return [code, stderr];
  };
  writeFileSync(
    config,
    `${own}[server]\nallow_origins = ["https://tools.example", "https://Tools.example"]\n`,
  );
  expect(await served()).toEqual([
    2,
    expect.stringContaining(
      `config.toml:5: server.allow_origins: "https://Tools.example" is not an origin as browsers send it; write https://tools.example`,
    ),
  ]);
  writeFileSync(config, own);
  const profiles = join(place.home.path, "config/cinch/profiles");
  mkdirSync(profiles);
  const section = '[server]\nallow_origins = ["https://tools.example"]\n';
  writeFileSync(join(profiles, "mine.toml"), `schema_version = 1\nname = "mine"\n${section}`);
  const checked = await runCinch(["profile", "check", "--profile", "mine"], {
    home: place.home,
    cwd: place.work,
  });
  expect([checked.code, checked.stdout + checked.stderr]).toEqual([
    0,
    expect.stringContaining("mine.toml:3: server: stands in config.toml, not in a profile"),
  ]);
  mkdirSync(join(place.work, ".cinch"));
  writeFileSync(join(place.work, ".cinch/config.toml"), section);
  const project = await runCinch(["profile", "check"], { home: place.home, cwd: place.work });
  expect([project.code, project.stdout + project.stderr]).toEqual([
    2,
    expect.stringContaining("a repository may not set this; only your own configuration can"),
  ]);
}, 300_000);

test("[CTL-10] what cannot be listened at is refused before anything starts, with the flag that is missing", async () => {
  await using place = openPlace();
  const lan = await runCinch(["serve", "--listen", "0.0.0.0:0"], { home: place.home, cwd: place.work });
  expect([lan.code, lan.stderr]).toEqual([2, expect.stringContaining("--tls-cert and --tls-key")]);
}, 300_000);
