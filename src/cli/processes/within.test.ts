import { expect, test } from "bun:test";
import { SHUTDOWN_MS_MAX } from "../../features/mcp/transport/stdio.ts";
import { KILL_WAIT_MS_MAX, TERM_GRACE_MS } from "../../platform/processes/process-group.ts";
import { CLOSE_MS_MAX } from "./within.ts";

test("[MCP-05 REL-04] a run waits at its end until a server that does not go has been asked, and killed", () => {
  const server = SHUTDOWN_MS_MAX + TERM_GRACE_MS + KILL_WAIT_MS_MAX;
  expect(CLOSE_MS_MAX).toBeGreaterThanOrEqual(server + 1_000);
});
