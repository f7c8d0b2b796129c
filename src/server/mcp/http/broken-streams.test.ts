import { expect, test } from "bun:test";
import { openControlRig, StreamReader } from "../../../../test/support/control-rig.ts";
import { INITIALIZE, post } from "../../../../test/support/mcp-http.ts";
import { failed, fakeTool, ok } from "../../../../test/support/rig.ts";
import { calls, says } from "../../../../test/support/scripted-provider.ts";
import type { Questions } from "../../../session/questions/questions.ts";
import type { ToolMiddleware } from "../../../tools/middleware.ts";
import { RUN_TOOL } from "../mcp-names.ts";
import { RETRY_MS } from "./http-session.ts";

const VERSION = { "mcp-protocol-version": "2025-11-25" };

for (const comesBack of ["while the turn still runs", "after its end"] as const) {
  test(`[CTL-09] a client that loses the connection while it waits for a turn gets where to continue and when, and gets the answer ${comesBack}, once`, async () => {
    const touch = fakeTool("Touch", () => ok("touched"));
    await using control = await openControlRig({
      script: [calls({ name: "Touch" }), says("all done")],
      tools: [touch],
      gate: (questions) => [asksFirst(questions)],
    });
    const sessionId = control.rig.session.id;
    const token = control.mint({ identityClass: "agent" });
    const begun = await post(control, INITIALIZE, { token });
    const own = { ...VERSION, "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    await begun.text();
    await post(control, { jsonrpc: "2.0", method: "notifications/initialized" }, { token, headers: own });

    const call = { name: RUN_TOOL, arguments: { prompt: "go", sessionId } };
    const request = { jsonrpc: "2.0", id: 7, method: "tools/call", params: call };
    const first = new StreamReader(await post(control, request, { token, headers: own }));
    await first.until((text) => text.includes("data:"));
    const [, lastId = "", retryMs] = /^id: (\d+)\nretry: (\d+)\ndata: \n\n/m.exec(first.text) ?? [];
    expect(Number(retryMs)).toBe(RETRY_MS);
    const asked = await control.rig.until("PermissionRequested");
    await first.leave();

    const goOn = async () => {
      const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...own };
      return new StreamReader(
        await fetch(`${control.url}/mcp`, { headers: { ...headers, "last-event-id": lastId } }),
      );
    };
    const { callId } = asked.payload;
    const permit = () =>
      control.rig.connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "allow" });
    let second: StreamReader;
    if (comesBack === "after its end") {
      await permit();
      await control.rig.until("TurnEnded");
      second = await goOn();
    } else {
      second = await goOn();
      await permit();
    }
    await second.until((text) => text.includes('"id":7'));
    const answers = second.text.split("\n").filter((line) => line.includes('"id":7'));
    expect(answers).toHaveLength(1);
    expect(JSON.parse(answers[0]?.replace("data: ", "") ?? "")).toMatchObject({
      id: 7,
      result: { structuredContent: { text: "all done", tools_used: ["Touch"], reason: "complete" } },
    });
    await second.leave();
  });
}

/** A person permits each call before it runs. */
function asksFirst(questions: Questions): ToolMiddleware {
  return async function asksFirst(call, context, next) {
    const { originator } = context;
    const question = { callId: call.id, tool: call.name, args: call.input, originator, summary: call.name };
    const answer = await questions.askPermission(question, context.signal);
    const allowed = answer.kind === "answered" && answer.decision === "allow";
    return allowed ? await next(call, context) : failed(`refused: ${answer.kind}`);
  };
}
