import { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { World } from "../../../base/world.ts";
import type { ProgramSpec } from "../server/server-spec.ts";
import { findServerProgram, hashProgram } from "./program.ts";
import { ServerStdioTransport } from "./stdio.ts";

/** Variable that marks every process of a server, so that those that leave its process group are found. */
export const SERVER_MARK = "CINCH_MCP";
/** Servers started by this process, so that each mark is unique. */
let started = 0;

export interface LaunchDependencies {
  readonly world: Pick<World, "clock" | "files" | "spawn" | "machine">;
  readonly log: Log;
  /** The SHA-256 that a person has approved in addition to the declared one. */
  readonly approved: string | undefined;
}

/**
 * Starts the program of a server if its hash is right. The program is hashed immediately before it starts ([A] §
 * Trust gates, MCP-04).
 * @throws HarnessError McpProgramMissing, MCPServerSHA256Mismatch.
 */
export async function launchServer(
  spec: ProgramSpec,
  { world, log, approved }: LaunchDependencies,
): Promise<ServerStdioTransport> {
  const { files, spawn, clock, machine } = world;
  const program = await findServerProgram(files, spec);
  if (spec.sha256 !== undefined) {
    const actual = await hashProgram(files, program);
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
  return new ServerStdioTransport({ child, clock, log });
}
