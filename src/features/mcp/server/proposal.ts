import type { Files } from "../../../base/world.ts";
import { visible } from "../../../safety/hidden.ts";
import type { Definition } from "../tools/definition.ts";
import type { KnownTools } from "../tools/known-tools.ts";
import { findProgram, hashOf } from "../transport/program.ts";
import type { ServerSpec } from "./server-spec.ts";

/** What a person may approve of a server, exactly so. */
export interface Proposal {
  /** What of it is other than what was approved, to be read before. */
  readonly lines: readonly string[];
  readonly tools: readonly Definition[];
  /** The SHA-256 of a pinned program. */
  readonly program?: string;
}

/** Nobody reads a program out of its hash. */
const COMPARE = "[compare the new one with what its maker says, or with a copy that you trust]";

/**
 * What there is to approve of a server now: its program, and what it says of its tools (MCP-04).
 * @throws HarnessError McpProgramMissing, McpRecordUnusable.
 */
export async function proposalOf(spec: ServerSpec, files: Files, known: KnownTools): Promise<Proposal> {
  const { lines, tools } = await known.changes();
  if (spec.transport !== "stdio" || spec.sha256 === undefined) return { lines, tools };
  const found = await findProgram(files, spec);
  const program = await hashOf(files, found);
  const approved = (await known.program()) ?? spec.sha256;
  if (program === approved || program === spec.sha256) return { lines, tools, program };
  const paths = found.files.map(visible).join(" and ");
  const head = [`== ${paths}: another program`, `-sha256 ${approved}`, `+sha256 ${program}`, COMPARE];
  return { lines: [...head, ...lines], tools, program };
}
