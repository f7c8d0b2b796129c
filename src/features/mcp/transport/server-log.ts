import type { LoggingMessageNotification } from "@modelcontextprotocol/client";
import type { Log, LogLevel } from "../../../base/log.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Clock } from "../../../base/world.ts";
import { visibleLine } from "../../../safety/hidden.ts";

const MESSAGE_CHARACTERS_MAX = 500;
/** Messages of one server written per minute. The rest is counted. */
export const MESSAGES_MAX = 60;
const MINUTE_MS = 60_000;

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ["warning", "info"],
  ["error", "warn"],
  ["critical", "warn"],
  ["alert", "warn"],
  ["emergency", "warn"],
]);

/**
 * Returns a handler that writes a server's log messages to the operational log (MCP-06), shortened and limited
 * in number.
 */
export function serverLogHandler(log: Log, clock: Clock): (notification: LoggingMessageNotification) => void {
  let sinceMs = clock.monotonic();
  let written = 0;
  return ({ params: { level, logger, data } }) => {
    const nowMs = clock.monotonic();
    if (nowMs - sinceMs >= MINUTE_MS) {
      if (written > MESSAGES_MAX)
        log.write("info", "the server logged more than is kept", { messages: written - MESSAGES_MAX });
      sinceMs = nowMs;
      written = 0;
    }
    written += 1;
    if (written > MESSAGES_MAX) return;
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    log.write(LEVELS.get(level) ?? "debug", "the server logs", {
      text: shortened(visibleLine(text.slice(0, MESSAGE_CHARACTERS_MAX * 2)), MESSAGE_CHARACTERS_MAX),
      ...(logger === undefined ? {} : { logger: shortened(visibleLine(logger.slice(0, 200)), 100) }),
    });
  };
}
