import { writeSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import { says } from "./scripted-provider.ts";
import { LOG_KEY } from "./store-rig.ts";
import { testWorld } from "./world.ts";
import { openWsRig } from "./ws-rig.ts";

/**
 * An engine behind WebSockets in a process of its own, to be killed: `ws-engine-child.ts <folder> <port> <life>`. In
 * its first life it publishes notes to its session for ever; in a later one 100 of them, once that session goes on.
 */
const [folder = "", port = "0", life = "1"] = process.argv.slice(2);
const world = testWorld({}, Number(life) * 7_919);
const store = await openSqliteStore({ path: join(folder, "sessions.db"), world, logKey: LOG_KEY });
const goesOn = Promise.withResolvers<void>();
let runs = 0;
const ws = await openWsRig({
  world,
  store,
  port: Number(port),
  stateDirectory: join(folder, "state"),
  script: [says("hello again")],
  follows: false,
  onTell() {
    runs += 1;
    if (runs === 2) goesOn.resolve();
  },
});
const { id: session } = ws.rig.session;
writeSync(1, `${JSON.stringify({ url: ws.url, port: ws.port, session, token: ws.mint() })}\n`);
if (life === "1") {
  for (let number = 0; ; number++) await note(number);
} else {
  await goesOn.promise;
  for (let number = 0; number < 100; number++) await note(1_000_000 + number);
}

async function note(number: number): Promise<void> {
  ws.tell({ kind: "CustomEvent", payload: { namespace: "test", kind: "note", payload: { number } } });
  await new Promise<void>((resolve) => setImmediate(resolve));
}
