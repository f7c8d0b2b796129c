import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { openMcpRig } from "../../../test/support/mcp-rig.ts";
import { until } from "../../../test/support/until.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { ToolRefresher } from "./tools/tool-refresher.ts";
import { LAST_WORDS_MS_MAX } from "./transport/stdio.ts";

const { signal } = new AbortController();
const HANG_MS_MAX = 60_000;

/** A server in shell that greets, has one tool, and does something else than to answer a call of it. */
function shellServer(onCall: string) {
  const server = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "sh", version: "1" },
  };
  const tools = { tools: [{ name: "go", inputSchema: { type: "object" } }] };
  const say = (value: object) =>
    `printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" '${JSON.stringify(value).slice(1, -1)}'`;
  const script = `while read -r line; do
    id=\${line##*'"id":'}; id=\${id%%[,\\}]*}
    case "$line" in
    *'"initialize"'*) ${say({ result: server })} ;;
    *'"tools/list"'*) ${say({ result: tools })} ;;
    *'"tools/call"'*) ${onCall} ;;
    *'"id":'*) ${say({ error: { code: -32_601, message: "no such method" } })} ;;
    esac
  done`;
  return { cmd: "/bin/sh", args: ["-c", script] };
}

function failure(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

test(
  "[MCP-03 R23] a server that closes its output and lives on is ended and started again, and its calls do not wait for their limit",
  async () => {
    const unknown = "It is unknown whether the call took effect: find that out before you make it again.";
    for (const [onCall, why, ms] of [
      ["exec >&-; exec sleep 1000", "it closed its output", LAST_WORDS_MS_MAX],
      [
        `printf '{"jsonrpc":"2.0","id"'; exec >&-; exec sleep 1000`,
        "it closed its output",
        LAST_WORDS_MS_MAX,
      ],
      ["exec >&-; echo 'no disk' >&2; exit 3", "it ended with the exit code 3; it said: no disk", 0],
    ] as const) {
      await using rig = openMcpRig();
      await using session = rig.session(rig.spec([], shellServer(onCall)));
      await session.server.connected(signal);
      const calling = session.call("mcp__test__go", {}).catch(failure);
      if (ms > 0) await until("its last words are waited for", () => rig.world.clock.waiting > 0);
      await rig.world.clock.advance(ms);
      expect(await calling).toBe(`«mcp-server-unavailable» test: ${why}. ${unknown}`);
      await rig.whileTimePasses("the restart", () => session.server.state === "running");
      expect(session.events).toEqual([]);
    }
  },
  HANG_MS_MAX,
);

test(
  "[MCP-06 REL-04 R21] a server that always has one more page of tools has those of the first pages, however long they are",
  async () => {
    for (const [characters, pages] of [
      [10, 64],
      [6_000_000, 3],
    ] as const) {
      await using rig = openMcpRig();
      await using session = rig.session(rig.spec([`page-characters=${characters}`]));
      await session.server.connected(signal);
      const asked = rig.journal().messages.filter(({ method }) => method === "tools/list");
      expect([session.server.state, asked.length]).toEqual(["running", pages]);
      expect(session.source.tools().length).toBe(characters < 65_536 ? pages : 0);
    }
  },
  HANG_MS_MAX,
);

test(
  "[MCP-06 R23] answers to a call that was cancelled, and to none, reach nobody, and are no more than some lines in the log",
  async () => {
    const lines: string[] = [];
    const log = { for: () => log, write: (_level: string, message: string) => void lines.push(message) };
    await using rig = openMcpRig({ log });
    await using session = rig.session(rig.spec(["answers-late"]));
    await session.server.connected(signal);
    const stop = new AbortController();
    const waiting = session.call("mcp__test__wait", {}, stop.signal);
    await until("the call is under way", () =>
      rig.journal().messages.some(({ method }) => method === "tools/call"),
    );
    stop.abort(new Error("given up"));
    await expect(waiting).rejects.toThrow("given up");
    await until(
      "all that came late was read",
      () => rig.journal().messages.filter(({ method }) => method === "tools/list").length > 1,
    );
    expect(await session.call("mcp__test__echo", { text: "mine" })).toBe("echo: mine");
    expect(lines.filter((line) => line === "the connection reported an error").length).toBe(200);
    expect(lines).toContain("further errors are not logged");
  },
  HANG_MS_MAX,
);

test("[MCP-06 REL-04] a server that keeps saying that its tools are others is asked ever more rarely, and soon again once it was quiet", async () => {
  const clock = fakeClock();
  const life = new AbortController();
  const asked: number[] = [];
  let isRestless = true;
  const listing: ToolRefresher = new ToolRefresher({
    clock,
    log: SILENT_LOG,
    signal: life.signal,
    async list() {
      asked.push(clock.monotonic());
      await Promise.resolve();
      if (isRestless) listing.refresh();
    },
  });
  const start = clock.monotonic();
  listing.refresh();
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await clock.advance(1_000);
  };
  await pass(300);
  expect(asked.map((ms) => (ms - start) / 1_000)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  isRestless = false;
  await pass(120);
  asked.length = 0;
  listing.refresh();
  listing.refresh();
  await pass(1);
  expect(asked.length).toBe(2);
  life.abort(new Error("the server is closed"));
});
