import type { CallToolResult } from "@modelcontextprotocol/server";
import type { AgentClient } from "./agent-client.ts";
import { BANNER } from "./mcp-names.ts";

/** Returns facts, for programs and as a text: not every client shows both. */
export function factsResult(facts: Readonly<Record<string, unknown>>): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(facts, undefined, 2) }],
    structuredContent: { ...facts },
  };
}

/** Adds the banner that a client gets when it attaches to a session. */
export function withBanner(result: CallToolResult, client: AgentClient): CallToolResult {
  client.takeBanner();
  return { ...result, content: [...result.content, { type: "text", text: BANNER }] };
}
