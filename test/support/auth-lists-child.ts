import { join } from "node:path";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { keepParent } from "../../src/server/auth/owner/parent-list.ts";
import { Revocations } from "../../src/server/auth/tokens/revocations.ts";

/**
 * Adds entries to the lists of programs and of revoked tokens that all processes of a user share:
 * `auth-lists-child.ts <folder> <name> <count>`.
 */
const [folder = "", name = "", count = ""] = process.argv.slice(2);
const world = hostWorld(SILENT_LOG);
const now = () => world.clock.now();
const revocations = await Revocations.open({ world, stateDirectory: folder, now });
for (let at = 0; at < Number(count); at += 1) {
  const parent = { argv0: `${name}-${at}`, binary: `/bin/${name}`, binarySha256: "0".repeat(64) };
  await keepParent({ world, path: join(folder, "mcp-parents.lock") }, parent);
  await revocations.revoke(world.ids.next("tok"));
}
