import { unreachable } from "../../../base/assert.ts";
import { HarnessError } from "../../../base/errors.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { ServerEvent } from "../server/server-dependencies.ts";

const REASON_CHARACTERS_MAX = 1_000;
const SECOND_MS = 1_000;

/** Returns what the clients of a session get of a server. */
export function serverEvent(name: string, event: ServerEvent): Event {
  switch (event.kind) {
    case "down": {
      const reason = shortened(visibleLine(event.reason), REASON_CHARACTERS_MAX);
      return { kind: "MCPServerDown", payload: { name, reason, attempts: event.attempts } };
    }
    case "failing": {
      const why = shortened(visibleLine(event.reason), REASON_CHARACTERS_MAX);
      return errorEvent(new HarnessError("McpStartFailed", { name, why }));
    }
    case "slow":
    case "late": {
      const seconds = String(event.waitMsMax / SECOND_MS);
      const reason = event.kind === "slow" ? "McpStartSlow" : "McpStartLate";
      const { message } = new HarnessError(reason, { name, seconds });
      return { kind: "Error", payload: { reason, message, severity: "notice" } };
    }
    case "refused":
      return errorEvent(event.error);
    case "changed": {
      const tools = shortened(event.tools.map(visibleLine).join(", "), REASON_CHARACTERS_MAX);
      return errorEvent(new HarnessError("McpToolsChanged", { name, tools }));
    }
    default:
      return unreachable(event);
  }
}

/** Returns the event of a failure that ends nothing. */
export function errorEvent({ reason, message }: HarnessError): Event {
  return { kind: "Error", payload: { reason, message } };
}
