import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { Cancelled, messageOf } from "../../../base/errors.ts";
import { decode, shortened } from "../../../base/text/text.ts";
import type { Child, Spawn, World } from "../../../base/world.ts";
import type { DiagnosticSource, SourceSettings } from "../diagnostic-source.ts";
import { START_MS_MAX } from "../diagnostic-source.ts";
import { fileMatcher } from "../file-matcher.ts";
import { problemsReport } from "../problem.ts";
import { LanguageServerSession } from "./language-server-session.ts";
import { connectServer } from "./server-connection.ts";

/** Limit for failed starts in a row; after it the server is not used in this session. */
const FAILURES_MAX = 3;
const LOGGED_CHARACTERS_MAX = 2_000;
/** Variable that marks every process of a server, so that those that leave its group are ended too. */
const MARK = "CINCH_LANGUAGE_SERVER";

export interface LanguageServerDependencies {
  readonly world: Pick<World, "clock" | "files" | "ids" | "log" | "machine">;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Returns the function that starts it: in the sandbox. @throws Error with the reason if it cannot be started. */
  readonly spawn: () => Promise<Spawn>;
}

/**
 * Returns a language server that is asked about files after each edit (TOOL-11). It starts with the first question
 * and lives as long as the session; one that has died is restarted, at most `FAILURES_MAX` times in a row.
 */
export function languageServer(
  settings: SourceSettings,
  dependencies: LanguageServerDependencies,
): DiagnosticSource {
  const { name, waitMs } = settings;
  const { clock } = dependencies.world;
  let running: Promise<LanguageServerSession> | undefined;
  let failures = 0;
  /** Count of times that files may have changed unseen, and how many of them the server was informed of. */
  let [changes, reportedChanges] = [0, 0];
  let stop = new AbortController();
  const end = async () => {
    const ending = running;
    running = undefined;
    stop.abort(new Cancelled("engine", "it was ended"));
    stop = new AbortController();
    await (await ending?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };

  async function started(signal: AbortSignal): Promise<LanguageServerSession> {
    running ??= start(settings, dependencies, stop.signal);
    const server = await whileAlive(running, signal);
    if (server.problem === undefined) return server;
    await end();
    throw new Error(server.problem);
  }

  return {
    name,
    covers: fileMatcher(settings.files, dependencies.root),
    stale() {
      changes += 1;
    },
    async check(paths, signal) {
      if (failures >= FAILURES_MAX)
        return `[${name}: it has failed ${failures} times, and is not asked any more]`;
      const isNew = running === undefined;
      using limit = deadline(clock, isNew ? START_MS_MAX : waitMs, signal);
      try {
        const server = await started(limit.signal);
        const until = changes;
        if (until > reportedChanges) await server.reportChanges(limit.signal);
        reportedChanges = until;
        const problems = await server.check(paths, limit.signal);
        failures = 0;
        return problemsReport(name, problems, dependencies.root);
      } catch (thrown) {
        signal.throwIfAborted();
        // A server that is only slow may answer the next time; a broken one is restarted.
        if (limit.reached && !isNew) return `[${name}: no answer within ${waitMs / 1_000} s]`;
        failures += 1;
        await end();
        const why = limit.reached ? `it was not ready within ${START_MS_MAX / 1_000} s` : messageOf(thrown);
        return `[${name}: ${why}]`;
      }
    },
    [Symbol.asyncDispose]: end,
  };
}

async function start(
  settings: SourceSettings,
  dependencies: LanguageServerDependencies,
  stop: AbortSignal,
): Promise<LanguageServerSession> {
  const { world, root, env, spawn } = dependencies;
  const begin = await spawn();
  stop.throwIfAborted();
  const child = begin({
    argv: settings.command,
    cwd: root,
    env: { ...env, PWD: root, [MARK]: `${world.ids.next("call")}.${world.machine.pid}` },
    mark: MARK,
    talks: true,
  });
  try {
    logErrors(child, settings.name, dependencies).catch(() => undefined); // its pipe broke: it has ended
    const server = new LanguageServerSession(settings, dependencies, child, await connectServer(child));
    using limit = deadline(world.clock, START_MS_MAX, stop);
    await whileAlive(server.initialize(limit.signal), limit.signal);
    return server;
  } catch (thrown) {
    await child[Symbol.asyncDispose]();
    const exit = await child.exited;
    throw exit.kind === "failed" ? exit.error : thrown;
  }
}

/** Writes a server's standard error to the operational log, up to a limit. */
async function logErrors(
  { stderr }: Child,
  name: string,
  { world }: LanguageServerDependencies,
): Promise<void> {
  const log = world.log.for("diagnostics");
  let remainingCharacters = LOGGED_CHARACTERS_MAX;
  for await (const chunk of stderr) {
    if (remainingCharacters <= 0) continue;
    const said = shortened(decode(chunk), remainingCharacters);
    remainingCharacters -= said.length;
    log.write("debug", "language server says", { name, said });
  }
}
