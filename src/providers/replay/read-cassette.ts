import { HarnessError } from "../../base/errors.ts";
import { fileCause } from "../../base/files/file-cause.ts";
import { decode } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import type { Cassette } from "./cassette.ts";
import { parseCassette } from "./cassette.ts";

const CASSETTE_BYTES_MAX = 64 * 1_048_576;

/**
 * Reads a cassette file of at most 64 MiB.
 * @throws HarnessError PathMissing if there is no file, CassetteInvalid for one that cannot be read.
 */
export async function readCassette(world: Pick<World, "files">, path: string): Promise<Cassette> {
  try {
    return parseCassette(decode(await world.files.read(path, CASSETTE_BYTES_MAX)), path);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    if (codeOf(thrown) === "ENOENT") throw new HarnessError("PathMissing", { what: "The cassette", path });
    const problem = fileCause(thrown);
    throw new HarnessError("CassetteInvalid", { path, line: "1", problem }, { cause: thrown });
  }
}
