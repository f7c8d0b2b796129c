import { findSession } from "../../../app/sessions/find.ts";
import { hasReason } from "../../../base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { isObject } from "../../../base/json.ts";
import { count } from "../../../base/text/text.ts";
import type { LineTerminal } from "../../../client/line/input/terminal.ts";
import type { Accepted, CommandOf } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { TypedAhead } from "../../first-frame/typed-ahead.ts";
import type { ProcessContext } from "../../process-context.ts";
import type { RequestOptions } from "../../session-request.ts";
import { hasRunFlags, sessionRequest } from "../../session-request.ts";
import type { Settings } from "../../settings.ts";

const SHOWN_MAX = 9;
const TITLE_CHARS_MAX = 48;

export interface LineSessionDependencies {
  readonly port: EnginePort;
  /** After its handshake. */
  readonly connection: Connection;
  readonly settings: Settings;
  readonly at: ProcessContext;
  /** The person who chooses a session, if there is one at the terminal. */
  readonly person?: { readonly terminal: LineTerminal; readonly ahead: TypedAhead };
  readonly elsewhere: boolean;
}

/** Session that a line client works in. */
export interface LineSession {
  readonly session: SessionId;
  readonly log: LogId;
  readonly profile: string;
  readonly model: string;
  /** True for a session that existed before. */
  readonly history: boolean;
  /** Its last event so far. */
  readonly past: EventSeq;
  /** Request for another session with the same flags. */
  readonly fresh: CommandOf<"CreateSession">;
  /** Sentences for the person at the start. */
  readonly notices: readonly string[];
  /** The one of them about sessions that are about to expire. Absent: none is. */
  readonly expiring?: string;
}

/**
 * Opens the session that a command line names, or lets the person choose a running one: the last of this directory, a
 * new one, or another (CTL-11).
 * @throws HarnessError the refusal of the engine, such as NoSuchSession; the reason for which the person left.
 */
export async function openLineSession(dependencies: LineSessionDependencies): Promise<LineSession> {
  const { connection, settings, at, elsewhere } = dependencies;
  const found = await wantedSession(dependencies);
  if (found?.live === true) return await attachTo(dependencies, found);
  const request = await personalRequest({ settings, at, elsewhere });
  const resume = found === undefined ? {} : { resume: found.log };
  const accepted = await connection.send({ ...request, ...resume });
  const { sessionId } = accepted;
  if (sessionId === undefined) throw new TypeError("the engine created no session");
  const info = await connection.query({ kind: "GetSession", sessionId, last: 0 });
  const { log, profile, model, events } = info;
  return {
    session: sessionId,
    log,
    profile,
    model,
    history: found !== undefined,
    past: events,
    fresh: request,
    ...noticesOf(accepted),
  };
}

/** Returns the request for a new session of a person, who may leave before they have used it. */
async function personalRequest(options: RequestOptions): Promise<CommandOf<"CreateSession">> {
  return { ...(await sessionRequest(options)), provisional: true };
}

async function attachTo(
  { connection, settings, at, elsewhere }: LineSessionDependencies,
  { session, log, profile, model, events: past }: SessionInfo,
): Promise<LineSession> {
  const wanted = settings.model;
  if (wanted !== undefined) await connection.send({ kind: "SetModel", sessionId: session, model: wanted });
  const settingsNotice = hasRunFlags(settings)
    ? ["This session already runs and continues as it was started: the other flags do not change it."]
    : [];
  const fresh = await personalRequest({ settings, at, elsewhere });
  const now = { session, log, profile, model: wanted ?? model, history: true, past };
  return { ...now, fresh, notices: settingsNotice };
}

function noticesOf({ result }: Accepted): Pick<LineSession, "notices" | "expiring"> {
  const { notices, expiring } = isObject(result) ? result : {};
  return {
    notices: Array.isArray(notices) ? notices.filter((notice) => typeof notice === "string") : [],
    ...(typeof expiring === "string" ? { expiring } : {}),
  };
}

async function wantedSession(dependencies: LineSessionDependencies): Promise<SessionInfo | undefined> {
  const { port, settings, at, elsewhere } = dependencies;
  const { resume } = settings;
  const directory = elsewhere ? (settings.cwd ?? "") : at.workingDir;
  if (resume !== undefined) return await resumedSession(sessionsOf(port, at.stop.signal), resume, directory);
  return await chosenSession(dependencies, directory);
}

/**
 * Returns the session to resume; the last one of any directory if none is named.
 * @throws HarnessError NothingToContinue, NoSuchSession, SessionAmbiguous.
 */
export async function resumedSession(
  sessions: SessionsOfEngine,
  resume: NonNullable<Settings["resume"]>,
  directory: string,
): Promise<SessionInfo> {
  const wanted = resume.kind === "last" ? "last" : resume.id;
  return (await findSession(wanted, stored(sessions), directory)).info;
}

/** Sessions of an engine, for a client that may see all. */
export interface SessionsOfEngine {
  list(query: { readonly past: boolean }): Promise<readonly SessionInfo[]>;
  /** @throws HarnessError UnknownSession. */
  get(id: SessionId): Promise<SessionInfo>;
}

export function sessionsOf({ query }: Pick<EnginePort, "query">, signal: AbortSignal): SessionsOfEngine {
  const asking = { identityClass: "human", signal } as const;
  return {
    list: async ({ past }) => (await query({ kind: "ListSessions", past }, asking)).sessions,
    get: async (sessionId) => await query({ kind: "GetSession", sessionId, last: 0 }, asking),
  };
}

/** Returns the sessions of an engine in the form that `findSession` reads. */
function stored(sessions: SessionsOfEngine) {
  const found = (info: SessionInfo) => ({
    session: info.session,
    logId: info.log,
    turns: info.turns,
    ...(info.branch_of === undefined
      ? {}
      : { branchOf: { logId: info.branch_of.log, at: info.branch_of.event } }),
    info,
  });
  return {
    async find(id: string) {
      try {
        if (isId("sess", id)) return found(await sessions.get(id));
      } catch (thrown) {
        if (!hasReason(thrown, "UnknownSession")) throw thrown;
      }
      const all = await sessions.list({ past: true });
      const info = all.find(({ log }) => log === id);
      return info === undefined ? undefined : found(info);
    },
    async list(query: { readonly workingDir?: string; readonly begins?: string; readonly limit: number }) {
      const { workingDir = "", begins = "", limit } = query;
      const all = await sessions.list({ past: true });
      const here = all.filter(
        ({ working_dir, session, log }) =>
          (workingDir === "" || working_dir === workingDir) &&
          [session, log].some((id) => id.startsWith(begins) || id.replace(/^[a-z]+_/, "").startsWith(begins)),
      );
      return here.slice(0, limit).map(found);
    },
  };
}

/** Asks the person, if there is a choice. */
async function chosenSession(
  { port, person, at, elsewhere }: LineSessionDependencies,
  directory: string,
): Promise<SessionInfo | undefined> {
  const live = await sessionsOf(port, at.stop.signal).list({ past: false });
  // A script on a pipe cannot choose: it gets the only session that its token shows.
  if (person === undefined) return elsewhere && live.length === 1 ? live[0] : undefined;
  const { terminal, ahead } = person;
  const isHere = ({ working_dir }: SessionInfo) => working_dir === directory;
  // Sessions of other directories are left out, unless this is about another machine. On this machine, so are sessions
  // without a turn.
  const running = elsewhere ? live : live.filter((info) => info.turns > 0 && isHere(info));
  const sessions = [...running.filter(isHere), ...running.filter((info) => !isHere(info))].slice(
    0,
    SHOWN_MAX,
  );
  if (sessions.length === 0) return undefined;
  const rows = sessions.map(
    (info, index) =>
      `  ${index + 1}  ${rowOf(info)}${isHere(info) ? "" : `  (${neutraliseLine(info.working_dir)})`}\n`,
  );
  const last = sessions.length === 1 ? "1" : `1-${sessions.length}`;
  await terminal.write(
    `These sessions already run:\n${rows.join("")}A number continues that one, Enter begins a new one.\n`,
  );
  using answers = ahead.ask({ prompt: `${last} or Enter > `, question: {} });
  for (;;) {
    const typed = (await answers.next()).trim();
    const chosen = sessions[Number(typed) - 1] ?? sessions.find(({ session }) => session === typed);
    if (chosen !== undefined || typed === "") return chosen;
    await terminal.write("Type the number of a session, or press Enter for a new one; /quit leaves.\n");
  }
}

function rowOf({ session, title, turns, status }: SessionInfo): string {
  const shown = neutraliseLine(title).slice(0, TITLE_CHARS_MAX);
  return `${session}  ${shown === "" ? "(nothing said yet)" : shown}  ${count(turns, "turn")}, ${status}`;
}
