/**
 * Runs one confined command until it is killed: `sandboxed-child.ts ROOT TOKEN FOLDER`. The command bears the token
 * as its name.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bubblewrap } from "../../src/guard/sandbox/bubblewrap/bubblewrap.ts";
import { testWorld } from "./world.ts";

const [root = "", token = "", folder = ""] = process.argv.slice(2);
const [temporary = "", workshop = ""] = ["tmp", "own"].map((name) => join(folder, name));
for (const folder of [temporary, workshop]) mkdirSync(folder);
const world = testWorld();
const state = await bubblewrap({ world }).prepare({
  root,
  writable: [],
  readOnly: [],
  visible: [],
  hidden: [],
  temporary,
  workshop,
  network: { kind: "off" },
});
if (state.kind !== "working") throw new Error(state.why);
const deaf = `trap "" TERM HUP INT; : >ready; setsid bash -c 'exec -a ${token} sleep 300' & exec -a ${token} sleep 300`;
const child = world.spawn(
  state.confine.wrap({ argv: ["/bin/bash", "-c", deaf], cwd: root, env: { PATH: "/usr/bin:/bin" } }),
);
await child.exited;
