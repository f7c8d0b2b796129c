import type { World } from "../../../base/world.ts";
import type { ProgramSearch } from "../policy/trusted-program.ts";
import { makeSandboxFolders } from "../sandbox-folders.ts";
import { bubblewrap, isProven } from "./bubblewrap.ts";
import type { KeptProof } from "./kept-proof.ts";

export interface ProofSources {
  readonly world: Pick<World, "files" | "spawn" | "clock" | "machine">;
  readonly proof: KeptProof;
  readonly programs: ProgramSearch | undefined;
}

/**
 * Proves the sandbox of this machine ahead of the first command, unless an earlier session has, in a folder that is
 * removed again. The workspace is not touched. What a failure means is decided by the first command, which tries again.
 */
export async function proveSandbox(sources: ProofSources, signal: AbortSignal): Promise<void> {
  if (await isProven(sources)) return;
  const { world, proof, programs } = sources;
  await using undo = new AsyncDisposableStack();
  const { temporary, workshop } = await makeSandboxFolders(world.files, undo);
  await bubblewrap({ world, programs, proof, signal }).prepare({
    ...{ root: temporary, writable: [], readOnly: [], visible: [], hidden: [] },
    ...{ temporary, workshop, network: { kind: "off" } },
  });
}
