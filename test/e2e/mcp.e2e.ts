import { expect, test } from "bun:test";
import { BANNER, RUN_TOOL } from "../../src/control/mcp-server/words.ts";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { until } from "../support/until.ts";

const LIMIT_MS = 120_000;

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
        protocol_version: "0.2.0",
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
        facts: { ...summary, reason: "complete", sessionId, text: "There is no such file.", ended: true },
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
      expect(events[0]).toMatchObject({ id: since + 1, kind: "TurnStarted" });
      expect(events.map((event) => event?.id)).toEqual(events.map((_event, at) => since + 1 + at));
    },
    LIMIT_MS,
  );
}
