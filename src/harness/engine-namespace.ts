import { HarnessError } from "../base/errors.ts";
import type { NamespaceOwner } from "../control/multiplex/keeping.ts";
import { listedCommand, SLASH_COMMANDS } from "../protocol/slash-commands.ts";
import type { HealthSources } from "./health.ts";
import { healthText } from "./health.ts";
import type { OfferedBySessions } from "./session-offers.ts";

const VERBS = ["commands", "health", "mcp", "web"] as const;

export interface EngineNamespaceSources extends HealthSources {
  readonly offered: OfferedBySessions;
  /** Where the web client of this engine is; undefined where none is served. */
  readonly webAddress?: string;
}

/**
 * The custom commands `engine:…`, so that every client can ask for what is elsewhere an address of REST: `commands` (the
 * slash commands of a session, `{slash_commands}`), `mcp` (its servers, `{mcp_servers}`), `health` and `web` (`{text}`
 * for people).
 */
export function engineNamespace(sources: EngineNamespaceSources): NamespaceOwner {
  return async ({ sessionId, verb }) => {
    switch (VERBS.find((known) => known === verb)) {
      case "commands":
        return {
          result: {
            slash_commands: [...SLASH_COMMANDS, ...(await sources.offered.slashCommands(sessionId))].map(
              listedCommand,
            ),
          },
        };
      case "health":
        return { result: { text: await healthText(sources) } };
      case "mcp":
        return { result: { mcp_servers: sources.offered.mcpServers(sessionId) } };
      case "web":
        return { result: { text: sources.webAddress ?? "This engine serves no web client." } };
      default: {
        const why = `there is no engine:${verb}; there are: ${VERBS.join(", ")}`;
        throw new HarnessError("InvalidCommand", { kind: "CustomCommand", why });
      }
    }
  };
}
