import { rmSync } from "node:fs";
import { constants as osConstants } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "../../base/child-environment.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Exit } from "../../base/world.ts";
import type { BrokerMessage, HelperStart } from "../../credentials/helper/helper-messages.ts";
import { superviseHelper } from "../../credentials/helper/supervise.ts";
import { beatRegularly } from "../../credentials/helper/watch-beats.ts";
import { hostClock } from "../../platform/clock.ts";
import { makeTemporaryFolder } from "../../platform/files/temporary.ts";
import type { HelperProcess } from "../../platform/processes/helper-process.ts";
import { startHelperProcess } from "../../platform/processes/helper-process.ts";
import { makeUndumpable } from "../../platform/processes/undumpable.ts";
import { hostRandom } from "../../platform/random.ts";
import { EXIT } from "../../session/commands/cli-command.ts";
import { wasClosed } from "../io/output.ts";
import type { Secrets } from "../secrets.ts";
import type { Settings } from "../settings.ts";
import { keysPrint, newSalt } from "../shared-prompt/likeness.ts";
import { ENGINE_WORD, ownCommand } from "./internal.ts";
import { linkTo, startHelper } from "./start-helper.ts";

/** Time limit for the helper to end once the engine has ended. */
const HELPER_END_MS_MAX = 500;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface KeeperOptions {
  readonly argv: readonly string[];
  readonly settings: Settings;
  readonly secrets: Secrets;
  /** The capability token of the environment, or empty, for a command that needs it. Absent: it needs none. */
  readonly token?: string;
  /** The engine ends with its prompt: this process is the helper, until it fails. */
  readonly isBrief: boolean;
}

/**
 * Runs the command line in a separate engine, which never has a secret, while this process keeps them (CRED-03).
 *
 * This process was given the secrets, keeps the terminal's place in the shell, and forwards signals and the exit code.
 * The engine has a clean environment and this process's standard streams. The helper holds the keys and makes the
 * provider requests: this process does so itself for an engine that is brief, and a third one for others and after a
 * failure. Each ends when one of the others does, however that ended.
 * @throws HarnessError EngineKilled, TemporaryUnusable.
 */
export async function runKeeper(options: KeeperOptions): Promise<never> {
  const { argv, secrets, token, isBrief } = options;
  const directory = makeTemporaryFolder("cinch-keys-");
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const engine = startHelperProcess({
    argv: ownCommand([ENGINE_WORD, wasClosed(1) ? "closed" : "open", ...argv]),
    env: cleanEnvironment(secrets),
    stdio: "inherit",
  });
  makeUndumpable(); // long before the engine runs a command: it waits for the helper, which starts below
  const engineLink = linkTo(engine, { message: () => undefined, ended: () => undefined });
  if (!isBrief) engineLink.send(keysMessage(secrets));
  if (token !== undefined) engineLink.send({ kind: "token", text: token });
  for (const name of SIGNALS) process.on(name, () => engineLink.send({ kind: "signal", name }));
  if (isBrief) {
    engineLink.send({ kind: "beats" });
    beatRegularly(hostClock, engineLink.beat);
  }
  const { helperHere } = isBrief ? await import("./credential-helper.ts") : {};
  const helpers: HelperProcess[] = [];
  let generation = 0;
  const supervisor = superviseHelper({
    clock: hostClock,
    start(events) {
      const start = helperStart(options, join(directory, `${generation++}.sock`));
      if (helperHere !== undefined && generation === 1) return helperHere(start, events);
      return startHelper(start, events, helpers);
    },
    send: (note) => engineLink.send(note),
  });
  const exit = await engine.exited;
  supervisor[Symbol.dispose]();
  await Promise.race([
    Promise.all(helpers.map(({ exited }) => exited)),
    hostClock.sleep(HELPER_END_MS_MAX, new AbortController().signal),
  ]);
  for (const helper of helpers) helper.kill("SIGKILL");
  return endLike(exit);
}

function helperStart({ settings, secrets }: KeeperOptions, socket: string): HelperStart {
  const { variables, workingDir, directory, google } = secrets;
  const { insecureDevKey } = settings;
  return { socket, variables, workingDir, insecureDevKey, ...defined({ directory, google }) };
}

/** Returns what the engine tells others of the keys: equal or different, and nothing else (PERF-07). */
function keysMessage({ variables, directory }: Secrets): BrokerMessage {
  const salt = newSalt(hostRandom);
  return { kind: "keys", salt, print: keysPrint(salt, variables, directory) };
}

/**
 * Returns the environment of the engine: the user's own, without secrets and without variables that control
 * our runtime.
 */
function cleanEnvironment({ variables }: Secrets): Readonly<Record<string, string>> {
  const secret = new Set(Object.keys(variables));
  return childEnvironment(process.env, (name) => !secret.has(name));
}

/**
 * Ends this process as the engine has ended: with its code, or by its signal.
 * @throws HarnessError EngineKilled for a signal that is no request to end.
 */
function endLike(exit: Exit): never {
  if (exit.kind === "code") process.exit(exit.code);
  if (exit.kind === "signal" && !SIGNALS.some((name) => name === exit.signal))
    throw new HarnessError("EngineKilled", { signal: exit.signal });
  if (exit.kind === "signal") {
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, exit.signal);
    // If the signal did not end us, the shell's way to report it does.
    const number: unknown = Reflect.get(osConstants.signals, exit.signal);
    process.exit(128 + (typeof number === "number" ? number : 0));
  }
  process.exit(EXIT.failed);
}
