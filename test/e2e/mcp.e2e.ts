import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../../src/base/ids.ts";
import { BANNER, RUN_TOOL } from "../../src/server/mcp/mcp-names.ts";
import { INPUT_LINE_BYTES_MAX } from "../../src/server/mcp/stdio/lines.ts";
import { runCinch } from "../support/cinch.ts";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { isRunning, signalIfRunning } from "../support/processes.ts";
import { until } from "../support/until.ts";

const LIMIT_MS = 300_000;

const TOOLS = [
  "harness.create_session",
  "harness.list_sessions",
  "harness.attach_session",
  "harness.detach_session",
  "harness.run_agent_with_shell_access",
  "harness.wait_for_turn",
  "harness.cancel_turn",
  "harness.answer_permission",
  "harness.set_model",
  "harness.enter_plan_mode",
  "harness.exit_plan_mode",
  "harness.end_session",
];

for (const era of ["legacy", "modern"] as const) {
  test(
    `[CTL-08] an agent runs the inner agent over standard input and output and learns what it said and took (${era} era)`,
    async () => {
      await using place = await openMcpPlace([
        calls("Read", { file_path: "missing.txt" }),
        says("There is no such file."),
        says("Twice."),
      ]);
      await using mcp = await place.client({ era });
      const { client } = mcp;
      expect(client.getNegotiatedProtocolVersion()).toBe(era === "legacy" ? "2025-11-25" : "2026-07-28");
      expect(client.getInstructions()).toBe(BANNER);
      expect(client.getServerCapabilities()?.experimental?.["harness/v1"]).toMatchObject({
        protocol_version: "0.3.0",
        command_kinds: expect.arrayContaining(["SendInput"]),
        features: expect.arrayContaining(["mcpserver_stdio"]),
        resource_uri_scheme: "harness/v1",
      });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS);

      const first = await mcp.call(RUN_TOOL, { prompt: "look" });
      const [sessionId] = [first.facts["sessionId"]];
      const summary = { cost: null, turns: 2, tools_used: ["Read"] };
      expect(first).toEqual({
        isError: false,
        texts: [
          "There is no such file.",
          JSON.stringify({ ...summary, reason: "complete", sessionId }),
          BANNER,
        ],
        facts: {
          ...summary,
          usage: {
            calls: 2,
            input_tokens: 200,
            output_tokens: 40,
            cache_read_tokens: 0,
            cache_write_tokens: 0,
          },
          refused: 0,
          ...{ reason: "complete", sessionId, text: "There is no such file.", ended: true },
        },
        meta: expect.objectContaining(summary),
      });
      const again = await mcp.call("harness.wait_for_turn", { prompt: "again" });
      expect([again.texts[0], again.facts["sessionId"], again.texts.length]).toEqual([
        "Twice.",
        sessionId,
        2,
      ]);
    },
    LIMIT_MS,
  );

  test(
    `[CTL-08 CTL-14] input that is not waited for is followed as a resource, from where it was sent (${era} era)`,
    async () => {
      await using place = await openMcpPlace([says("first"), says("second")]);
      await using mcp = await place.client({ era });
      await mcp.call(RUN_TOOL, { prompt: "one" });
      const sent = await mcp.call(RUN_TOOL, { prompt: "two", wait: "none" });
      expect(sent.facts["ended"]).toBe(false);
      const uri = String(sent.facts["events"]);
      if (era === "legacy") await mcp.client.subscribeResource({ uri });
      else await mcp.client.listen({ resourceSubscriptions: [uri] });
      const ended = () => mcp.updates.find(({ contents }) => contents?.kind === "TurnEnded");
      await until("the turn's end was told", () => ended() !== undefined, LIMIT_MS);
      const events = mcp.updates.map(({ contents }) => contents);
      const since = Number(/since=(\d+)$/.exec(uri)?.[1]);
      expect(new Set(mcp.updates.map((update) => update.uri))).toEqual(new Set([uri]));
      // Nothing of the turn before it.
      expect(events[0]).toMatchObject({ id: since + 1, kind: "TurnStarted", payload: { turn: 2 } });
      expect(events.map((event) => event?.id)).toEqual(events.map((_event, at) => since + 1 + at));
    },
    LIMIT_MS,
  );
}

test(
  "[CTL-08 AUTH-09 AUTH-02] a missing or invalid token is reported where the user sees it, and nothing is served",
  async () => {
    await using place = await openMcpPlace([]);
    const expired = await place.oldToken();
    const elsewhere = place.token({ wire: "unix" });
    const revoked = place.token();
    const { jti } = await place.authority.verify(revoked, "stdio");
    await place.authority.revoke(jti);
    const [, signature = ""] = place.token().split(".");
    const forged = `${place.token({ identityClass: "human" }).split(".")[0]}.${signature}`;
    const refusals = [
      [null, "TokenMissing"],
      ["", "TokenMissing"],
      ["AAAA.BBBB", "TokenInvalid"],
      [forged, "TokenInvalid"],
      [elsewhere, "TokenNotHere"],
      [revoked, "TokenRevoked"],
      [expired, "TokenExpired"],
    ] as const;
    for (const [token, reason] of refusals) {
      await using raw = place.start({ token });
      const { error } = await raw.initialize();
      expect([error?.data?.reason, error?.message]).toEqual([reason, expect.stringMatching(/token/)]);
      expect([await raw.cinch.exited, await raw.cinch.stderr]).toEqual([
        2,
        expect.stringContaining(`(${reason})`),
      ]);
    }
    expect(place.provider.requests).toEqual([]);
  },
  LIMIT_MS,
);

test(
  "[AUTH-09] a program that nobody has let in is refused where no person can be asked, in words that its user sees",
  async () => {
    await using place = await openMcpPlace([], { isAttested: false });
    await using raw = place.start();
    const { error } = await raw.initialize();
    expect(error?.data?.reason).toBe("ParentRefused");
    expect(error?.message).toContain("mcp-parents.lock");
    expect(await raw.cinch.exited).toBe(5);
    expect(await raw.cinch.stderr).toContain("(ParentRefused)");
  },
  LIMIT_MS,
);

test(
  "[AUTH-09] the token is in no argument and in no environment that a tool sees, and comes from a file too",
  async () => {
    const reveal =
      "env | grep -c CINCH_TOKEN ; tr '\\0' ' ' < /proc/$PPID/cmdline | grep -c 'ey[A-Za-z0-9_-]*[.]' ; echo over";
    await using place = await openMcpPlace([calls("Bash", { command: reveal }), says("looked")]);
    const token = place.token();
    const file = join(place.home.path, "config/cinch/token.json");
    writeFileSync(file, JSON.stringify({ token }), { mode: 0o400 });
    await using raw = place.start({
      token: null,
      flags: ["--no-listen", "--auto-approve", "--auth-token-file", file],
    });
    await raw.initialize();
    const ran = await raw.request(1, "tools/call", { name: RUN_TOOL, arguments: { prompt: "look" } });
    expect(ran.result?.["structuredContent"]).toMatchObject({ text: "looked", tools_used: ["Bash"] });
    const seen = JSON.stringify(place.provider.requests.at(-1)?.body);
    expect(seen).toContain("0\\n0\\nover");
    expect(readFileSync(`/proc/${raw.cinch.pid}/cmdline`, "utf8")).not.toContain(token);
  },
  LIMIT_MS,
);

test(
  "[CTL-08 AUTH-09] with keys in the environment the token still reaches the server, and the tools see neither",
  async () => {
    const reveal = "env | grep -cE 'CINCH_TOKEN|OPENAI_API_KEY' ; echo over";
    await using place = await openMcpPlace([calls("Bash", { command: reveal }), says("looked")]);
    await using raw = place.start({
      flags: ["--no-listen", "--auto-approve"],
      env: { OPENAI_API_KEY: "sk-test-0123456789abcdef0123456789abcdef" },
    });
    await raw.initialize();
    const ran = await raw.request(1, "tools/call", { name: RUN_TOOL, arguments: { prompt: "look" } });
    expect(ran.result?.["structuredContent"]).toMatchObject({ text: "looked", tools_used: ["Bash"] });
    expect(JSON.stringify(place.provider.requests.at(-1)?.body)).toContain("0\\nover");
  },
  LIMIT_MS,
);

test(
  "[AUTH-09 CTL-08] who asks and closes its end at once is answered: as usual where it is known, else that nobody can be asked",
  async () => {
    const first = { id: 1, method: "initialize", params: INITIALIZE_PARAMS };
    for (const isAttested of [true, false]) {
      await using place = await openMcpPlace([], { isAttested });
      await using raw = place.start();
      raw.send(first);
      raw.cinch.closeStdin();
      const { result, error } = await raw.answerTo(1);
      if (isAttested) {
        expect([result?.["protocolVersion"], await raw.cinch.exited]).toEqual(["2025-11-25", 0]);
        continue;
      }
      expect(error?.data?.reason).toBe("ParentRefused");
      expect(error?.message).toContain("closed its end before a person could be asked");
      expect(await raw.cinch.exited).toBeGreaterThan(0);
    }
  },
  LIMIT_MS,
);

test(
  "[CTL-08 AUTH-07] one process works with one session: from the first on it sees no other and begins no other",
  async () => {
    await using place = await openMcpPlace([says("one"), says("two")]);
    let earlier: string;
    {
      await using first = await place.client();
      earlier = String((await first.call(RUN_TOOL, { prompt: "one" })).facts["sessionId"]);
    }
    await using mcp = await place.client();
    const created = await mcp.call("harness.create_session", { profile: "default" });
    const own = String(created.facts["sessionId"]);
    expect(created.texts.at(-1)).toBe(BANNER);
    expect(own).not.toBe(earlier);
    const listed = await mcp.call("harness.list_sessions", { past: true });
    expect(listed.facts).toMatchObject({ sessions: [{ session: own }] });
    const refusal = async (name: string, args: object) => {
      const { isError, meta } = await mcp.call(name, { ...args });
      return isError ? meta["reason"] : "allowed";
    };
    expect(await refusal("harness.create_session", {})).toBe("InvalidCommand");
    expect(await refusal("harness.attach_session", { sessionId: earlier })).toBe("Forbidden");
    expect(await refusal(RUN_TOOL, { prompt: "two", sessionId: earlier })).toBe("Forbidden");
    expect(await refusal("harness.end_session", { sessionId: earlier })).toBe("Forbidden");
    const log = mcp.client.readResource({ uri: `harness/v1://session/${earlier}/log` });
    expect(await log.catch((thrown: unknown) => thrown)).toMatchObject({ data: { reason: "Forbidden" } });
    expect((await mcp.call(RUN_TOOL, { prompt: "two" })).facts).toMatchObject({
      sessionId: own,
      text: "two",
    });
    expect((await mcp.call("harness.end_session")).isError).toBe(false);
    expect((await mcp.call("harness.attach_session", { sessionId: own })).isError).toBe(false);
  },
  LIMIT_MS,
);

test(
  "[CTL-08 AUTH-07] a token for one session continues with it where it was left, and with nothing else",
  async () => {
    await using place = await openMcpPlace([says("one"), says("two")]);
    let earlier: string;
    {
      await using first = await place.client();
      earlier = String((await first.call(RUN_TOOL, { prompt: "the first words" })).facts["sessionId"]);
    }
    const token = place.token({ sessions: [earlier as SessionId] });
    await using mcp = await place.client({ token });
    expect((await mcp.call("harness.create_session")).meta["reason"]).toBe("InvalidCommand");
    expect((await mcp.call(RUN_TOOL, { prompt: "and the next" })).texts[0]).toBe("two");
    expect(JSON.stringify(place.provider.requests.at(-1)?.body)).toContain("the first words");
  },
  LIMIT_MS,
);

test(
  "[CTL-08] lines that are no requests are answered as such, one that is too long too, and the server continues",
  async () => {
    await using place = await openMcpPlace([says("still here")]);
    await using raw = place.start();
    expect((await raw.request("early", "tools/list")).error?.data?.reason).toBe("HandshakeRequired");
    await raw.initialize();
    const garbage = [
      ["{", -32_700],
      ["\u0000\u0001\u0002", -32_700],
      ['{"jsonrpc":"2.0"', -32_700],
      ["null", -32_600],
      ["[]", -32_600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600],
      ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32_600],
      [`${"[".repeat(1_000)}${"]".repeat(1_000)}`, -32_700],
    ] as const;
    for (const [line, code] of garbage) {
      raw.cinch.write(`${line}\n`);
      expect([line, (await raw.answerTo(null)).error?.code]).toEqual([line, code]);
    }
    raw.cinch.write("\n\r\n");
    raw.cinch.write(`{"jsonrpc":"2.0","id":9,"method":"ping","pad":"${"x".repeat(INPUT_LINE_BYTES_MAX)}"}\n`);
    expect((await raw.answerTo(null)).error?.message).toContain(`${INPUT_LINE_BYTES_MAX}`);
    raw.send({ id: 77, result: { nobody: "asked" } });
    raw.send({ method: "notifications/cancelled", params: { requestId: [1] } });
    expect((await raw.request(2, "engine/explode")).error?.code).toBe(-32_601);
    expect((await raw.request(3, "tools/call", { name: 7 })).error?.code).toBe(-32_602);
    expect((await raw.request(4, "tools/call", { name: "harness.explode" })).error?.code).toBe(-32_602);
    expect((await raw.request(5, "resources/read", { uri: {} })).error?.message).toContain("uri");
    const wrong = await raw.request(6, "tools/call", { name: RUN_TOOL, arguments: { prompt: ["a"] } });
    expect(wrong.result?.["isError"]).toBe(true);
    const half = `{"jsonrpc":"2.0","id":7,"method":"ping"}`;
    raw.cinch.write(half.slice(0, 11));
    raw.cinch.write(`${half.slice(11)}\n`);
    expect((await raw.answerTo(7)).result).toEqual({});
    const ran = await raw.request(8, "tools/call", { name: RUN_TOOL, arguments: { prompt: "go" } });
    expect(ran.result?.["structuredContent"]).toMatchObject({ text: "still here" });
  },
  LIMIT_MS,
);

test(
  "[CTL-08] it ends when its input ends, whatever runs, and answers what was asked just before",
  async () => {
    await using place = await openMcpPlace([{ ...says("slow"), fault: { kind: "stall", at: "headers" } }]);
    await using idle = place.start();
    idle.send({ id: 1, method: "initialize", params: INITIALIZE_PARAMS });
    idle.send({ id: 2, method: "tools/list" });
    idle.cinch.closeStdin();
    expect((await idle.answerTo(2)).result).toMatchObject({ tools: expect.any(Array) });
    expect([await idle.cinch.exited, await idle.cinch.stderr]).toEqual([0, ""]);

    await using busy = place.start();
    await busy.initialize();
    busy.send({ id: 1, method: "tools/call", params: { name: RUN_TOOL, arguments: { prompt: "go" } } });
    await place.provider.until(({ stalled }) => stalled > 0);
    busy.cinch.closeStdin();
    expect([await busy.cinch.exited, await busy.cinch.stderr]).toEqual([0, ""]);
  },
  LIMIT_MS,
);

test(
  "[CTL-08 AUTH-05] a token that is revoked ends the process, which says why",
  async () => {
    await using place = await openMcpPlace([says("one")]);
    const token = place.token();
    await using raw = place.start({ token });
    await raw.initialize();
    expect((await raw.request(0, "ping")).result).toEqual({}); // so that nothing that came before is looked at later
    const { jti } = await place.authority.verify(token, "stdio");
    await place.authority.revoke(jti);
    const after = await raw.request(1, "tools/list");
    expect(after.error?.data?.reason).toBe("TokenRevoked");
    expect(await raw.cinch.exited).toBe(2);
    expect(await raw.cinch.stderr).toContain("(TokenRevoked)");
  },
  LIMIT_MS,
);

test(
  "[CTL-08] an agent that never reads is read no further, holds nobody up, and finds everything when it does",
  async () => {
    await using place = await openMcpPlace([]);
    await using raw = place.start();
    await raw.initialize();
    // 30 MB of answers, and a pipe that holds 64 kB of them.
    const count = 3_000;
    const lists = Array.from({ length: count }, (_each, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/list",
    }));
    raw.cinch.write(lists.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const pages = Number(readFileSync(`/proc/${raw.cinch.pid}/statm`, "utf8").split(" ")[1]);
    expect(pages * 4_096).toBeLessThan(600_000_000);
    for (let id = 0; id < count; id += 1)
      expect((await raw.answerTo(id)).error?.data?.reason).toBeUndefined();
  },
  LIMIT_MS,
);

test(
  "[CTL-08 CTL-11 CTL-12] without --no-listen it works in the engine that others attach to, where a person can watch and permit",
  async () => {
    await using place = await openMcpPlace([says("one")]);
    await using mcp = await place.client({ flags: [], name: "outer agent" });
    const ran = await mcp.call(RUN_TOOL, { prompt: "one" });
    expect(ran.texts[0]).toBe("one");
    const { contents } = await mcp.client.readResource({ uri: "harness/v1://runtime" });
    const [content] = contents;
    const { pid } = JSON.parse(content !== undefined && "text" in content ? content.text : "{}");
    expect(pid).not.toBe(process.pid);
    const listed = await runCinch(["sessions", "list", "--json"], { home: place.home, cwd: place.work });
    expect(listed.stdout).toContain(String(ran.facts["sessionId"]));
    signalIfRunning(pid, "SIGTERM");
    await until("the engine has ended", () => !isRunning(pid));
  },
  LIMIT_MS,
);

const INITIALIZE_PARAMS = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};
