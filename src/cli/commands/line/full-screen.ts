import { defined } from "../../../base/defined.ts";
import { hasReason } from "../../../base/errors.ts";
import type { OpenSession, ReachedByTerminal } from "../../../client/terminal/options.ts";
import { TERMINAL_LABEL } from "../../../client/terminal/options.ts";
import { openAppendScreen } from "../../../client/terminal/screen/append-screen.ts";
import { openFullScreen } from "../../../client/terminal/screen/full-screen.ts";
import { reflowsRows, resizedMs } from "../../../client/terminal/screen/resizing.ts";
import { runTerminalClient } from "../../../client/terminal/terminal-client.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { StartingEngine } from "../../first-frame/starting-engine.ts";
import type { ProcessContext } from "../../process-context.ts";
import type { EngineNotices } from "../../shared-engine/engine-notices.ts";
import { VERSION } from "../../version.ts";
import type { Line } from "./flags.ts";
import { openLineSession } from "./line-session.ts";
import { terminalHost } from "./terminal-host.ts";
import { terminalLifecycle } from "./terminal-lifecycle.ts";

export interface FullScreenOptions {
  readonly at: ProcessContext;
  /** True: on the main screen, and in its scrollback. */
  readonly isInline: boolean;
  readonly notices: EngineNotices;
  /** Called once the first frame is drawn. */
  readonly shown: () => void;
}

/** Runs the terminal client on the whole screen or inline. Its first frame waits for nothing (PERF-01). */
export async function runFullScreen(
  line: Line,
  starting: StartingEngine,
  { at, isInline, notices, shown }: FullScreenOptions,
): Promise<ExitCode> {
  await using connections = new AsyncDisposableStack();
  const { settings, connect, prompt } = line;
  const elsewhere = connect !== undefined;
  // Without the session that the command line names there is nothing to show: the shell gets the reason.
  const unopened = new AbortController();
  const openNamed = async (open: () => Promise<OpenSession>): Promise<OpenSession> => {
    try {
      return await open();
    } catch (thrown) {
      if (isAbout(thrown)) unopened.abort(thrown);
      throw thrown;
    }
  };
  const reach = async (): Promise<ReachedByTerminal> => {
    const { port, owned } = await starting.reached;
    const connection = connections.use(
      port.attach({ identityClass: "human", label: TERMINAL_LABEL, ...(owned ? { wire: "process" } : {}) }),
    );
    await connection.handshake(PROTOCOL_VERSION);
    const wanted = { port, connection, at, elsewhere };
    const openWith = async (words: typeof settings): Promise<OpenSession> =>
      await openLineSession({ ...wanted, settings: words });
    const last = elsewhere ? undefined : await lastHere(connection, at.workingDir);
    const named = settings.resume === undefined ? {} : { named: await openNamed(() => openWith(settings)) };
    return {
      connection,
      isModelNamed: settings.model !== undefined || settings.profile !== undefined,
      begins: { planMode: settings.planMode, ...defined({ model: settings.model, level: settings.level }) },
      isOverNetwork: connect !== undefined && !connect.url.startsWith("unix:"),
      ...(last === undefined ? {} : { last }),
      ...named,
      async open(which) {
        const { resume: _, ...rest } = settings;
        if (which.kind === "new")
          return await openWith({ ...rest, ...defined({ model: which.model ?? rest.model }) });
        return await openWith({ ...rest, resume: { kind: "id", id: which.info.session } });
      },
    };
  };
  const engine = reach();
  engine.catch(() => undefined); // the client shows it
  const life = terminalLifecycle(at.world.clock);
  const running = runTerminalClient({
    version: VERSION,
    workingDir: at.workingDir,
    engine,
    host: terminalHost({ ...at, isElsewhere: elsewhere && !connect.url.startsWith("unix:") }),
    openScreen: (options) =>
      isInline
        ? openAppendScreen(
            { ...options, reflows: reflowsRows(at.environment), resizedMs: resizedMs(at.environment) },
            life,
          )
        : openFullScreen(options, life),
    isInline,
    clock: at.world.clock,
    signal: AbortSignal.any([at.stop.signal, unopened.signal]),
    hasColours: (process.env["NO_COLOR"] ?? "") === "",
    isQuiet: settings.quietCost === true,
    choosesSession: settings.choosesSession === true,
    notices: notices.read,
    ...(prompt === undefined ? {} : { prompt }),
  });
  shown();
  const { why } = await running;
  return why === "interrupt" ? EXIT.cancelled : EXIT.done;
}

/** Returns true for a refusal that says which session there is not. */
function isAbout(thrown: unknown): boolean {
  return (["NoSuchSession", "SessionAmbiguous", "NothingToContinue"] as const).some((reason) =>
    hasReason(thrown, reason),
  );
}

/** Sessions among which the last one of a folder is looked for: the newest ones. */
const NEWEST_MAX = 50;

/** Returns the newest session of a folder that had a turn; undefined if it is not among the newest of all. */
async function lastHere(connection: Connection, workingDir: string): Promise<SessionInfo | undefined> {
  const { sessions } = await connection.query({ kind: "ListSessions", past: true, limit: NEWEST_MAX });
  return sessions.find((info) => info.working_dir === workingDir && info.turns > 0);
}
