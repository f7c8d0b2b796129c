import { rmSync } from "node:fs";
import { join } from "node:path";
import { helperClient } from "../../credentials/helper/client.ts";
import type { HelperStart } from "../../credentials/helper/helper-messages.ts";
import { superviseHelper } from "../../credentials/helper/supervise.ts";
import type { StartedHelper } from "../../credentials/helper-on-demand.ts";
import { hostClock } from "../../platform/clock.ts";
import { makeTemporaryFolder } from "../../platform/files/temporary.ts";
import type { HelperProcess } from "../../platform/processes/helper-process.ts";
import { startHelper } from "./start-helper.ts";

/**
 * Starts a credential helper for an engine that has no keeper, because there was no secret when it was started. The
 * engine then supervises it, and gives it no secret but the key to store (CRED-03, CRED-04).
 * @throws HarnessError TemporaryUnusable.
 */
export function startFirstKeyHelper(start: Omit<HelperStart, "socket" | "variables">): StartedHelper {
  const directory = makeTemporaryFolder("cinch-keys-");
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once("exit", remove);
  const client = helperClient();
  const helpers: HelperProcess[] = [];
  let generation = 0;
  const supervisor = superviseHelper({
    clock: hostClock,
    start(events) {
      const socket = join(directory, `${generation++}.sock`);
      return startHelper({ ...start, socket, variables: {} }, events, helpers);
    },
    send(note) {
      if (note.kind === "token" || note.kind === "keys" || note.kind === "beats") return;
      client.receive(note);
    },
  });
  return {
    client,
    [Symbol.dispose]() {
      supervisor[Symbol.dispose]();
      process.removeListener("exit", remove);
      remove();
    },
  };
}
