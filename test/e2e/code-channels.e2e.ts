import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome, RunningCinch } from "../support/cinch.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { openFakeDesktop } from "../support/fake-desktop.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const REFUSAL =
  "Token issuance requires an interactive confirmation channel. For headless/CI: pre-provision a token file. For service managers: launch with --auth-channel notify.";

interface ChannelRig extends Disposable {
  readonly home: CinchHome;
  serve(flags: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunningCinch>;
  /** Asks on the Unix socket as anybody could, without a token. */
  begin(claims?: object): Promise<Answer>;
  confirm(mintId: string, code: string): Promise<Answer>;
  ask(path: string, init?: BunFetchRequestInit): Promise<Response>;
  serving(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: {
    readonly mintId?: string;
    readonly channel?: string;
    readonly token?: string;
    readonly reason?: string;
    readonly message?: string;
  };
}

const SESSION = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV";

function openPlace(): ChannelRig {
  const home = cinchHome();
  const config = join(home.path, "config/cinch");
  mkdirSync(config);
  const model = 'default_model = "mock:one"\n[providers.mock]\nkind = "openai-compatible"\n';
  writeFileSync(join(config, "config.toml"), `${model}base_url = "http://127.0.0.1:9/v1"\n`);
  const socket = join(home.path, "data/cinch/control.sock");
  const ask = (path: string, init: BunFetchRequestInit = {}) =>
    fetch(`http://localhost${path}`, { unix: socket, ...init });
  const post = async (path: string, json: object): Promise<Answer> => {
    const headers = { "content-type": "application/json" };
    const answer = await ask(path, { method: "POST", headers, body: JSON.stringify(json) });
    return { status: answer.status, body: (await answer.json()) as Answer["body"] };
  };
  const serving = () =>
    until("it serves", () => existsSync(join(home.path, "state/cinch/owner.token")), 60_000);
  return {
    home,
    ask,
    serving,
    async serve(flags, env = {}) {
      const engine = startCinch(["serve", ...flags], { home, env });
      await serving();
      return engine;
    },
    begin: (claims = { identity_class: "agent", sessions: [SESSION] }) => post("/v1/auth/token", { claims }),
    confirm: (mintId, code) => post(`/v1/auth/token/${mintId}`, { code }),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

function codeIn(text: string): string {
  return /within 60 s: (\d{6})\./.exec(text)?.[1] ?? `(no code in ${text})`;
}

/** Everything that the engine has kept, and its log. */
function keptBytes(home: CinchHome): string {
  const all = readdirSync(home.path, { recursive: true, withFileTypes: true });
  return (
    all
      // Bun's own files come and go.
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(home.path, "cache/bun")))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join("\n")
  );
}

test("[AUTH-03] without anybody to show a code to, a token is refused in the documented words, however often it is asked for", async () => {
  using place = openPlace();
  await using engine = await place.serve([]);
  for (let at = 0; at < 8; at++) {
    expect(await place.begin()).toEqual({ status: 403, body: { reason: "MintRefused", message: REFUSAL } });
  }
  engine.kill("SIGTERM");
  expect(await engine.exited).toBe(130);
}, 300_000);

test("[AUTH-03] an engine of a service manager shows the code on the desktop; who carries it gets the token, once", async () => {
  using place = openPlace();
  await using desktop = await openFakeDesktop();
  await using engine = await place.serve(["--auth-channel", "notify", "--log-level", "trace"], {
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
  });
  const begun = await place.begin();
  expect([begun.status, begun.body.channel]).toEqual([202, "notify"]);
  const [notice] = desktop.shown;
  expect(notice?.text).toStartWith(
    `A program asks for a token: class agent (it could approve nothing), session ${SESSION}, every command, for 24 h.`,
  );
  const code = codeIn(notice?.text ?? "");
  // Nowhere but there: not in arguments, files or logs.
  expect(readFileSync(`/proc/${engine.pid}/cmdline`, "latin1")).not.toContain(code);
  expect(keptBytes(place.home)).not.toContain(code);
  const { mintId = "" } = begun.body;
  const wrong = await place.confirm(mintId, code === "000000" ? "000001" : "000000");
  expect([wrong.status, wrong.body.reason]).toEqual([403, "MintCodeWrong"]);
  expect(wrong.body.message).toContain("4 tries are left. Read it again where it is shown: notify");
  const made = await place.confirm(mintId, code);
  expect(made.status).toBe(201);
  await desktop.untilClosed(1);
  expect((await place.confirm(mintId, code)).body.reason).toBe("MintExpired");
  const seen = await place.ask("/v1/sessions", { headers: { "X-Harness-Token": made.body.token ?? "" } });
  expect([seen.status, await seen.json()]).toEqual([200, { sessions: [], more: false }]);
  engine.kill("SIGTERM");
  expect(await engine.exited).toBe(130);
}, 300_000);

test("[AUTH-03] a first client, which can name no session, is let into all by the code, and begins its own", async () => {
  using place = openPlace();
  await using desktop = await openFakeDesktop();
  await using engine = await place.serve(["--auth-channel", "notify"], {
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
  });
  const begun = await place.begin({ identity_class: "human" });
  expect([begun.status, begun.body.channel]).toEqual([202, "notify"]);
  const [notice] = desktop.shown;
  expect(notice?.text).toContain("ALL sessions, those that begin later too, every command, for 24 h.");
  const made = await place.confirm(begun.body.mintId ?? "", codeIn(notice?.text ?? ""));
  const headers = {
    "X-Harness-Token": made.body.token ?? "",
    "X-Harness-Version": "0.3.0",
    "content-type": "application/json",
  };
  const created = await place.ask("/v1/sessions", { method: "POST", headers, body: "{}" });
  expect(created.status).toBe(201);
  const { sessionId } = (await created.json()) as { readonly sessionId: string };
  expect((await place.ask(`/v1/sessions/${sessionId}`, { headers })).status).toBe(200);
  engine.kill("SIGTERM");
  expect(await engine.exited).toBe(130);
}, 300_000);

test("[AUTH-03] a person's attached client is shown the code first, an agent's never, and no log has it", async () => {
  using place = openPlace();
  await using desktop = await openFakeDesktop();
  await using engine = await place.serve([], { DBUS_SESSION_BUS_ADDRESS: desktop.address });
  const token = async (...flags: readonly string[]) =>
    (await runCinch(["token", ...flags], { home: place.home })).stdout.trim();
  const owner = { "X-Harness-Token": await token("--identity-class", "human") };
  const { sessions } = (await (await place.ask("/v1/sessions", { headers: owner })).json()) as {
    readonly sessions: readonly { readonly session: string }[];
  };
  const id = sessions[0]?.session ?? "";
  const agent = { "X-Harness-Token": await token("--identity-class", "agent", "--session", id) };
  for (const headers of [owner, agent]) await place.ask("/v1/handshake", { headers });
  const stop = new AbortController();
  const streams = await Promise.all(
    [owner, agent].map((headers) => place.ask(`/v1/sessions/${id}/events`, { headers, signal: stop.signal })),
  );
  const [mine, its] = streams.map((stream) => textOf(stream.body as ReadableStream<Uint8Array>));
  await mine?.until(": ok");
  await its?.until(": ok");

  const begun = await place.begin({ identity_class: "human", sessions: [id] });
  expect([begun.status, begun.body.channel]).toEqual([202, "web"]);
  await mine?.until("token-code");
  const code = codeIn(mine?.text ?? "");
  const { mintId = "" } = begun.body;
  expect((await place.confirm(mintId, code)).status).toBe(201);
  await mine?.until('"kind":"Answered"');
  expect(desktop.shown).toEqual([]);

  // Something that both are told: by then the other stream would have had the code, too.
  await place.ask(`/v1/sessions/${id}/input`, {
    method: "POST",
    headers: { ...owner, "content-type": "application/json" },
    body: JSON.stringify({ content: [{ type: "text", text: "hello" }] }),
  });
  await its?.until('"kind":"TurnStarted"');
  expect(its?.text).not.toContain(code);
  const replayed = await place.ask(`/v1/sessions/${id}/events?since=0`, {
    headers: owner,
    signal: stop.signal,
  });
  const again = textOf(replayed.body as ReadableStream<Uint8Array>);
  await again.until('"kind":"TurnStarted"');
  expect(again.text).not.toContain(code);
  stop.abort();
  engine.kill("SIGTERM");
  expect(await engine.exited).toBe(130);
}, 300_000);

interface StreamText {
  readonly text: string;
  until(part: string): Promise<void>;
}

function textOf(stream: ReadableStream<Uint8Array>): StreamText {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let text = "";
  return {
    get text() {
      return text;
    },
    async until(part) {
      while (!text.includes(part)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended without ${part}:\n${text}`);
        text += value;
      }
    },
  };
}

requireProgram("tmux")(
  "[AUTH-03] the terminal that an engine was started at shows the code, also where its output goes elsewhere",
  async () => {
    using place = openPlace();
    await using terminal = await openTerminal({ home: place.home, cwd: place.home.path, columns: 400 });
    await terminal.type("$CINCH serve 2>serve.log");
    await terminal.press("Enter");
    await place.serving();
    const begun = await place.begin();
    expect([begun.status, begun.body.channel]).toEqual([202, "tty"]);
    await terminal.shows("A program asks for a token: class agent");
    const code = codeIn(await terminal.screen());
    expect((await place.confirm(begun.body.mintId ?? "", code)).status).toBe(201);
    expect(readFileSync(join(place.home.path, "serve.log"), "utf8")).not.toContain(code);
    expect(statSync(join(place.home.path, "serve.log")).size).toBeGreaterThan(0);
    await terminal.press("C-c");
    await terminal.shows("bash-");
  },
  300_000,
);

test("[AUTH-03 CLI-01] a channel that is forced is the only one, and one that there is none of is refused by its name", async () => {
  using place = openPlace();
  await using desktop = await openFakeDesktop();
  await using engine = await place.serve(["--auth-channel", "tty"], {
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
  });
  expect((await place.begin()).body).toEqual({ reason: "MintRefused", message: REFUSAL });
  expect(desktop.shown).toEqual([]);
  engine.kill("SIGTERM");
  await engine.exited;
  const wrong = await runCinch(["serve", "--auth-channel", "email"], { home: place.home });
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'cinch: --auth-channel is one of web, tty, notify, not "email" (UsageInvalid)\n',
  ]);
}, 300_000);
