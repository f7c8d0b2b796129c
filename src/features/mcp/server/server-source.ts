import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import type { Ask } from "../../../session/questions.ts";
import type { Tool, ToolSource } from "../../../tools/tool.ts";
import type { Definition } from "../tools/definition.ts";
import { mcpTool } from "../tools/mcp-tool.ts";
import { namedTools } from "../tools/names.ts";
import type { ServerEvent } from "./server-ports.ts";
import type { SharedServer } from "./shared-server.ts";

/** How long a request, or a search for tools, waits for a server that is being started; it goes on without it then. */
export const START_WAIT_MS_MAX = 10_000;
/** After this much of it people are told what is waited for. */
const SLOW_MS = 1_000;

export interface SourceParts {
  readonly clock: Clock;
  /** Whoever follows the session; undefined before it is served. */
  readonly ask: () => Ask | undefined;
  /** Told of waits of this session. */
  readonly tell: (event: ServerEvent) => void;
  /** Told of the tools that there are, each time that they are others. */
  readonly onTools?: (tools: readonly Tool[]) => void;
}

/**
 * The tools of one server in one session (MCP-02).
 *
 * Eager: the first request waits for them, and declares them. Lazy: the server is started when somebody looks for tools, or
 * calls one that is known from before. Where the declaration leaves it open, their number decides, as it was the last time.
 */
export function serverSource(server: SharedServer, { clock, ask, tell, onTools }: SourceParts): ToolSource {
  const { spec, known } = server;
  let made:
    | { readonly of: readonly Definition[]; readonly isLazy: boolean; readonly tools: readonly Tool[] }
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
        await server.lookForLogin();
        if (server.state === "running" || server.problem !== undefined) return;
        const starting = server.connected(signal);
        starting.catch(() => undefined);
        if (server.starting === waitedFor && waitedFor !== undefined) return; // it was waited for long enough
        using limit = deadline(clock, START_WAIT_MS_MAX, signal);
        using _slow = clock.timer(SLOW_MS, () => tell({ kind: "slow", waitMsMax: START_WAIT_MS_MAX }));
        try {
          await whileAlive(Promise.race([starting, server.failed]), limit.signal);
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
