import { expect, test } from "bun:test";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { Report } from "../../src/conformance/render.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { ParentProcess } from "../../src/server/auth/owner/parent-process.ts";
import { readProcess } from "../../src/server/auth/owner/parent-process.ts";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch, startCinch } from "../support/cinch.ts";
import { startServing } from "../support/serving.ts";
import { until } from "../support/until.ts";

/** Against hanging alone. */
const MS_MAX = 240_000;
/**
 * Scenarios of the walk over standard input from source, where each starts `cinch mcp` twice and takes seconds. The
 * compiled program, in CI, takes all of them.
 */
const STDIO_FROM_SOURCE = "mcp-run-turn,turn-completes,cancel,permission-asked,resume-exact,multi-attach";

test(
  "[CTL-13 REL-07] cinch conformance walks our own engine over its Unix socket and its port, over REST and WebSockets",
  async () => {
    using home = cinchHome();
    await using engine = await startServing(home, ["--profile", "conformance"]);
    const file = join(home.path, "token.txt");
    writeFileSync(file, `${engine.token}\n`, { mode: 0o600 });
    for (const place of engine.places) {
      const args = ["conformance", "--against", place, "--auth-token-file", file, "--quick", "--json"];
      const walked = await runCinch(args, { home, timeoutMs: MS_MAX });
      expect(walked.stderr).toBe("");
      const report = JSON.parse(walked.stdout) as Report;
      expect(report.results.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
      expect(report).toMatchObject({
        suite: "0.3.0",
        against: place,
        ok: true,
        server: { protocolVersion: "0.3.0" },
      });
      expect(new Set(report.results.map(({ wire }) => wire))).toEqual(
        new Set(["rest", "ws", "mcp", "mcp-2026-07-28"]),
      );
      expect([walked.code, report.counts]).toEqual([0, { ok: report.results.length, failed: 0, skipped: 0 }]);
    }
  },
  MS_MAX,
);

test(
  "[CTL-13] its report shows a person each scenario, and the token of the environment is taken",
  async () => {
    using home = cinchHome();
    await using engine = await startServing(home, ["--profile", "conformance"]);
    const [, place] = engine.places;
    const args = ["conformance", "--against", place, "--scenario", "turn-completes,ws-ids"];
    const { code, stdout, stderr } = await runCinch(args, { home, env: { CINCH_TOKEN: engine.token } });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.replace(/ {2,}/g, "  ")).toBe(
      [
        `conformance suite 0.3.0, protocol 0.3.0, against ${place}`,
        "ok  rest  turn-completes  A prompt begins a turn that tells the prompt and the answer, and ends as complete.",
        "ok  ws  turn-completes  A prompt begins a turn that tells the prompt and the answer, and ends as complete.",
        "ok  ws  ws-ids  An answer has the id of the frame that it answers.",
        "ok  mcp  turn-completes  A prompt begins a turn that tells the prompt and the answer, and ends as complete.",
        "ok  mcp-2026-07-28  turn-completes  A prompt begins a turn that tells the prompt and the answer, and ends as complete.",
        "5 ok, 0 failed, 0 skipped",
        "",
      ].join("\n"),
    );
  },
  MS_MAX,
);

test(
  "[CTL-13 CTL-08] cinch conformance walks cinch mcp over standard input and output, with a person's token",
  async () => {
    using home = cinchHome();
    await using engine = await startServing(home, ["--profile", "conformance"]);
    const isCompiled = process.env["CINCH_UNDER_TEST"] !== undefined;
    const which = isCompiled ? ["--quick"] : ["--scenario", STDIO_FROM_SOURCE];
    const args = ["conformance", "--against", `stdio://${cinchPath()} mcp`, ...which, "--json"];
    const env = { CINCH_TOKEN: engine.token };
    await attest(home, args, env);
    const walked = await runCinch(args, { home, timeoutMs: MS_MAX, env });
    expect(walked.stdout === "" ? walked.stderr : "").toBe("");
    const report = JSON.parse(walked.stdout) as Report;
    // A pipe has one client, and no REST to compare a resource with.
    const skipped = isCompiled ? ["multi-attach", "resources-alike"] : ["multi-attach"];
    expect(report.results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(new Set(report.results.map(({ wire }) => wire))).toEqual(new Set(["mcp", "mcp-2026-07-28"]));
    expect(
      report.results.filter(({ outcome }) => outcome === "skipped").map(({ scenario }) => scenario),
    ).toEqual([...skipped, ...skipped]);
    const runs = report.results.filter(({ scenario }) => scenario === "mcp-run-turn");
    expect(runs.map(({ wire, outcome }) => [wire, outcome])).toEqual([
      ["mcp", "ok"],
      ["mcp-2026-07-28", "ok"],
    ]);
    expect([walked.code, report.ok]).toEqual([0, true]);
  },
  MS_MAX,
);

test(
  "[CTL-13] a server that loses events is reported within its patience, and --fail-fast ends there",
  async () => {
    using home = cinchHome();
    await using engine = await startServing(home, ["--profile", "conformance"]);
    const [, place] = engine.places;
    await using proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: (request) => lossy(request, place),
    });
    const scenarios = "turn-completes,event-ids,turn-order,cancel";
    const args = [
      "conformance",
      "--against",
      proxy.url.origin,
      "--scenario",
      scenarios,
      "--fail-fast",
      "--patience",
      "3",
      "--json",
    ];
    const startMs = performance.now();
    const { code, stdout } = await runCinch(args, { home, env: { CINCH_TOKEN: engine.token } });
    const report = JSON.parse(stdout) as Report;
    expect([code, report.counts.failed]).toEqual([1, 1]);
    expect(report.results.at(-1)).toMatchObject({
      outcome: "failed",
      got: expect.stringContaining("nothing for 3 s"),
    });
    expect(performance.now() - startMs).toBeLessThan(60_000);
  },
  MS_MAX,
);

/** Writes down that a person lets this very command line start cinch: what it is, is seen while it runs. */
async function attest(
  home: CinchHome,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  let parent: ParentProcess | undefined;
  // On a busy machine it may have ended before it was looked at.
  await until("the program is seen while it runs", async () => {
    parent = await seenRunning(home, args, env);
    return parent !== undefined;
  });
  const { start: _start, ...known } = parent ?? { start: "" };
  const lock = JSON.stringify({ version: 1, parents: [known] });
  writeFileSync(join(home.path, "config/cinch/mcp-parents.lock"), lock, { mode: 0o600 });
}

/** Starts cinch and returns its identity; undefined where it ended first. */
async function seenRunning(
  home: CinchHome,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ParentProcess | undefined> {
  await using running = startCinch(args, { home, env });
  let isOver = false;
  const over = running.exited.then(() => {
    isOver = true;
  });
  let seen: ParentProcess | undefined;
  await until("the program is seen, or has ended", async () => {
    const parent = await readProcess(hostWorld(SILENT_LOG).files, running.pid).catch(() => undefined);
    // A compiled program is one file, and has no script.
    if (parent?.binary === realpathSync(cinchPath()) || parent?.script?.startsWith("(arguments") === true)
      seen = parent;
    return isOver || seen !== undefined;
  });
  running.kill("SIGKILL");
  await over;
  return seen;
}

/** Passes requests on, and swallows every frame of an event stream that ends a turn. */
async function lossy(request: Request, place: string): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set("host", new URL(place).host);
  const body = request.method === "POST" ? await request.text() : null;
  const answer = await fetch(`${place}${pathname}${search}`, { method: request.method, headers, body });
  if (!(answer.headers.get("content-type") ?? "").startsWith("text/event-stream") || answer.body === null)
    return new Response(answer.body, {
      status: answer.status,
      headers: { "x-proxy": host, "content-type": "application/json" },
    });
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) =>
      controller.enqueue(
        encoder.encode(
          decoder.decode(chunk, { stream: true }).replaceAll(/^id: \d+\nevent: TurnEnded\n.*\n\n/gm, ""),
        ),
      ),
  });
  return new Response(answer.body.pipeThrough(cut), { headers: { "content-type": "text/event-stream" } });
}

test(
  "[CTL-13] a stranger's server that speaks no protocol is recognised, scenario by scenario, and exits with 1",
  async () => {
    using home = cinchHome();
    const handshake = {
      protocol_version: "0.1.0",
      command_kinds: ["SendInput"],
      event_kinds: [],
      features: [],
    };
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) =>
        Response.json(
          new URL(url).pathname === "/v1/handshake" ? handshake : { said: "\u001b[31mred\u001b[0m" },
        ),
    });
    const scenarios = ["turn-completes", "token-required", "thinking-told", "queued-input"];
    const args = ["conformance", "--against", server.url.origin, "--scenario", scenarios.join(",")];
    const env = { CINCH_TOKEN: "any" };
    const { code, stdout } = await runCinch(args, { home, env });
    expect([code, stdout.replace(/ {2,}/g, "  ")]).toEqual([
      1,
      [
        `conformance suite 0.3.0, protocol 0.1.0, against ${server.url.origin}`,
        "failed  rest  turn-completes  A prompt begins a turn that tells the prompt and the answer, and ends as complete.",
        "  checked: what CreateSession answers",
        "  expected:  its sessionId",
        '  came:  {"said":"\\u001b[31mred\\u001b[0m"}',
        "skipped  rest  thinking-told  the server does not serve ThinkingDelta",
        "skipped  rest  queued-input  it is promised since 0.2.0, and the server speaks 0.1.0",
        "failed  rest  token-required  Every address but handshake and health refuses a request without a token: 401, TokenMissing.",
        "  checked: what CreateSession answers",
        "  expected:  its sessionId",
        '  came:  {"said":"\\u001b[31mred\\u001b[0m"}',
        "0 ok, 2 failed, 2 skipped",
        "",
      ].join("\n"),
    ]);
  },
  MS_MAX,
);

test(
  "[CTL-13 CLI-01] a missing server, token or scenario is reported before any scenario runs",
  async () => {
    using home = cinchHome();
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runCinch(["conformance", ...args], {
        home,
        env: { CINCH_TOKEN: "any" },
      });
      return [code, stdout, stderr];
    };
    const said = (text: string) => expect.stringContaining(text);
    expect(await run()).toEqual([2, "", said("needs --against URL")]);
    expect(await run("--against", "ftp://here")).toEqual([2, "", said("unix:///PATH or stdio://COMMAND")]);
    const odd = ["--against", "http://127.0.0.1:9", "--scenario", "turn-completed"];
    expect(await run(...odd)).toEqual([2, "", said("did you mean turn-completes?")]);
    const absent = await run("--against", "stdio:///nowhere/cinch mcp");
    expect(absent).toEqual([2, "", said("stdio:///nowhere/cinch mcp: there is no program /nowhere/cinch")]);
    const echo = await run("--against", "stdio:///bin/cat");
    const refused = "/bin/cat cannot be tested as an MCP server: it refused initialize: Method not found (";
    expect(echo).toEqual([1, "", said(refused)]);
    const mute = await run("--against", "stdio:///bin/true");
    expect(mute).toEqual([1, "", said("it closed its output before it answered initialize")]);
    const noResult = `stdio:///bin/sh -c 'read -r a; echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":0,\\"result\\":{}}"'`;
    const malformed = await run("--against", noResult);
    expect(malformed).toEqual([1, "", said("Invalid result for initialize: protocolVersion: Invalid input")]);
    const nobody = await run("--against", "http://127.0.0.1:9");
    expect(nobody).toEqual([1, "", said("cannot be reached: nothing listens there. Start it")]);
    const lost = await run("--against", "http://127.0.0.1:9", "--auth-token-file", "/nowhere/token");
    expect(lost).toEqual([2, "", said("--auth-token-file /nowhere/token cannot be read")]);
    const bare = await runCinch(["conformance", "--against", "http://127.0.0.1:9"], { home });
    expect([bare.code, bare.stderr]).toEqual([2, said("cinch token --identity-class human --can-mint")]);
  },
  MS_MAX,
);
