import { join } from "node:path";
import { version } from "../../../package.json";
import { STORE_FILE } from "../../credentials/store/key-store.ts";
import type { EngineHost } from "../../session/host.ts";
import { McpPool } from "./server/pool.ts";
import { Records } from "./server/records.ts";
import { serverLog } from "./transport/server-log.ts";

/** The pool of an engine's MCP servers, with what of the engine a server can reach: keys that are put in for it, people. */
export function openMcpPool({ world, paths, models }: EngineHost): McpPool {
  return new McpPool({
    world,
    version,
    log: `${join(paths.state, "log")}/`,
    async logins() {
      const kept = await world.files.stat(join(paths.config, STORE_FILE));
      return kept === undefined ? "" : `${kept.identity} ${kept.modifiedMs} ${kept.size}`;
    },
    records: new Records(join(paths.config, "mcp-servers"), world.random),
    async openAddress(spec, log) {
      const { openRemote } = await import("./transport/http.ts");
      const { clock, fetch } = world;
      const ports = { clock, fetch, log, authorized: models.authorizedFetch };
      return await openRemote(spec, ports, { callMsMax: spec.callMsMax });
    },
    prepare(client, server) {
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        const { elicit } = await import("./elicitation/elicitation.ts");
        return await elicit(server.spec.name, params, server.asking);
      });
      const log = world.log.for(`mcp.${server.spec.name}`);
      client.setNotificationHandler("notifications/message", serverLog(log, world.clock));
    },
  });
}
