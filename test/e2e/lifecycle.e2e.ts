import { expect, test } from "bun:test";
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCinch } from "../support/cinch.ts";
import { StreamReader } from "../support/control-rig.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { noneWith } from "../support/processes.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";
import { until } from "../support/until.ts";
import { clientFrame, RawSocket, upgradeRequest, WsTester } from "../support/ws-rig.ts";

const TIMEOUT_MS = 240_000;
const HANDSHAKE = '{"frame":"handshake","id":0,"body":{"protocol_version":"0.2.0"}}';

/** Returns the files that a shutdown leaves and that another engine would meet. */
function leftOf({ home, socket }: Served): readonly string[] {
  const state = join(home.path, "state/cinch");
  return [socket, join(state, "owner.sock"), join(state, "owner.token")].filter((path) => existsSync(path));
}

test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
  "[LIFE-02 CTL-06 CTL-07 LIB-06] at %s every client hears the end of its session before its stream ends, whatever hangs, and nothing stays",
  async (signal) => {
    const hangs = fails({ kind: "stall", at: "first-byte" });
    await using served = await openServed({ script: [hangs, says("back again")], listens: true });
    const token = await served.token();
    const session = await served.session(token);
    const port = Number(new URL(served.url).port);
    const [ws, bare] = [`ws?session=${session}`, "ws"].map(
      (path) => new WsTester(`ws://127.0.0.1:${port}/v1/${path}`, token),
    );
    if (ws === undefined || bare === undefined) throw new Error("two were opened");
    for (const socket of [ws, bare]) await socket.shake();
    const sse = new StreamReader(await served.ask(`/v1/sessions/${session}/events`, token));
    await sse.until((got) => got.includes(": ok"));
    const minimal = new StreamReader(await served.ask("/events", token));
    await minimal.until((got) => got.includes(": connected"));
    // Two that read nothing from here on, and must not be waited for for ever.
    await using stuck = new RawSocket(port);
    stuck.write(upgradeRequest(port, `/v1/ws?session=${session}`, { "X-Harness-Token": token }));
    await stuck.until((got) => got.includes("\r\n\r\n"));
    stuck.write(clientFrame(HANDSHAKE));
    await stuck.until((got) => got.includes('"handshake"'));
    stuck.stall();
    const content = [{ type: "text", text: "go" }];
    expect((await served.ask(`/v1/sessions/${session}/input`, token, { content })).status).toBe(202);
    await ws.untilEvent("TurnStarted");
    await until("the provider is asked", () => served.provider.requests.length > 0);

    const reading = Promise.all([sse.until(() => false), minimal.until(() => false)]);
    expect(await served.end(signal)).toBe(130);
    expect(await ws.closed).toEqual({ code: 1_000, reason: "the session has ended" });
    expect(await bare.closed).toEqual({ code: 1_001, reason: "shutdown" });
    await reading;
    const last = { kind: "SessionEnded", payload: { reason: "binary-shutdown" } };
    expect([ws.events.at(-1), sse.events().at(-1)]).toMatchObject([last, last]);
    expect(ws.events.map(({ kind }) => kind)).toContain("Cancelled");
    expect(leftOf(served)).toEqual([]);

    // What was in the log is in it, and the next engine goes on with it.
    const again = await runCinch(["-p", "again", "--model", "mock:one", "--continue", "--no-listen"], {
      home: served.home,
      cwd: served.work,
    });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("back again")]);
  },
  TIMEOUT_MS,
);

test(
  "[LIFE-02 AUTH-05 AUTH-08] a tool that ignores every signal holds nothing up: commands are refused, it is killed, and a revoked token stays revoked",
  async () => {
    const mark = `stubborn-${crypto.randomUUID()}`;
    const command = `trap "" TERM INT HUP; touch ready; while :; do sleep 1; done # ${mark}`;
    await using served = await openServed({
      script: [calls("Bash", { command }), says("done")],
      flags: ["--model", "mock:one", "--auto-approve"],
    });
    const [token, revoked] = [await served.token(), await served.token()];
    const { jti } = JSON.parse(Buffer.from(revoked.split(".")[0] ?? "", "base64url").toString("utf8"));
    const gone = await fetch(`http://localhost/v1/auth/tokens/${jti}`, {
      unix: served.socket,
      method: "DELETE",
      headers: { "X-Harness-Token": revoked },
    });
    expect(gone.status).toBe(204);
    const session = await served.session(token);
    const sse = new StreamReader(await served.ask(`/v1/sessions/${session}/events`, token));
    const content = [{ type: "text", text: "go" }];
    await served.ask(`/v1/sessions/${session}/input`, token, { content });
    await until("the tool runs", () => existsSync(join(served.work, "ready")));
    const reading = sse.until(() => false);
    const code = served.end("SIGTERM");
    // It ends only when the tool has been killed, and takes nothing meanwhile; it may be too quick for us to see that.
    const reasons = new Set<string>();
    await until("it takes no more commands", async () => {
      const answer = await served
        .ask(`/v1/sessions/${session}/input`, token, { content })
        .catch(() => undefined);
      if (answer === undefined) return true;
      const { reason } = (await answer.json()) as { readonly reason: string };
      reasons.add(reason);
      return reason === "EngineStopping";
    });
    expect([...reasons].filter((reason) => !["TurnInProgress", "EngineStopping"].includes(reason))).toEqual(
      [],
    );
    expect(await code).toBe(130);
    await reading;
    expect(sse.events().at(-1)).toMatchObject({ kind: "SessionEnded" });
    expect(leftOf(served)).toEqual([]);
    await noneWith(mark);

    await served.start();
    expect((await served.ask("/v1/sessions", token)).status).toBe(200);
    const answer = await served.ask("/v1/sessions", revoked);
    expect([answer.status, await answer.json()]).toMatchObject([401, { reason: "TokenRevoked" }]);
  },
  TIMEOUT_MS,
);

test(
  "[LIFE-01 CTL-10] an obstacle to the start of an engine is reported with its path, the start leaves nothing behind, and without it the engine serves",
  async () => {
    await using served = await openServed({ script: [says("fine")] });
    expect(await served.end("SIGTERM")).toBe(130);
    const { home, work, socket } = served;
    const [state, data] = [join(home.path, "state/cinch"), join(home.path, "data/cinch")];
    const config = join(home.path, "config/cinch/config.toml");
    using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const port = `127.0.0.1:${taken.port}`;
    const garbage = join(home.path, "garbage");
    writeFileSync(garbage, "no such thing\n");
    const open = join(home.path, "open.json");
    writeFileSync(open, "{}", { mode: 0o644 });
    const tls = ["--listen", "127.0.0.1:0", "--tls-cert", garbage, "--tls-key", garbage];
    const lost = ["--listen", "127.0.0.1:0", "--tls-cert", "/nowhere.pem", "--tls-key", garbage];
    const faults: readonly Fault[] = [
      { flags: ["--listen", port], told: `${port}: the port is in use`, step: "starting the control plane" },
      { flags: tls, told: `--tls-cert ${garbage} is not a certificate` },
      { flags: lost, told: "--tls-cert /nowhere.pem cannot be read" },
      { flags: ["--auth-token-file", open], told: "chmod 400", reason: "TokenFileUnsafe" },
      { flags: ["--auth-token-file", "/nowhere.json"], told: "/nowhere.json", reason: "PathMissing" },
      {
        env: { XDG_DATA_HOME: join(home.path, "d".repeat(110)) },
        told: "the path of the control socket is longer than",
      },
      {
        file: [config, "nonsense ="],
        told: `${config}:1`,
        step: "reading the configuration",
        reason: "ConfigInvalid",
      },
      {
        file: [join(data, "sessions.db"), "no database"],
        told: join(data, "sessions.db"),
        step: "opening the session store",
        reason: "StoreCorrupt",
        code: 1,
      },
      {
        file: [join(state, "token.key"), "short"],
        told: join(state, "token.key"),
        step: "opening the tokens",
        reason: "TokenKeyUnusable",
        code: 1,
      },
      {
        file: [socket, "mine"],
        told: `${socket} is not a socket`,
        step: "looking for an engine that runs already",
        stays: [socket],
      },
      { file: [data, "in the way"], told: `the folder ${data}`, step: "making the engine's folders" },
    ];
    for (const {
      flags = [],
      env = {},
      file,
      told,
      step,
      reason = "UsageInvalid",
      code = 2,
      stays = [],
    } of faults) {
      const [path = "", text = ""] = file ?? [];
      const isThere = existsSync(path);
      if (isThere) renameSync(path, `${path}.kept`);
      if (path !== "") writeFileSync(path, text, { mode: 0o600 });
      const failed = await runCinch(["serve", "--model", "mock:one", ...flags], { home, cwd: work, env });
      expect({ told, code: failed.code, stderr: failed.stderr }).toEqual({
        told,
        code,
        stderr: expect.stringContaining(told),
      });
      if (step !== undefined) expect(failed.stderr).toContain(`(while ${step})`);
      expect(failed.stderr).toEndWith(`(${reason})\n`);
      expect(leftOf(served)).toEqual(stays);
      if (path !== "") rmSync(path);
      if (isThere) renameSync(`${path}.kept`, path);
    }
    await served.start();
    expect((await served.ask("/v1/sessions", await served.token())).status).toBe(200);
  },
  TIMEOUT_MS,
);

test(
  "[AUTH-04 AUTH-07] the token that was laid down in the configuration directory lets its program in, at every start, as far as it says",
  async () => {
    await using served = await openServed({ script: [says("built"), says("built again")] });
    const session = await served.session(await served.token());
    await served.end("SIGTERM");
    const file = join(served.home.path, "config/cinch/ci-token.json");
    const token = `cinch_ci_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`;
    const nowS = Math.floor(Date.now() / 1_000);
    const claims = {
      ver: 1,
      jti: "tok_01M7ZC039EB5ZQGKFHHANYJ08A",
      identity_class: "agent",
      sessions: [session],
      commands: ["AttachSession", "SendInput"],
      nbf: nowS - 60,
      exp: nowS + 3_600,
      can_mint: false,
      critical_claims: [],
    };
    writeFileSync(file, JSON.stringify({ token, claims }), { mode: 0o600 });
    const flags = ["serve", "--model", "mock:one"];
    const open = await runCinch(flags, { home: served.home, cwd: served.work });
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining(`chmod 400 ${file}`)]);
    expect(open.stderr).toContain("(TokenFileUnsafe)");
    expect(open.stderr).not.toContain(token);

    chmodSync(file, 0o400);
    const content = [{ type: "text", text: "build" }];
    for (const text of ["built", "built again"]) {
      await served.start();
      const attached = await served.ask(`/v1/sessions/${session}/command`, token, {
        kind: "AttachSession",
      });
      const { sessionId } = (await attached.json()) as { readonly sessionId: string };
      const answer = await served.ask(`/v1/sessions/${sessionId}/input?wait=turn`, token, { content });
      expect([answer.status, await answer.json()]).toMatchObject([200, { text, reason: "complete" }]);
      const begun = await served.ask("/v1/sessions", token, { profile: "default" });
      expect([begun.status, await begun.json()]).toMatchObject([403, { reason: "Forbidden" }]);
      expect(await served.end("SIGTERM")).toBe(130);
    }
  },
  TIMEOUT_MS,
);

interface Fault {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A file to create in the way. */
  readonly file?: readonly [path: string, text: string];
  readonly told: string;
  /** Absent: it is seen before anything is begun. */
  readonly step?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly stays?: readonly string[];
}
