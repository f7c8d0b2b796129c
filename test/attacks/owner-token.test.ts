import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { hostSockets } from "../../src/platform/sockets/sockets.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import { askOwner } from "../../src/server/auth/owner/ask-owner.ts";
import type { JudgePeer } from "../../src/server/auth/owner/owner.ts";
import { EXCHANGES_MAX, openOwnerExchange } from "../../src/server/auth/owner/owner.ts";
import { settle } from "../support/fake-clock.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";
import { temporaryDirectory, testWorld } from "../support/world.ts";

/**
 * The owner token is refused to every descendant of the engine. Each of these is red with `holdDescent` judging
 * everybody unrelated; those that lose their parent are red without PR_SET_CHILD_SUBREAPER.
 */
const linuxTest = requireProgram("setsid");
const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];
const ENGINE = join(import.meta.dir, "../support/owner-engine-child.ts");
const CLIENT = join(import.meta.dir, "../support/owner-client-child.ts");
const BUN = `'${process.execPath}' ${FLAGS.join(" ")} '${CLIENT}'`;

/** Returns the answer to a process that an engine started with this line of sh. */
async function askedBy(line: (ask: string, orphan: string, result: string) => string): Promise<string> {
  await using folder = temporaryDirectory();
  const state = join(folder.path, "state");
  await mkdir(state, { mode: 0o700 });
  const result = join(folder.path, "result");
  const ask = `${BUN} '${state}' '${result}'`;
  await using _engine = await engine(state, ["sh", "-c", line(ask, `${ask} orphan`, result)]);
  await until("an answer to whoever asked", () => existsSync(result));
  return await readFile(result, "utf8");
}

async function engine(state: string, command: readonly string[]): Promise<AsyncDisposable> {
  const child = Bun.spawn([process.execPath, ...FLAGS, ENGINE, state, ...command], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe("ready\n");
  return {
    async [Symbol.asyncDispose]() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

const DESCENDANT =
  "The engine does not take this process for its owner's: it was started by the engine, or by what the engine started. From a terminal of your own it works; elsewhere use a token with a code, or a token file.";

linuxTest("[AUTH-11 S51] a process that the engine did not start gets a token for an hour", async () => {
  await using folder = temporaryDirectory();
  const state = join(folder.path, "state");
  await using _engine = await engine(state, []);
  const result = join(folder.path, "result");
  const child = Bun.spawn([process.execPath, ...FLAGS, CLIENT, state, result], { stderr: "inherit" });
  await child.exited;
  const answer = await readFile(result, "utf8");
  expect(answer).toStartWith("token ");
  await using authority = await openAuthority({
    world: testWorld(),
    stateDirectory: state,
    channels: () => [],
  });
  // Made by the real clock, so not yet good by the one of this test; that it is ours is what is told.
  const refused = await authority.verify(answer.slice(6), "unix").catch(String);
  expect(refused).toContain("it counts from ");
});

linuxTest("[AUTH-11 S51] a child of the engine, and a child of a child, is refused", async () => {
  expect(await askedBy((ask) => `exec ${ask}`)).toBe(DESCENDANT);
  expect(await askedBy((ask) => `sh -c "env -i sh -c \\"${ask}; true\\"; true"; true`)).toBe(DESCENDANT);
});

linuxTest("[AUTH-11 S51] one that makes a session of its own is refused", async () => {
  expect(await askedBy((ask) => `exec setsid ${ask}`)).toBe(DESCENDANT);
});

linuxTest(
  "[AUTH-11 S51] one whose parents are gone is refused: forked twice, in a session of its own",
  async () => {
    const waitsForStart = (result: string) => `until [ -e '${result}.started' ]; do sleep 0.02; done`;
    expect(await askedBy((_ask, orphan, result) => `${orphan} & ${waitsForStart(result)}`)).toBe(DESCENDANT);
    expect(
      await askedBy(
        (_ask, orphan, result) =>
          `(setsid env -i sh -c "${orphan} & ${waitsForStart(result)}" </dev/null >/dev/null 2>&1 &) & exit 0`,
      ),
    ).toBe(DESCENDANT);
  },
);

const YES: JudgePeer = () => ({ kind: "unrelated" });

interface TokenRig extends AsyncDisposable {
  readonly folder: string;
  readonly socketPath: string;
  readonly tokenPath: string;
  readonly world: ReturnType<typeof testWorld>;
  ask(claims?: Readonly<Record<string, unknown>>): Promise<string>;
  verify(token: string, wire: "unix" | "loopback"): Promise<unknown>;
  stop(): Promise<void>;
}

async function place(
  judge: JudgePeer = YES,
  before?: (tokenPath: string) => Promise<void>,
): Promise<TokenRig> {
  const folder = temporaryDirectory();
  const world = testWorld();
  const stateDirectory = join(folder.path, "state");
  const [socketPath, tokenPath] = [join(stateDirectory, "owner.sock"), join(stateDirectory, "owner.token")];
  const authority = await openAuthority({ world, stateDirectory, channels: () => [] });
  await before?.(tokenPath);
  const exchange = await openOwnerExchange({
    world,
    sockets: hostSockets,
    judge,
    authority,
    socketPath,
    tokenPath,
  });
  return {
    folder: folder.path,
    socketPath,
    tokenPath,
    world,
    ask: (claims) =>
      askOwner({
        connect: hostSockets.connectPath,
        socketPath,
        tokenPath,
        ...(claims === undefined ? {} : { claims }),
        signal: new AbortController().signal,
      }),
    verify: (token, wire) => authority.verify(token, wire),
    stop: async () => await exchange[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await exchange[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("[AUTH-11] the owner token gives a token of class human, on the Unix socket only, for an hour", async () => {
  await using at = await place();
  const token = await at.ask();
  expect(await at.verify(token, "unix")).toMatchObject({
    identityClass: "human",
    scope: { sessions: "all", commands: "all" },
    canMint: true,
    wire: "unix",
    expiresAt: at.world.clock.now() + 3_600_000,
  });
  expect(await at.verify(token, "loopback").catch(String)).toContain("it is for the Unix socket only");
  // The owner token itself is no capability token.
  const owner = await readFile(at.tokenPath, "utf8");
  expect(await at.verify(owner, "unix").catch(String)).toContain("it is not a token");
});

test("[AUTH-11 AUTH-03] with claims it gives the claimed rights, and wrong ones are reported by name", async () => {
  await using at = await place();
  const token = await at.ask({ identity_class: "agent", sessions: [], expires_in: 60 });
  expect(await at.verify(token, "loopback")).toMatchObject({
    identityClass: "agent",
    scope: { sessions: [] },
  });
  expect(await at.ask({ identity_class: "admin" }).catch(String)).toContain(
    'identity_class is neither "human" nor "agent"',
  );
});

test("[AUTH-11 S54] it is new at every start, 0600 whatever was there before, never through a link, and gone at the end", async () => {
  const seen: string[] = [];
  for (let start = 0; start < 2; start++) {
    await using at = await place(YES, async (path) => {
      await writeFile(`${path}.elsewhere`, "mine");
      if (start === 0) await symlink(`${path}.elsewhere`, path);
      else {
        await writeFile(path, "old");
        await chmod(path, 0o666);
      }
    });
    expect((await stat(at.tokenPath)).mode & 0o777).toBe(0o600);
    expect((await stat(at.socketPath)).mode & 0o777).toBe(0o600);
    expect(await readFile(`${at.tokenPath}.elsewhere`, "utf8")).toBe("mine");
    seen.push(await readFile(at.tokenPath, "utf8"));
    await at.stop();
    expect((await readdir(join(at.folder, "state"))).sort()).toEqual(["owner.token.elsewhere", "token.key"]);
  }
  expect(seen.map((text) => text.length)).toEqual([43, 43]);
});

test("[AUTH-11 S51] a wrong, old or missing token, garbage, too much and silence get none, and others still do", async () => {
  await using at = await place();
  const send = async (text: string | Uint8Array): Promise<string> => {
    const stream = await hostSockets.connectPath(at.socketPath, new AbortController().signal);
    stream.on("error", () => undefined);
    stream.write(text);
    return await wholeOf(stream);
  };
  const owner = await readFile(at.tokenPath, "utf8");
  const others = ['{"owner":""}\n', `{"owner":"${owner.slice(0, -1)}"}\n`, `{"owner":"${owner}A"}\n`];
  for (const line of others) expect(await send(line)).toContain('"reason":"OwnerTokenStale"');
  const lines = [
    "\n",
    "{}\n",
    "null\n",
    '{"owner":7}\n',
    `${owner}\n`,
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "x".repeat(100_000),
  ];
  for (const line of lines) expect(await send(line)).toContain('"reason":"OwnerRefused"');
  const silent = await hostSockets.connectPath(at.socketPath, new AbortController().signal);
  silent.on("error", () => undefined);
  const ended = wholeOf(silent);
  await until("the connection is served", () => at.world.clock.waiting > 0);
  await at.world.clock.advance(5_000);
  expect(await ended).toBe("");
  expect(await at.ask()).toContain(".");
});

test("[AUTH-11 REL-04] clients that connect and say nothing do not make an honest one wait", async () => {
  await using at = await place();
  const silent = await Promise.all(
    Array.from({ length: EXCHANGES_MAX + 1 }, () =>
      hostSockets.connectPath(at.socketPath, new AbortController().signal),
    ),
  );
  for (const stream of silent) stream.on("error", () => undefined);
  expect(await at.ask()).toContain("."); // no time passes
  for (const stream of silent) stream.destroy();
});

async function wholeOf(stream: Duplex): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  stream.once("close", resolve);
  await promise;
  await settle();
  return text;
}

test("[AUTH-11] a refused peer gets the reason, whatever it knows", async () => {
  await using at = await place(() => ({ kind: "refused", problem: "it runs as another user" }));
  const refused = { reason: "OwnerRefused", fields: { problem: "it runs as another user" } };
  await expect(at.ask()).rejects.toMatchObject(refused);
});

test("[AUTH-11 S54] a client sends no token that others could have put there", async () => {
  await using at = await place();
  await chmod(at.tokenPath, 0o644);
  expect(await at.ask().catch(String)).toContain("can be read or changed by others");
  await at.stop();
  expect(await at.ask().catch(String)).toContain("can be read or changed by others");
});

test("[AUTH-11 CTL-11] a client distinguishes an engine that has ended, or is another one, from one that refuses it", async () => {
  await using at = await place();
  const stale = { reason: "OwnerTokenStale" };
  const mine = await readFile(at.tokenPath);
  await writeFile(at.tokenPath, "A".repeat(43), { mode: 0o600 });
  await expect(at.ask()).rejects.toMatchObject(stale);
  await writeFile(at.tokenPath, mine, { mode: 0o600 });
  expect(await at.ask()).toContain(".");
  await at.stop();
  await expect(at.ask()).rejects.toMatchObject(stale);
});
