import { join } from "node:path";
import { version } from "../../../package.json";
import { KEY_STORE_FILE } from "../../credentials/store/key-store.ts";
import type { EngineHost } from "../../session/host.ts";
import { McpPool } from "./server/pool.ts";
import { ServerRecords } from "./server/server-records.ts";
import { serverLogHandler } from "./transport/server-log.ts";

/** Opens the pool of an engine's MCP servers. It connects servers to the engine's credentials, log and elicitation. */
export function openMcpPool({ world, paths, models }: EngineHost): McpPool {
  return new McpPool({
    world,
    version,
    log: `${join(paths.state, "log")}/`,
    async logins() {
      const keyStore = await world.files.stat(join(paths.config, KEY_STORE_FILE));
      return keyStore === undefined ? "" : `${keyStore.identity} ${keyStore.modifiedMs} ${keyStore.size}`;
    },
    records: new ServerRecords(join(paths.config, "mcp-servers"), world.random),
    async openRemote(spec, log) {
      const { openHttpTransport } = await import("./transport/http.ts");
      const { clock, fetch } = world;
      const ports = { clock, fetch, log, authorized: models.authorizedFetch };
      return await openHttpTransport(spec, ports, { callMsMax: spec.callMsMax });
    },
    prepare(client, server) {
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        const { elicit } = await import("./elicitation/elicitation.ts");
        return await elicit(server.spec.name, params, server.elicitation);
      });
      const log = world.log.for(`mcp.${server.spec.name}`);
      client.setNotificationHandler("notifications/message", serverLogHandler(log, world.clock));
    },
  });
}
