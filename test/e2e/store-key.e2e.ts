import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { cinchHome, cinchPath, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { says } from "../support/mock-provider/turn.ts";
import { childrenOf, placesInProcess } from "../support/process-memory.ts";
import { signalIfRunning } from "../support/processes.ts";
import { requirement, requireProgram } from "../support/requires.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 240_000;
/** It has no form that is redacted by itself. */
const KEY = "Zc81Qn5RwPd27LxUe0YbTf94Ma";
const WRONG_KEY = "Hq39Bv7TnKs64GjCo1XiWr58Du";
const withTmux = requireProgram("tmux");
/** A container may have the program and not let it mount. */
const mounts =
  Bun.which("unshare") !== null &&
  Bun.spawnSync(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;
const withMounts = requirement("unshare", mounts, false);

interface KeyedOptions {
  /** Answers of the provider that demands the key. */
  readonly keyed: readonly Turn[];
  /** Answers of the provider that demands none. */
  readonly script?: readonly Turn[];
  readonly listens?: boolean;
}

/** An engine that was started without any key, with a provider `keyed` that demands one, and another that does not. */
async function openKeyed({ keyed: turns, script = [], listens = false }: KeyedOptions) {
  await using undo = new AsyncDisposableStack();
  const keyed = undo.use(startMockProvider({ script: turns, key: KEY, models: ["one"] }));
  const config = `[providers.keyed]\nkind = "openai-compatible"\nbase_url = "${keyed.url}/v1"\napi_key_env = "KEYED_KEY"\n`;
  const flags = ["--model", "mock:one", "--log-level", "trace"];
  const served = undo.use(await openServed({ script, config, listens, flags }));
  const token = await served.token();
  const rest = undo.move();
  return {
    keyed,
    served,
    token,
    session: await served.session(token),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

type Keyed = Pick<Awaited<ReturnType<typeof openKeyed>>, "served" | "token">;
type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked;
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

function store({ served, token }: Keyed, key: unknown, provider = "keyed"): Promise<Answer> {
  return answerOf(served.ask(`/v1/providers/${provider}/key`, token, { key }));
}

function say({ served, token }: Keyed, session: string, text: string): Promise<Answer> {
  const body = { content: [{ type: "text", text }] };
  return answerOf(served.ask(`/v1/sessions/${session}/input?wait=turn`, token, body));
}

function setModel({ served, token }: Keyed, session: string, model: string): Promise<Answer> {
  return answerOf(served.ask(`/v1/sessions/${session}/model`, token, { model }));
}

/** Returns the paths of files below a folder that hold a text, as it is or in base64. */
function holding(folder: string, text: string): readonly string[] {
  const forms = [text, Buffer.from(text).toString("base64").slice(0, -4), Buffer.from(text).toString("hex")];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    return forms.some((form) => bytes.includes(form)) ? [path] : [];
  });
}

function folders({ home }: Served): readonly string[] {
  return ["config", "data", "state"].map((name) => join(home.path, name));
}

/** Returns the running helper of an engine. */
async function helperOf(engine: number): Promise<number> {
  const find = () => childrenOf(engine).find(({ cmdline }) => cmdline.includes("__helper"))?.pid;
  await until("the helper is there", () => find() !== undefined);
  return find() as number;
}

async function enginePid({ served, token }: Keyed): Promise<number> {
  return (await answerOf(served.ask("/v1/runtime", token))).body["pid"] as number;
}

test(
  "[CTL-19 CRED-01 CRED-03] an engine without any key uses one that is stored over its Unix socket at once, and it stands in no file",
  async () => {
    await using rig = await openKeyed({ keyed: [says("Heard with the key.")] });
    const { served, token, session, keyed } = rig;
    expect(await setModel(rig, session, "keyed:one")).toMatchObject({
      status: 409,
      body: { reason: "ProviderKeyMissing" },
    });
    const listed = async () =>
      (await answerOf(served.ask("/v1/providers?models=false", token))).body["providers"];
    expect(await listed()).toContainEqual(expect.objectContaining({ name: "keyed", configured: false }));
    const models = () => answerOf(served.ask("/v1/providers/keyed/models", token));
    expect(await models()).toMatchObject({ status: 409, body: { reason: "ProviderKeyMissing" } });
    const pid = await enginePid(rig);
    expect(childrenOf(pid)).toEqual([]); // no helper
    expect(await store(rig, ` ${KEY}\n`)).toEqual({
      status: 200,
      body: { result: { provider: "keyed", replaced: false, used: true, source: "creds.enc" } },
    });
    expect(await listed()).toContainEqual(expect.objectContaining({ name: "keyed", configured: true }));
    expect(await models()).toMatchObject({ status: 200, body: { models: [{ id: "one" }] } });
    expect((await setModel(rig, session, "keyed:one")).status).toBe(200);
    expect((await say(rig, session, "second")).body).toMatchObject({ text: "Heard with the key." });
    expect(keyed.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    const helper = await helperOf(pid);
    const outside = (each: string) => !each.startsWith("memory");
    for (const each of [pid, helper]) expect(placesInProcess(each, [KEY]).filter(outside)).toEqual([]);
    expect(folders(served).flatMap((folder) => holding(folder, KEY))).toEqual([]);
    expect(existsSync(join(served.home.path, "config/cinch/creds.enc"))).toBe(true);
    expect((await runCinch(["creds", "list"], { home: served.home })).stdout).toMatch(
      /^keyed\tdefault\t[^\t]+\tused\n$/,
    );
    await served.end("SIGTERM");
    expect(await served.said()).not.toContain(KEY);
    expect(folders(served).flatMap((folder) => holding(folder, KEY))).toEqual([]);
    await until("the helper has ended", () => childrenOf(process.pid).every((child) => child.pid !== helper));
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 CRED-03] a turn that failed for a wrong key works in the same session once the right one is stored",
  async () => {
    await using rig = await openKeyed({ keyed: [says("Heard with the key.")] });
    expect((await store(rig, WRONG_KEY)).status).toBe(200);
    await rig.served.end("SIGTERM");
    await rig.served.start(); // behind a keeper now: there is a key to keep
    const token = await rig.served.token();
    const keyed = { served: rig.served, token };
    const session = await rig.served.session(token);
    expect((await setModel(keyed, session, "keyed:one")).status).toBe(200);
    expect((await say(keyed, session, "first")).body).toMatchObject({
      reason: "error",
      error: { reason: "ProviderKeyRefused", message: expect.stringContaining("creds.enc") },
    });
    expect((await store(keyed, KEY)).body).toEqual({
      result: { provider: "keyed", replaced: true, used: true, source: "creds.enc" },
    });
    expect((await say(keyed, session, "again")).body).toMatchObject({ text: "Heard with the key." });
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 SES-05] running sessions redact a key from the moment that it is stored, and the one that it replaced",
  async () => {
    const script = [KEY, KEY, WRONG_KEY].map((key) => says(`It prints ${key} here.`));
    await using rig = await openKeyed({ keyed: [], script });
    const { session } = rig;
    expect((await say(rig, session, "before")).body["text"]).toContain(KEY);
    expect((await store(rig, WRONG_KEY)).status).toBe(200);
    expect((await store(rig, KEY)).status).toBe(200);
    const redacted = "It prints «redacted:api-key» here.";
    expect((await say(rig, session, "now")).body["text"]).toBe(redacted);
    expect((await say(rig, session, "the old one")).body["text"]).toBe(redacted);
    expect((await say(rig, session, `my key is ${KEY}`)).body).toMatchObject({ reason: "error" });
    const items = await rig.served.ask(`/v1/sessions/${session}/items?limit=50`, rig.token);
    expect((await items.text()).split(KEY).length).toBe(2); // that of the first turn alone
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 AUTH-06] no TCP listener takes a key, by REST or WebSocket, and the refusal names another way",
  async () => {
    await using rig = await openKeyed({ keyed: [], listens: true });
    const { served, token, session } = rig;
    const headers = { "X-Harness-Token": token, "X-Harness-Version": PROTOCOL_VERSION };
    const post = (path: string, body: object, more: Readonly<Record<string, string>> = {}) =>
      answerOf(
        fetch(`${served.url}${path}`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json", ...more },
          body: JSON.stringify(body),
        }),
      );
    const refusal = {
      reason: "NotOnThisMachine",
      message: expect.stringMatching(/a port of this machine.*Run cinch creds add there/s),
    };
    expect(await post("/v1/providers/keyed/key", { key: KEY })).toMatchObject({ status: 403, body: refusal });
    // So is it from a client that came over the socket.
    const made = await answerOf(served.ask("/v1/clients", token, {}));
    const client = { "X-Harness-Client": made.body["client"] as string };
    expect(await post("/v1/providers/keyed/key", { key: KEY }, client)).toMatchObject({
      status: 403,
      body: refusal,
    });
    const any = { kind: "StoreProviderKey", provider: "keyed", key: KEY };
    expect(await post(`/v1/sessions/${session}/command`, any)).toMatchObject({ status: 400 });

    const answers: unknown[] = [];
    const protocols = ["cinch.v1", `cinch.token.${token}`];
    const socket = new WebSocket(`${served.url.replace("http", "ws")}/v1/ws`, protocols);
    socket.addEventListener("message", ({ data }) => answers.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    socket.send(JSON.stringify({ frame: "handshake", id: 1, body: { protocol_version: PROTOCOL_VERSION } }));
    socket.send(JSON.stringify({ frame: "command", id: 2, body: any }));
    await until("both answers", () => answers.length === 2);
    socket.close();
    expect(answers[1]).toMatchObject({ frame: "error", id: 2, body: refusal });
    expect(JSON.stringify(answers)).not.toContain(KEY);
    expect(existsSync(join(served.home.path, "config/cinch/creds.enc"))).toBe(false);

    const agent = await served.token("--identity-class", "agent");
    expect(await store({ served, token: agent }, KEY)).toMatchObject({
      status: 409,
      body: { reason: "InvalidCommand", message: expect.stringContaining("only a client of class human") },
    });
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 CRED-01] a key that cannot be stored is refused with its place and what to do, and is not repeated",
  async () => {
    await using rig = await openKeyed({ keyed: [] });
    const path = join(rig.served.home.path, "config/cinch/creds.enc");
    const refusals: readonly (readonly [key: unknown, provider: string, status: number, told: string])[] = [
      ["", "keyed", 400, "No key of keyed was stored: the key is empty; copy the whole key again"],
      [`${KEY}\n${KEY}`, "keyed", 400, "the key holds white space or characters that no key has"],
      [`${KEY}\u0007`, "keyed", 400, "the key holds white space or characters that no key has"],
      [KEY.repeat(1_000), "keyed", 400, "key: it has more than 8192 characters"],
      [7, "keyed", 400, "key: expected a string"],
      [KEY, "keyd", 404, "There is no provider 'keyd'. Did you mean 'keyed'? Known: keyed, mock, anthropic"],
      [KEY, KEY, 404, "There is no provider '(not shown)'. Known: "],
      [KEY, "mock", 400, "the provider mock needs no key; give it an api_key_env in config.toml"],
      [KEY, "vertex", 400, "vertex takes no key of yours, but Google's Application Default Credentials"],
      [KEY, `mcp:${KEY}`, 400, "On the engine's machine: cinch creds add mcp:SERVER URL"],
    ];
    for (const [key, provider, status, told] of refusals) {
      const refused = await store(rig, key, encodeURIComponent(provider));
      expect([provider, refused.status, refused.body["message"]]).toEqual([
        provider,
        status,
        expect.stringContaining(told),
      ]);
      expect(JSON.stringify(refused.body)).not.toContain(KEY);
    }
    expect(existsSync(path)).toBe(false);
    expect(childrenOf(await enginePid(rig))).toEqual([]); // no helper was started for them

    using other = cinchHome();
    const lock = `${path}.lock`;
    mkdirSync(lock);
    expect(await store(rig, KEY)).toMatchObject({
      status: 500,
      body: {
        reason: "CredentialsUnwritable",
        message: expect.stringContaining(`${path} cannot be written`),
      },
    });
    rmSync(lock, { recursive: true });
    // Stored under another machine key, as after `unset CINCH_PASSPHRASE`.
    await runCinch(["creds", "add", "zai"], { home: other, stdin: `${WRONG_KEY}\n` });
    copyFileSync(join(other.path, "config/cinch/creds.enc"), path);
    for (const round of ["before the first helper", "again"]) {
      const locked = await store(rig, KEY);
      expect([round, locked.status, locked.body["reason"]]).toEqual([round, 500, "CredentialsLocked"]);
      expect(locked.body["message"]).toContain("Set the CINCH_MACHINE_KEY or CINCH_PASSPHRASE");
    }
    rmSync(path);
    expect((await store(rig, KEY)).status).toBe(200); // the remedy, tried
    writeFileSync(path, "{}", { mode: 0o600 });
    expect((await store(rig, WRONG_KEY)).body).toMatchObject({ reason: "CredentialsDamaged" });
    await rig.served.end("SIGTERM");
    expect(folders(rig.served).flatMap((folder) => holding(folder, KEY))).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 CRED-04] a helper that is killed while it stores a key is followed by one that stores it",
  async () => {
    await using rig = await openKeyed({ keyed: [says("Heard with the key.")] });
    expect((await store(rig, WRONG_KEY)).status).toBe(200);
    const pid = await enginePid(rig);
    const helper = await helperOf(pid);
    signalIfRunning(helper, "SIGSTOP");
    const stored = store(rig, KEY);
    await until("the key waits", async () => (await rig.served.ask("/v1/health")).status === 200);
    signalIfRunning(helper, "SIGKILL");
    expect((await stored).body).toMatchObject({ result: { replaced: true, used: true } });
    expect(await helperOf(pid)).not.toBe(helper);
    const { session } = rig;
    expect((await setModel(rig, session, "keyed:one")).status).toBe(200);
    expect((await say(rig, session, "go")).body).toMatchObject({ text: "Heard with the key." });
  },
  TIMEOUT_MS,
);

withTmux(
  "[CTL-19 CRED-03] /key reads a key unseen at a terminal, and the next prompt of the session uses it",
  async () => {
    await using rig = await openKeyed({ keyed: [says("Heard with the key."), says("And again.")] });
    const { served } = rig;
    await using terminal = await openTerminal({ home: served.home, cwd: served.work });
    await terminal.type("$CINCH --plain --model mock:one; echo code=$?");
    await terminal.press("Enter");
    await terminal.shows("/help lists commands");
    const enter = async (text: string) => {
      await terminal.type(text);
      await terminal.press("Enter");
    };
    await enter("/key keyed typed-behind-it");
    await terminal.shows("Write /key PROVIDER alone");
    await enter("/key no-such-provider");
    await terminal.shows("/key needs the name of a provider, and no key. Known: ");
    await enter("/key keyed");
    await terminal.shows("Key of keyed (not shown):");
    await terminal.type("typed-and-left");
    await terminal.press("C-c");
    await terminal.shows("No key was given. Nothing was stored.");
    await enter("/key keyed");
    await until("the second question", async () => (await terminal.screen()).endsWith("(not shown):"));
    await terminal.type("x");
    await terminal.press("BSpace", "Left");
    await terminal.paste(KEY);
    await terminal.press("Enter");
    await terminal.shows("The key of keyed was stored, encrypted. The next request uses it.");
    await enter("/model keyed:one");
    await terminal.shows("model keyed:one from the next round on");
    await enter("hello");
    await terminal.shows("Heard with the key.");
    await terminal.press("Up");
    await terminal.press("Up");
    const screen = await terminal.screen();
    expect(screen).not.toContain(KEY);
    expect(screen).not.toContain("typed-and-left");
    await terminal.press("C-u");
    await enter("/quit");
    await terminal.shows("code=0");
    expect(folders(served).flatMap((folder) => holding(folder, KEY))).toEqual([]);
    // An engine of its own, behind a keeper.
    await terminal.clear();
    await terminal.type("$CINCH --plain --no-listen --model keyed:one");
    await terminal.press("Enter");
    await terminal.shows("/help lists commands");
    await enter("/key keyed");
    await until("the question", async () => (await terminal.screen()).endsWith("(not shown):"));
    await terminal.type(WRONG_KEY);
    await terminal.press("Enter");
    await terminal.shows("The key of keyed was replaced, encrypted.");
    await enter("hello");
    await terminal.shows("Provider keyed refused the key from creds.enc");
    expect(await terminal.screen()).not.toContain(WRONG_KEY);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19] /key asks for no key where a pipe would have to hide it, or the engine is reached at a port",
  async () => {
    await using rig = await openKeyed({ keyed: [], listens: true });
    const { served, token } = rig;
    const line = async (...words: readonly string[]) => {
      const options = { home: served.home, cwd: served.work, env: { CINCH_TOKEN: token } };
      return await runCinch(words, { ...options, stdin: `/key keyed\n${KEY}\n` });
    };
    expect((await line("--no-listen", "--model", "mock:one")).stdout).toContain(
      "There is no terminal here that could hide a key. Run cinch creds add PROVIDER",
    );
    expect((await line("--connect", served.url)).stdout).toContain(
      "This client came over a network address, which takes no key. On the engine's machine: cinch creds add",
    );
    expect(existsSync(join(served.home.path, "config/cinch/creds.enc"))).toBe(false);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 CTL-11] an engine that could begin no session for want of a key begins one once it is stored",
  async () => {
    await using keyed = startMockProvider({ script: [says("Heard with the key.")], key: KEY });
    const config = `default_model = "keyed:one"\n[providers.keyed]\nkind = "openai-compatible"\nbase_url = "${keyed.url}/v1"\napi_key_env = "KEYED_KEY"\n`;
    await using served = await openServed({ script: [], config, flags: [] });
    const rig = { served, token: await served.token() };
    const create = () => answerOf(served.ask("/v1/sessions", rig.token, { model: "keyed:one" }));
    expect(await create()).toMatchObject({ status: 409, body: { reason: "ProviderKeyMissing" } });
    expect((await store(rig, KEY)).status).toBe(200);
    const { sessionId } = (await create()).body;
    expect((await say(rig, String(sessionId), "go")).body).toMatchObject({ text: "Heard with the key." });
  },
  TIMEOUT_MS,
);

/** Copies the folder to a disk of so many bytes that is mounted over it, and runs the rest there. */
const ON_FULL_DISK =
  'cp -a "$0" "$0.kept" && mount -t tmpfs -o size=8k none "$0" && cp -a "$0.kept/." "$0" && exec "$@"';

withMounts(
  "[CTL-19 CRED-01 R14] a key that the disk has no room for is refused, and stored once there is room",
  async () => {
    await using rig = await openKeyed({ keyed: [] });
    const { home, work } = rig.served;
    await rig.served.end("SIGTERM");
    const config = join(home.path, "config/cinch");
    const serve = [cinchPath(), "serve", "--model", "mock:one"];
    await using engine = Bun.spawn(["unshare", "-rm", "sh", "-c", ON_FULL_DISK, config, ...serve], {
      ...{ cwd: work, env: { PATH: process.env["PATH"], ...home.env } },
      stdio: ["ignore", "ignore", "ignore"],
    });
    const isServed = async () => (await rig.served.ask("/v1/health").catch(() => undefined))?.status === 200;
    await until("the engine serves", isServed);
    const token = await rig.served.token();
    const path = join(config, "creds.enc");
    expect(await store({ served: rig.served, token }, KEY)).toMatchObject({
      status: 500,
      body: {
        reason: "CredentialsUnwritable",
        message: expect.stringMatching(new RegExp(`${path} cannot be written: .* Make room, or`)),
      },
    });
    engine.kill("SIGTERM");
    await engine.exited;
    await rig.served.start();
    expect((await store({ served: rig.served, token: await rig.served.token() }, KEY)).status).toBe(200);
  },
  TIMEOUT_MS,
);
