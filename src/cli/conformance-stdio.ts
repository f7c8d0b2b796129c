import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { OpenTransport } from "../conformance/mcp-wire.ts";

/**
 * Starts a server of the Model Context Protocol as a process of its own for each client. It gets this process's environment,
 * and the token as CINCH_TOKEN ([A] § MCP-server surface); what it writes to standard error is shown.
 */
export function mcpOverStdio([command, ...args]: readonly [string, ...string[]]): OpenTransport {
  return async (token) => {
    const own = Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const env = { ...Object.fromEntries(own), CINCH_TOKEN: token };
    return new StdioClientTransport({ command, args: [...args], env, stderr: "inherit" });
  };
}
