import { expect, test } from "bun:test";
import { SESSIONS_END_MS_MAX } from "../../app/serving/control-plane.ts";
import { PROVIDER_STOP_MS_MAX } from "../../engine/loop/provider-answer.ts";
import { SHUTDOWN_MS_MAX } from "../../features/mcp/transport/stdio.ts";
import { KILL_WAIT_MS_MAX, TERM_GRACE_MS } from "../../platform/processes/process-group.ts";
import { DRAIN_MS_MAX } from "../../server/http/server.ts";
import { TOOL_STOP_MS_MAX } from "../../tools/chain/time-limit.ts";
import { CANCEL_MS_MAX } from "../commands/prompt/turn.ts";
import { SERVE_CLOSE_MS_MAX } from "../commands/serve/run.ts";
import { CLOSE_MS_MAX } from "./within.ts";

test("[MCP-05 REL-04] a run waits at its end until a server that does not go has been asked, and killed", () => {
  const server = SHUTDOWN_MS_MAX + TERM_GRACE_MS + KILL_WAIT_MS_MAX;
  expect(CLOSE_MS_MAX).toBeGreaterThanOrEqual(server + 1_000);
});

test("[ENG-09 ENG-22 LIFE-02] whoever waits for a cancelled turn waits longer than the turn waits for what ignores its cancel", () => {
  const turnMs = Math.max(TOOL_STOP_MS_MAX, PROVIDER_STOP_MS_MAX);
  expect(TOOL_STOP_MS_MAX).toBeGreaterThan(TERM_GRACE_MS);
  for (const waitMs of [CANCEL_MS_MAX, SESSIONS_END_MS_MAX])
    expect(waitMs).toBeGreaterThanOrEqual(turnMs + 1_000);
  for (const closeMs of [CLOSE_MS_MAX, SERVE_CLOSE_MS_MAX])
    expect(closeMs).toBeGreaterThanOrEqual(SESSIONS_END_MS_MAX + DRAIN_MS_MAX);
});
