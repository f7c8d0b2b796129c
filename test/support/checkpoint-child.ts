import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCheckpointRig } from "./checkpoint-rig.ts";

/**
 * Sets a workspace back and forth between its turns for ever, or keeps on keeping new files, for a test that kills it
 * in the middle: `checkpoint-child.ts <folder> [keeping]`. It says when it begins.
 */
const [parent = "", what] = process.argv.slice(2);
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
for (let round = 3; what === "keeping"; round += 1) {
  // Not by a command, which would go on after this process.
  for (let file = 0; file < 50; file += 1) writeFileSync(join(rig.root, `k${file}`), `${round} ${file}`);
  await rig.turn("true");
}
while (true) for (const { start, end } of bounds) for (const to of [start, end]) await rig.rewind(to);
