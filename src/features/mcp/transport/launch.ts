import { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { World } from "../../../base/world.ts";
import type { CommandSpec } from "../server/server-spec.ts";
import { findProgram, hashOf } from "./program.ts";
import { StdioTransport } from "./stdio.ts";

/** What marks every process of a server, so that those that leave its group are found. */
export const SERVER_MARK = "CINCH_MCP";
/** Servers that this process has started: no two have the same mark. */
let started = 0;

export interface LaunchParts {
  readonly world: Pick<World, "clock" | "files" | "spawn" | "machine">;
  readonly log: Log;
  /** The SHA-256 that a person has approved beside the declared one. */
  readonly approved: string | undefined;
}

/**
 * Starts the program of a server, where it is what it has to be: what is hashed is what is started a moment later
 * ([A] § Trust gates, MCP-04).
 * @throws HarnessError McpProgramMissing, MCPServerSHA256Mismatch.
 */
export async function launch(
  spec: CommandSpec,
  { world, log, approved }: LaunchParts,
): Promise<StdioTransport> {
  const { files, spawn, clock, machine } = world;
  const program = await findProgram(files, spec);
  if (spec.sha256 !== undefined) {
    const actual = await hashOf(files, program);
    if (actual !== spec.sha256 && actual !== approved) {
      throw new HarnessError("MCPServerSHA256Mismatch", {
        name: spec.name,
        path: program.files.join(" and "),
        expected: approved ?? spec.sha256,
        actual,
        profile_path: spec.declaredIn,
      });
    }
  }
  started += 1;
  const child = spawn({
    argv: [program.path, ...spec.args],
    cwd: spec.cwd,
    env: { ...spec.env, [SERVER_MARK]: `${spec.identity}.${machine.pid}.${started}` },
    mark: SERVER_MARK,
    talks: true,
  });
  return new StdioTransport({ child, clock, log });
}
