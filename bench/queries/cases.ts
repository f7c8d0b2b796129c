import type { SessionId } from "../../src/base/ids.ts";
import type { QueryKind } from "../../src/protocol/kinds.ts";
import type { QueryOf } from "../../src/protocol/queries/queries.ts";
import { SEARCH_TIME_MS_MAX } from "../../src/protocol/queries/search-queries.ts";
import { ONLY_IN_OLDEST } from "../search-texts.ts";
import type { StoredSessions } from "./stored.ts";
import { ABSENT_WORD, RARE_TITLE } from "./stored.ts";

/** A read of the bare database; each `payload` of its rows is parsed. */
export interface BareRead {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** One way of asking a query. */
export interface QueryCase {
  /** Text behind the name of the query. */
  readonly what: string;
  /** @param running the session that runs, see `runs`; else empty. */
  readonly ask: (stored: StoredSessions, running: SessionId) => object;
  /** The same with bun:sqlite alone. Absent: nothing of it stands in a table. */
  readonly bare?: (stored: StoredSessions) => BareRead;
  /** Milliseconds, warm. */
  readonly aim?: number;
  /** True: `running` is a stored session that runs again. */
  readonly runs?: true;
}

/** A query that reads nothing stored is left out, and says what it reads. */
export interface LeftOut {
  readonly reads: string;
}

type CasesOf<Kind extends QueryKind> =
  | LeftOut
  | readonly (QueryCase & {
      readonly ask: (stored: StoredSessions, running: SessionId) => Omit<QueryOf<Kind>, "kind">;
    })[];

/** Aim of a page, warm. */
const PAGE_MS = 50;
const PAGE = 50;
const ITEMS = 100;
/** Events of the bare page that has as many items, or turns, as that of the query. */
const EVENTS_PER_ITEM = 2;
const EVENTS_PER_TURN = 20;
const LOG = "SELECT num FROM logs WHERE session = ?";

const newestLogs = (limit: number): BareRead => ({
  sql: "SELECT * FROM logs ORDER BY updated_at DESC LIMIT ?",
  values: [limit],
});
const titled = (word: string): BareRead => ({
  sql: "SELECT * FROM logs WHERE title LIKE ? OR directory LIKE ? OR session LIKE ? ORDER BY updated_at DESC LIMIT ?",
  values: [`%${word}%`, `%${word}%`, `%${word}%`, PAGE],
});
const eventsBefore = (session: string, before: number, limit: number): BareRead => ({
  sql: `SELECT id, kind, ts, payload FROM events WHERE log = (${LOG}) AND id <= ? ORDER BY id DESC LIMIT ?`,
  values: [session, before, limit],
});
const eventsOfKind = (session: string, kind: string): BareRead => ({
  sql: `SELECT id, turn, payload FROM events WHERE log = (${LOG}) AND kind = ?`,
  values: [session, kind],
});
/** Finds the events that hold a word, the newest first. */
export const foundIn = (word: string, limit: number): BareRead => ({
  sql: "SELECT log, id, kind, payload FROM events WHERE payload LIKE ? ORDER BY log DESC, id DESC LIMIT ?",
  values: [`%${word}%`, limit],
});
const pageOfItems = (at: (events: number) => number) => (stored: StoredSessions) =>
  eventsBefore(stored.long.session, at(stored.longEvents), ITEMS * EVENTS_PER_ITEM);
const pageOfTurns = (at: (events: number) => number) => (stored: StoredSessions) =>
  eventsBefore(stored.long.session, at(stored.longEvents), PAGE * EVENTS_PER_TURN);

const first = (): number => ITEMS * EVENTS_PER_ITEM;
const middle = (events: number): number => Math.floor(events / 2);
const last = (events: number): number => events;
const middleTurn = ({ longEvents }: StoredSessions): number =>
  1 + Math.floor(longEvents / 2 / EVENTS_PER_TURN);
const allOf = { past: true, limit: PAGE } as const;
const longOf = ({ long }: StoredSessions) => ({ sessionId: long.session });

/** Every query, with the ways in which it is measured. */
export const QUERY_CASES: { readonly [Kind in QueryKind]: CasesOf<Kind> } = {
  ListSessions: [
    { what: `the newest ${PAGE}`, ask: () => allOf, bare: () => newestLogs(PAGE), aim: PAGE_MS },
    {
      what: `${PAGE} in the middle`,
      ask: ({ middle: { updatedAt, logId } }) => ({ ...allOf, before: `${updatedAt}/${logId}` }),
      bare: ({ middle: { updatedAt } }) => ({
        sql: "SELECT * FROM logs WHERE updated_at < ? ORDER BY updated_at DESC LIMIT ?",
        values: [updatedAt, PAGE],
      }),
      aim: PAGE_MS,
    },
    {
      what: `${PAGE} with the model's last text and what a reader has not read`,
      ask: () => ({ ...allOf, previews: true, reader: "bench" }),
      bare: () => newestLogs(PAGE),
      aim: PAGE_MS,
    },
    { what: "the newest 1,000", ask: () => ({ past: true, limit: 1_000 }), bare: () => newestLogs(1_000) },
    {
      what: "of a directory",
      ask: ({ oldest }) => ({ ...allOf, sessionId: oldest.session }),
      bare: ({ folder }) => ({
        sql: "SELECT * FROM logs WHERE directory = ? ORDER BY updated_at DESC LIMIT ?",
        values: [folder, PAGE],
      }),
      aim: PAGE_MS,
    },
    {
      what: "a word that one title has",
      ask: () => ({ ...allOf, text: RARE_TITLE.slice(0, 9) }),
      bare: () => titled(RARE_TITLE.slice(0, 9)),
      aim: PAGE_MS,
    },
    {
      what: "a word that most titles have",
      ask: () => ({ ...allOf, text: "the" }),
      bare: () => titled("the"),
      aim: PAGE_MS,
    },
    {
      what: "a word that no title has",
      ask: () => ({ ...allOf, text: "zzzz" }),
      bare: () => titled("zzzz"),
      aim: PAGE_MS,
    },
    { what: "those that run", ask: () => ({ ...allOf, state: "running" }), aim: PAGE_MS },
    {
      what: "those that are idle",
      ask: () => ({ ...allOf, state: "idle" }),
      bare: () => newestLogs(PAGE),
      aim: PAGE_MS,
    },
    { what: "those in the archive, none", ask: () => ({ ...allOf, archived: "only" }), aim: PAGE_MS },
  ],
  GetSession: [
    {
      what: "the newest, with its last 50 events",
      ask: ({ newest }) => ({ sessionId: newest.session }),
      bare: ({ newest, events }) => eventsBefore(newest.session, events, 50),
      aim: PAGE_MS,
    },
    {
      what: "the long log, with its last 50 events",
      ask: longOf,
      bare: ({ long, longEvents }) => eventsBefore(long.session, longEvents, 50),
      aim: PAGE_MS,
    },
  ],
  FindSession: [
    {
      what: "by the beginning of its id",
      ask: ({ middle: { session } }) => ({ text: session.slice(0, -4) }),
      bare: ({ middle: { session } }) => ({
        sql: "SELECT * FROM logs WHERE instr(session, ?) = 1",
        values: [session.slice(0, -4)],
      }),
      aim: PAGE_MS,
    },
    {
      what: "the last of a directory",
      ask: ({ newest }) => ({ text: "last", sessionId: newest.session }),
      bare: () => newestLogs(1),
      aim: PAGE_MS,
    },
  ],
  ListTurns: [
    { what: `the last ${PAGE} of the long log`, ask: longOf, bare: pageOfTurns(last), aim: PAGE_MS },
    {
      what: `the first ${PAGE}`,
      ask: (stored) => ({ ...longOf(stored), after: 0 }),
      bare: pageOfTurns(() => PAGE * EVENTS_PER_TURN),
      aim: PAGE_MS,
    },
    {
      what: `${PAGE} in the middle`,
      ask: (stored) => ({ ...longOf(stored), before: middleTurn(stored) }),
      bare: pageOfTurns(middle),
      aim: PAGE_MS,
    },
  ],
  ListItems: [
    { what: `the last ${ITEMS} of the long log`, ask: longOf, bare: pageOfItems(last), aim: PAGE_MS },
    {
      what: `the first ${ITEMS}`,
      ask: (stored) => ({ ...longOf(stored), after: 0 }),
      bare: pageOfItems(first),
      aim: PAGE_MS,
    },
    {
      what: `${ITEMS} in the middle`,
      ask: (stored) => ({ ...longOf(stored), before: middle(stored.longEvents) }),
      bare: pageOfItems(middle),
      aim: PAGE_MS,
    },
    {
      what: "of a turn in the middle",
      ask: (stored) => ({ ...longOf(stored), turn: middleTurn(stored) }),
      bare: ({ long, longEvents }) => eventsBefore(long.session, middle(longEvents), EVENTS_PER_TURN),
      aim: PAGE_MS,
    },
  ],
  GetItem: [
    {
      what: "in the middle of the long log",
      ask: (stored) => ({ ...longOf(stored), event: 1 + EVENTS_PER_TURN * (middleTurn(stored) - 1) }),
      bare: ({ long, longEvents }) => eventsBefore(long.session, middle(longEvents), 1),
      aim: PAGE_MS,
    },
  ],
  ListTasks: [
    {
      what: "of the long log, none",
      ask: longOf,
      bare: ({ long }) => eventsOfKind(long.session, "TaskChanged"),
    },
  ],
  GetSpend: [
    {
      what: "of a session",
      ask: ({ newest }) => ({ sessionId: newest.session }),
      bare: ({ newest }) => eventsOfKind(newest.session, "CostIncremented"),
      aim: PAGE_MS,
    },
    {
      what: "of the long log",
      ask: longOf,
      bare: ({ long }) => eventsOfKind(long.session, "CostIncremented"),
    },
  ],
  SearchSessions: [
    {
      what: "the first hit of a common word",
      ask: () => ({ text: "error", limit: 1 }),
      bare: () => foundIn("error", 1),
      aim: 100,
    },
    {
      what: "a word that only the oldest has",
      ask: () => ({ text: ONLY_IN_OLDEST, timeMs: SEARCH_TIME_MS_MAX }),
      bare: () => foundIn(ONLY_IN_OLDEST, 20),
      aim: 2_000,
    },
    {
      what: "a word that none has",
      ask: () => ({ text: ABSENT_WORD, timeMs: SEARCH_TIME_MS_MAX }),
      bare: () => foundIn(ABSENT_WORD, 20),
      aim: 2_000,
    },
    {
      what: "a word that none has, in the long log",
      ask: (stored) => ({ ...longOf(stored), text: ABSENT_WORD }),
      bare: ({ long }) => ({
        sql: `SELECT id, payload FROM events WHERE log = (${LOG}) AND payload LIKE ? LIMIT 20`,
        values: [long.session, `%${ABSENT_WORD}%`],
      }),
      aim: 2_000,
    },
  ],
  GetContext: [
    {
      what: "of a session that runs again",
      ask: (_stored, sessionId) => ({ sessionId }),
      aim: PAGE_MS,
      runs: true,
    },
  ],
  GetChanges: [
    {
      what: "of a session without any",
      ask: (_stored, sessionId) => ({ sessionId }),
      aim: PAGE_MS,
      runs: true,
    },
  ],
  ListExpiring: [
    { what: "of all sessions", ask: () => ({}), bare: () => ({ sql: "SELECT * FROM logs", values: [] }) },
  ],
  GetDraft: [
    { what: "none", ask: ({ newest }) => ({ sessionId: newest.session, reader: "bench" }), aim: PAGE_MS },
  ],
  Complete: [
    {
      what: "the title of a session",
      ask: (_stored, sessionId) => ({ sessionId, text: "/resume the", cursor: 11 }),
      bare: () => newestLogs(200),
      aim: PAGE_MS,
      runs: true,
    },
  ],
  GetWorkspace: { reads: "the repository" },
  ListRules: { reads: "the rules of a session that runs" },
  ListHooks: { reads: "the settings of a session that runs" },
  GetSessionProfile: { reads: "the settings of a session that runs" },
  CheckProfile: { reads: "profiles" },
  ListAgents: { reads: "the kinds of agents of a session that runs" },
  ExpandPrompt: { reads: "a prompt template" },
  ExpandMcpPrompt: { reads: "an MCP server" },
  GetHealth: { reads: "the state of the engine" },
  GetRuntime: { reads: "the state of the engine" },
  GetEngineHealth: { reads: "the state of the engine" },
  GetWebClient: { reads: "the state of the engine" },
  ListProfiles: { reads: "profiles" },
  GetProfile: { reads: "profiles" },
  ListProviders: { reads: "the configuration" },
  ListModels: { reads: "a provider" },
  ListPrices: { reads: "the configuration" },
  ListTools: { reads: "declarations" },
  ListSkills: { reads: "skills" },
  GetSkill: { reads: "skills" },
  ListSlashCommands: { reads: "declarations" },
  ListMcpServers: { reads: "MCP servers" },
};
