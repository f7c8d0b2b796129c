import type { Files } from "../../../base/world.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { ToolDefinition } from "../tools/definition.ts";
import type { KnownTools } from "../tools/known-tools.ts";
import { findServerProgram, hashProgram } from "../transport/program.ts";
import type { ServerSpec } from "./server-spec.ts";

/** The program and tools of a server, offered to a person for approval exactly as they are now. */
export interface Proposal {
  /** The differences from what was approved, for the person to read first. */
  readonly lines: readonly string[];
  readonly tools: readonly ToolDefinition[];
  /** The SHA-256 of a pinned program. */
  readonly program?: string;
}

/** A hash alone tells a person nothing about a program. */
const COMPARE = "[compare the new one with what its maker says, or with a copy that you trust]";

/**
 * Returns what a person may approve of a server now: its program, and its tool definitions (MCP-04).
 * @throws HarnessError McpProgramMissing, McpRecordUnusable.
 */
export async function readProposal(spec: ServerSpec, files: Files, known: KnownTools): Promise<Proposal> {
  const { lines, tools } = await known.changes();
  if (spec.transport !== "stdio" || spec.sha256 === undefined) return { lines, tools };
  const found = await findServerProgram(files, spec);
  const program = await hashProgram(files, found);
  const approved = (await known.program()) ?? spec.sha256;
  if (program === approved || program === spec.sha256) return { lines, tools, program };
  const paths = found.files.map(visibleLine).join(" and ");
  const head = [`== ${paths}: another program`, `-sha256 ${approved}`, `+sha256 ${program}`, COMPARE];
  return { lines: [...head, ...lines], tools, program };
}
