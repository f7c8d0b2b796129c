import type { Tool } from "./tool.ts";

/** How a tool is called: as cinch knows it, and as the server that it is of spells it. */
export type ToolNames = Pick<Tool, "name" | "spelled">;

/** A server's name has no two underscores in a row, so the first two behind it end it. */
const OF_SERVER = /^mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)__(.+)$/s;

/** Whether a name is that of a tool of an MCP server, or stands for all tools of one: `mcp__files__*`. */
export function isOfServer(name: string): boolean {
  return OF_SERVER.test(name);
}

/** The two parts of such a name; undefined where it is none. */
export function partsOfServerTool(
  name: string,
): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = OF_SERVER.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** What the names of all tools of a server begin with. No other server's name maps to the same (see `mcpServersFrom`). */
export function toolPrefix(server: string): string {
  return `mcp__${mapped(server)}__`;
}

/** Every character but letters, digits and `_` becomes `_`: the names of all tools of cinch are made of these. */
export function mapped(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_");
}

/**
 * Whether a name that a person wrote is certainly that of a tool, or of its server with `*`: as cinch knows it, or as the
 * server spells it, with the name of the server in either spelling too.
 */
export function isNamed(written: string, tool: ToolNames): boolean {
  if (written === tool.name) return true;
  const parts = partsOfServerTool(written);
  if (parts === undefined) return false;
  const prefix = toolPrefix(parts.server);
  if (parts.tool === "*") return tool.name.startsWith(prefix);
  const own = `${prefix}${parts.tool}`;
  return own === tool.name || own === tool.spelled;
}

/**
 * Whether such a name may mean a tool: whoever forbids one, or has it watched, means it in any spelling, and in capital
 * and small letters alike.
 */
export function mayBeNamed(written: string, tool: ToolNames): boolean {
  if (isNamed(written, tool)) return true;
  if (!isOfServer(written) || !isOfServer(tool.name)) return false;
  const folded = { name: folding(tool.name), spelled: folding(tool.spelled ?? tool.name) };
  return isNamed(folding(written), folded) || folding(written) === folded.spelled;
}

/**
 * Whether a pattern in which `*` is any characters fits a tool, as `fits` holds them against each other: of a tool of a
 * server, a pattern may be in its spelling.
 */
export function fitsTool(
  pattern: string,
  { name, spelled = name }: ToolNames,
  fits: (pattern: string, name: string) => boolean,
): boolean {
  if (fits(pattern, name)) return true;
  const same = pattern.replaceAll(/[^A-Za-z0-9_*]/g, "_");
  return isOfServer(name) && (fits(same, name) || fits(same, mapped(spelled)));
}

/** In small letters, and with `_` for all that is none of a name; a `*` for all tools of a server stays. */
function folding(name: string): string {
  const end = name.endsWith("__*") ? "*" : "";
  return `${mapped(name.slice(0, name.length - end.length))}${end}`.toLowerCase();
}
