import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { canonicalJson, isObject, type JsonSchema, stringAt, textOfJson } from "../../../base/json.ts";
import { encode } from "../../../base/text/text.ts";
import { sha256 } from "../../../guard/trust/ledger/item.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { DESCRIPTION_CHARACTERS_MAX } from "../../../tools/tool.ts";
import { foreignText } from "./foreign-text.ts";
import { safeSchema } from "./schema.ts";

/** Tools of one server. Further ones are left out. */
export const TOOLS_MAX = 512;
const DEFINITION_BYTES_MAX = 65_536;
const NAME_CHARACTERS_MAX = 128;

/** A tool as its server defines it, reduced to safe content. */
export interface ToolDefinition {
  /** The server's name for it. */
  readonly name: string;
  /** At most 250 characters, marked as untrusted. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Hash of everything that the server said about the tool. A changed text makes it another tool (S37). */
  readonly sha256: string;
}

export interface ToolDefinitions {
  readonly known: readonly ToolDefinition[];
  /** Sentences about the tools left out, with the reason. */
  readonly problems: readonly string[];
}

/**
 * Reads the tools that a server listed. Annotations such as "only reads" or "is safe" are not trusted and not
 * stored (MCP-07).
 */
export function readDefinitions(listed: readonly ListedTool[]): ToolDefinitions {
  const known = new Map<string, ToolDefinition>();
  const problems: string[] = [];
  for (const tool of listed.slice(0, TOOLS_MAX)) {
    const read = definitionFrom(tool);
    const name = visibleLine(textOfJson(tool.name)).slice(0, NAME_CHARACTERS_MAX);
    if (typeof read === "string") problems.push(`${name} ${read}`);
    else if (known.has(read.name)) problems.push(`${name} is listed twice`);
    else known.set(read.name, read);
  }
  if (listed.length > TOOLS_MAX)
    problems.push(`${listed.length - TOOLS_MAX} more than ${TOOLS_MAX} are listed`);
  return { known: [...known.values()], problems };
}

function definitionFrom(tool: ListedTool): ToolDefinition | string {
  const { name, description = "", inputSchema } = tool;
  if (name === "" || name.length > NAME_CHARACTERS_MAX) return "has no name that could be used";
  const raw = encode(canonicalJson({ name, description, inputSchema, annotations: tool.annotations }));
  if (raw.length > DEFINITION_BYTES_MAX) return `takes more than ${DEFINITION_BYTES_MAX} bytes to describe`;
  const schema = safeSchema(inputSchema);
  if (schema === undefined) return "has no schema that could be shown";
  return {
    name,
    description: foreignText(description, DESCRIPTION_CHARACTERS_MAX) ?? UNDESCRIBED,
    inputSchema: schema,
    sha256: sha256(raw),
  };
}

const UNDESCRIBED = "A tool of an MCP server, which says nothing of it.";

/** Parses a stored definition; undefined if the value is none. */
export function parseStoredDefinition(value: unknown): ToolDefinition | undefined {
  const [name, description, hash] = ["name", "description", "sha256"].map((key) => stringAt(value, key));
  const inputSchema = isObject(value) ? value["inputSchema"] : undefined;
  if (name === undefined || description === undefined || hash === undefined || !isObject(inputSchema))
    return undefined;
  return { name, description, inputSchema, sha256: hash };
}
