import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hostSockets } from "../../src/platform/sockets/sockets.ts";
import { askOwner } from "../../src/server/auth/owner/ask-owner.ts";
import { until } from "./until.ts";

/**
 * Asks for the owner's token: `STATE RESULT [orphan]`. With "orphan" it makes RESULT.started, and waits until the
 * process that started it is gone. What came of it is written to RESULT, whole.
 */
const [stateDirectory = "", result = "", how] = process.argv.slice(2);
const parentAtStart = parent();
if (how === "orphan") {
  await writeFile(`${result}.started`, "");
  await until("the end of the parent", () => parent() !== parentAtStart);
}
await writeFile(`${result}.part`, await ask());
await rename(`${result}.part`, result);

function parent(): string | undefined {
  const stat = readFileSync("/proc/self/stat", "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
}

async function ask(): Promise<string> {
  try {
    const token = await askOwner({
      connect: hostSockets.connectPath,
      socketPath: join(stateDirectory, "owner.sock"),
      tokenPath: join(stateDirectory, "owner.token"),
      signal: AbortSignal.timeout(10_000),
    });
    return `token ${token}`;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
