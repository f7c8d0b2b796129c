import { join } from "node:path";
import { version } from "../../package.json";
import type { World } from "../base/world.ts";
import type { McpPool } from "../mcp-client/pool.ts";
import type { HarnessPaths } from "./options.ts";
import type { Providers } from "./providers.ts";

/** The MCP servers of one engine, which its sessions share (MCP-05). Nothing is loaded before one has any. */
export interface EngineServers extends AsyncDisposable {
  pool(): Promise<McpPool>;
}

export function engineServers(parts: {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly providers: Pick<Providers, "credentials">;
}): EngineServers {
  let opening: Promise<McpPool> | undefined;
  return {
    pool() {
      opening ??= openPool(parts);
      return opening;
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}

async function openPool({ world, paths, providers }: Parameters<typeof engineServers>[0]): Promise<McpPool> {
  const [{ McpPool }, { Records }, { elicit }, { serverLog }] = await Promise.all([
    import("../mcp-client/pool.ts"),
    import("../mcp-client/records.ts"),
    import("../mcp-client/elicitation.ts"),
    import("../mcp-client/server-log.ts"),
  ]);
  return new McpPool({
    world,
    version,
    records: new Records(join(paths.config, "mcp-servers"), world.random),
    async openAddress(spec, log) {
      const { openRemote } = await import("../mcp-client/http.ts");
      const { clock, fetch } = world;
      const ports = { clock, fetch, log, authorized: providers.credentials.send };
      return await openRemote(spec, ports, { callMsMax: spec.callMsMax });
    },
    prepare(client, server) {
      client.setRequestHandler("elicitation/create", ({ params }) =>
        elicit(server.spec.name, params, server.asking),
      );
      const log = world.log.for(`mcp.${server.spec.name}`);
      client.setNotificationHandler("notifications/message", serverLog(log, world.clock));
    },
  });
}
