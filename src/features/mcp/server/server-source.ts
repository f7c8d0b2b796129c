import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import type { Ask } from "../../../session/questions.ts";
import type { Tool, ToolSource } from "../../../tools/tool.ts";
import type { ToolDefinition } from "../tools/definition.ts";
import { mcpTool } from "../tools/mcp-tool.ts";
import { namedTools } from "../tools/names.ts";
import type { ServerEvent } from "./server-dependencies.ts";
import type { SharedServer } from "./shared-server.ts";

/**
 * The longest time that a request or a tool search waits for a server to start. It then continues without the server.
 */
export const START_WAIT_MS_MAX = 10_000;
/** After this time the wait is reported. */
const SLOW_MS = 1_000;

export interface SourceDependencies {
  readonly clock: Clock;
  /** Asks the people subscribed to the session; undefined before it is served. */
  readonly ask: () => Ask | undefined;
  /** Receives the waits of this session. */
  readonly onEvent: (event: ServerEvent) => void;
  /** Receives the tools whenever they change. */
  readonly onTools?: (tools: readonly Tool[]) => void;
}

/**
 * Returns the tools of one server in one session (MCP-02).
 *
 * Eager: the first request waits for them and declares them. Lazy: the server starts at the first tool search, or at
 * a call of a remembered tool. Without `discovery`, the number of tools at the last start decides.
 */
export function serverSource(
  server: SharedServer,
  { clock, ask, onEvent: tell, onTools }: SourceDependencies,
): ToolSource {
  const { spec, known } = server;
  let made:
    | { readonly of: readonly ToolDefinition[]; readonly isLazy: boolean; readonly tools: readonly Tool[] }
    | undefined;
  let waitedFor: Promise<unknown> | undefined;

  function isLazy(): boolean {
    if (spec.discovery !== undefined) return spec.discovery === "lazy";
    return known.tools.length > spec.eagerToolsMax;
  }

  return {
    name: `mcp:${spec.name}`,
    tools() {
      const lazy = isLazy();
      if (made?.of === known.tools && made.isLazy === lazy) return made.tools;
      const tools = namedTools(spec.name, known.tools).map((named) =>
        mcpTool({ ...named, server, lazy, ask }),
      );
      made = { of: known.tools, isLazy: lazy, tools };
      onTools?.(tools);
      return tools;
    },
    late: {
      get awaited() {
        return !isLazy();
      },
      origins: [spec.name],
      async ready(signal) {
        await server.retryAfterLogin();
        if (server.state === "running" || server.problem !== undefined) return;
        const starting = server.connected(signal);
        starting.catch(() => undefined);
        if (server.starting === waitedFor && waitedFor !== undefined) return; // it was waited for long enough
        using limit = deadline(clock, START_WAIT_MS_MAX, signal);
        using _slow = clock.timer(SLOW_MS, () => tell({ kind: "slow", waitMsMax: START_WAIT_MS_MAX }));
        try {
          await whileAlive(Promise.race([starting, server.firstFailure]), limit.signal);
        } catch (thrown) {
          signal.throwIfAborted();
          if (limit.reached) {
            waitedFor = server.starting;
            tell({ kind: "late", waitMsMax: START_WAIT_MS_MAX });
          } else if (!(thrown instanceof HarnessError)) throw thrown;
        }
      },
    },
  };
}
