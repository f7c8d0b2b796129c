import type { Tool } from "./tool.ts";

/** Names of a tool: cinch's, and the spelling of its server. */
export type ToolNames = Pick<Tool, "name" | "spelled">;

/** A server name has no two underscores in a row, so the first two after it end it. */
const OF_SERVER = /^mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)__(.+)$/s;

/** Returns true for the name of an MCP server's tool, or for all tools of a server: `mcp__files__*`. */
export function isServerTool(name: string): boolean {
  return OF_SERVER.test(name);
}

/** Splits such a name into server and tool; undefined for other names. */
export function splitServerToolName(
  name: string,
): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = OF_SERVER.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/**
 * Returns the prefix of a server's tool names. No other server's name maps to the same one (see `mcpServersFrom`).
 */
export function serverToolPrefix(server: string): string {
  return `mcp__${mapToolName(server)}__`;
}

/** Replaces every character except letters, digits and `_` by `_`, as in all tool names of cinch. */
export function mapToolName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_");
}

/**
 * Returns true if a written name certainly means a tool, or its server with `*`: in cinch's or the server's spelling,
 * with the server's name in either spelling too.
 */
export function namesTool(written: string, tool: ToolNames): boolean {
  if (written === tool.name) return true;
  const parts = splitServerToolName(written);
  if (parts === undefined) return false;
  const prefix = serverToolPrefix(parts.server);
  if (parts.tool === "*") return tool.name.startsWith(prefix);
  const toolName = `${prefix}${parts.tool}`;
  return toolName === tool.name || toolName === tool.spelled;
}

/**
 * Returns true if a written name may mean a tool. Rules that deny or watch a tool apply in any spelling, and
 * ignore case.
 */
export function mayNameTool(written: string, tool: ToolNames): boolean {
  if (namesTool(written, tool)) return true;
  if (!isServerTool(written) || !isServerTool(tool.name)) return false;
  const folded = { name: folding(tool.name), spelled: folding(tool.spelled ?? tool.name) };
  return namesTool(folding(written), folded) || folding(written) === folded.spelled;
}

/**
 * Returns true if a pattern with `*` matches a tool, compared by `fits`. For a server's tool, the pattern may use the
 * server's spelling.
 */
export function patternFitsTool(
  pattern: string,
  { name, spelled = name }: ToolNames,
  fits: (pattern: string, name: string) => boolean,
): boolean {
  if (fits(pattern, name)) return true;
  const same = pattern.replaceAll(/[^A-Za-z0-9_*]/g, "_");
  return isServerTool(name) && (fits(same, name) || fits(same, mapToolName(spelled)));
}

/** Lowers the case and replaces characters outside of names by `_`; a `*` for all tools of a server stays. */
function folding(name: string): string {
  const end = name.endsWith("__*") ? "*" : "";
  return `${mapToolName(name.slice(0, name.length - end.length))}${end}`.toLowerCase();
}
