import { openCheckpointRig } from "./checkpoint-rig.ts";

/**
 * Sets a workspace back and forth between its turns for ever, for a test that kills it in the middle:
 * `checkpoint-child.ts <folder>`. It says when it begins.
 */
const [parent = ""] = process.argv.slice(2);
const rig = await openCheckpointRig({ parent });
const bounds = [];
for (const round of [1, 2]) {
  bounds.push(
    await rig.turn(
      `for i in $(seq 12); do printf ${round} >f$i; done; rm -rf d; mkdir -p d/e; printf ${round} >d/e/${round}`,
    ),
  );
}
process.stdout.write("ready\n");
while (true) for (const { start, end } of bounds) for (const to of [start, end]) await rig.rewind(to);
