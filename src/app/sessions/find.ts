import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { nearestWords } from "../../base/text/near.ts";
import type { ResumeRequest } from "../../session/options.ts";
import type { LogInfo } from "../../session/store/store.ts";

/** Newest logs of a directory that are searched for one to continue. */
const RECENT_LOGS = 50;
/** Switches without input between them that are followed back. */
const ORIGINS_MAX = 50;
/** Sessions that are searched for the beginning of an id. */
const LOGS_MAX = 100_000;
const TOLD_MAX = 3;
/** Characters behind the prefix that the beginning of an id needs. */
const PREFIX_UNITS_MIN = 4;

/** Facts of a session that the search reads. */
type SessionFacts = Pick<LogInfo, "session" | "logId" | "turns" | "branchOf">;

/** Source of the sessions: a store, or the catalogue of an engine. */
interface Reading<Info extends SessionFacts> {
  find(id: SessionId | LogId): Promise<Info | undefined>;
  /** Lists sessions, the newest first. */
  list(query: {
    readonly workingDir?: string;
    /** Only sessions whose log id begins like that, or the id of one of their runs. */
    readonly begins?: string;
    readonly limit: number;
  }): Promise<readonly Info[]>;
}

/** Returns the log to continue. @throws HarnessError NothingToContinue, NoSuchSession, SessionAmbiguous. */
export async function findLog(
  resume: ResumeRequest | undefined,
  store: Reading<LogInfo>,
  workingDir: string,
): Promise<LogInfo | undefined> {
  if (resume === undefined) return undefined;
  return await findSession(resume.kind === "last" ? "last" : resume.id, store, workingDir);
}

/**
 * Returns the session that a person names: by its session or log id, by a unique beginning of one, or as `last`, the
 * newest of a directory that had input. A session without input that continues or branches off another one stands for
 * that one: the conversation is there.
 * @throws HarnessError NothingToContinue, NoSuchSession with the nearest or newest ids, SessionAmbiguous.
 */
export async function findSession<Info extends SessionFacts>(
  wanted: string,
  store: Reading<Info>,
  workingDir: string,
): Promise<Info> {
  if (wanted === "last") return await lastOf(store, workingDir);
  const id = normalId(wanted);
  const exact = isId("sess", id) || isId("log", id) ? await store.find(id) : undefined;
  if (exact !== undefined) return exact;
  const named = isPrefix(id) ? await store.list({ begins: id, limit: LOGS_MAX }) : [];
  // A session that was continued, or rewound, has a new id, and its earlier ids name it too.
  const newest = named.filter((info) => idsOf(info).some((known) => begins(known, id)));
  const found = newest.length === 0 ? named : newest;
  const [first, ...others] = found;
  if (first === undefined) throw noSuchSession(wanted, await store.list({ limit: LOGS_MAX }));
  if (others.length === 0) return first;
  const ids = found.slice(0, TOLD_MAX).map(({ session }) => session);
  const more = found.length > TOLD_MAX ? ", …" : "";
  throw new HarnessError("SessionAmbiguous", {
    id: wanted,
    count: `${found.length}`,
    ids: `${ids.join(", ")}${more}`,
  });
}

async function lastOf<Info extends SessionFacts>(store: Reading<Info>, workingDir: string): Promise<Info> {
  const within = workingDir === "" ? {} : { workingDir };
  for (const log of await store.list({ ...within, limit: RECENT_LOGS })) {
    const spoken = await spokenIn(log, store);
    if (spoken !== undefined) return spoken; // a session without input is nothing to continue
  }
  const directory = workingDir === "" ? "any directory" : workingDir;
  throw new HarnessError("NothingToContinue", { directory });
}

/** Returns the log itself if it had input, else the nearest one that it comes from. */
async function spokenIn<Info extends SessionFacts>(
  log: Info,
  store: Reading<Info>,
): Promise<Info | undefined> {
  let found: Info | undefined = log;
  for (let steps = 0; found !== undefined && found.turns === 0 && steps < ORIGINS_MAX; steps += 1) {
    const origin: LogId | undefined = found.branchOf?.logId;
    found = origin === undefined ? undefined : await store.find(origin);
  }
  return found !== undefined && found.turns > 0 ? found : undefined;
}

/** Writes the prefix in lower case and the rest in upper case, like ids. */
function normalId(wanted: string): string {
  const [, prefix, rest = ""] = /^(?:(sess|log)_)?(.*)$/is.exec(wanted.trim()) ?? [];
  return prefix === undefined ? rest.toUpperCase() : `${prefix.toLowerCase()}_${rest.toUpperCase()}`;
}

function isPrefix(id: string): boolean {
  return id.replace(/^[a-z]+_/, "").length >= PREFIX_UNITS_MIN;
}

function idsOf({ session, logId }: SessionFacts): readonly string[] {
  return [session, logId];
}

function begins(known: string, id: string): boolean {
  return known.startsWith(id) || known.replace(/^[a-z]+_/, "").startsWith(id);
}

function noSuchSession(wanted: string, all: readonly SessionFacts[]): HarnessError<"NoSuchSession"> {
  return new HarnessError("NoSuchSession", { id: wanted, hint: hintFor(wanted, all) });
}

function hintFor(wanted: string, all: readonly SessionFacts[]): string {
  if (all.length === 0) return "No session is stored yet.";
  const id = normalId(wanted);
  const sameKind = (known: string) => !id.includes("_") || known.slice(0, 3) === id.slice(0, 3);
  const likely = nearestWords(id, all.slice(0, RECENT_LOGS).flatMap(idsOf).filter(sameKind));
  const isNear = likely.length > 0 && wanted.length > PREFIX_UNITS_MIN;
  const ids = isNear ? likely : all.slice(0, TOLD_MAX).map(({ session }) => session);
  return `${isNear ? "The nearest" : "The newest"}: ${ids.join(", ")}. All of them: cinch sessions list --all`;
}
