import type { HttpAnswer } from "../../../base/world.ts";
import type { HttpRoute, Method, RouteRequest } from "../../http/route.ts";
import type { McpHttp, McpHttpDependencies } from "./http.ts";

/** The transport `/mcp` of one engine. Disposing it ends its clients' sessions; work in the engine continues. */
export interface McpRoutes extends AsyncDisposable {
  readonly routes: readonly HttpRoute[];
}

const METHODS: readonly Method[] = ["POST", "GET", "DELETE"];

/** Serves MCP at `/mcp` (CTL-09, AUTH-06). Its library is loaded with the first request. */
export function mcpRoutes(parts: McpHttpDependencies): McpRoutes {
  let opening: Promise<McpHttp> | undefined;
  const open = async () => new (await import("./http.ts")).McpHttp(parts);
  async function handle(call: RouteRequest): Promise<HttpAnswer> {
    opening ??= open();
    return await (await opening).handle(call);
  }
  return {
    routes: METHODS.map((method) => ({ method, path: "/mcp", access: "token", carrier: "bearer", handle })),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}
