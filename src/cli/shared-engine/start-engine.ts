import { join } from "node:path";
import { engineLock, makeEngineFolder } from "../../app/engine/engine-folders.ts";
import { servicePaths } from "../../app/serving/service-paths.ts";
import { deadline } from "../../base/async/deadline.ts";
import { HarnessError } from "../../base/errors.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { refusalFromBody } from "../../client/remote/server-frames.ts";
import { startDetached } from "../../platform/processes/detached.ts";
import { userEnvironment } from "../environment.ts";
import type { ProcessContext } from "../process-context.ts";
import { ownCommand } from "../processes/internal.ts";
import { machineKeyOf } from "../secrets.ts";

/** Time limit for a new engine to serve, on a busy machine. */
const START_MS_MAX = 60_000;
/** Characters of its first lines. */
const LINE_CHARS_MAX = 65_536;

export interface StartEngineOptions {
  readonly at: ProcessContext;
  readonly insecureDevKey: boolean;
  /** Returns true if an engine runs by now: of several processes that want one, the first starts it. */
  isRunning(): Promise<boolean>;
  /** Called when it brings the database up to date before it serves. */
  readonly onUpgrade?: () => void;
  readonly signal: AbortSignal;
}

/**
 * Starts the engine of this user as a separate process and waits until it serves. It outlives this process for its
 * other clients (CTL-18), and ends if this process has gone before any client came. It gets this process's environment,
 * with the keys: it first puts them into its helper.
 *
 * @throws HarnessError the failure of the start, EngineNotStarted.
 */
export async function startEngine(options: StartEngineOptions): Promise<void> {
  const { at, insecureDevKey, isRunning, signal, onUpgrade } = options;
  const { world, paths, workingDir } = at;
  const logs = join(paths.state, "log");
  for (const folder of [paths.data, logs]) await makeEngineFolder(folder, world.files);
  using limit = deadline(world.clock, START_MS_MAX, signal);
  using _lock = await engineLock(`${servicePaths(paths).control}.start`, world.clock, limit.signal);
  if (await isRunning()) return;
  const logPath = join(logs, "engine.log");
  const { pid, processStart } = world.machine;
  const words = ["serve", "--until-idle", "--starter", `${pid}:${processStart}`, "--cwd", workingDir];
  const env = { ...userEnvironment(process.env), ...machineKeyOf(process.env) };
  const { stdout } = startDetached({
    argv: ownCommand(insecureDevKey ? [...words, "--insecure-dev-key"] : words),
    env,
    logPath,
  });
  for await (const line of firstLines(stdout, limit.signal)) {
    const report = parseJson(line)?.value;
    if (!isObject(report)) break;
    if (report["serving"] !== undefined) return;
    if (typeof report["reason"] === "string") throw refusalFromBody(report);
    if (report["upgrading"] !== true) break;
    onUpgrade?.();
  }
  throw new HarnessError("EngineNotStarted", { log: logPath });
}

/** Yields lines until the end or the time limit, of `LINE_CHARS_MAX` characters together. */
async function* firstLines(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  let characters = 0;
  try {
    while (characters < LINE_CHARS_MAX) {
      const { value, done } = await reader.read();
      if (done) return;
      const more = decoder.decode(value, { stream: true });
      characters += more.length;
      const lines = `${text}${more}`.split("\n");
      text = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
