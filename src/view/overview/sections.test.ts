import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import type { SessionId } from "../../base/ids.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import { NEW_SESSION } from "../session/session-view.ts";
import { allLines, fitSections } from "./fit-sections.ts";
import { NO_SESSIONS, sessionsAfter } from "./known-sessions.ts";
import type { OverviewFacts, OverviewName, Section } from "./sections.ts";
import { overviewSections, SECTION_NAMES } from "./sections.ts";

const SHOWN = "sess_01HXXA0000000000000000000A" as SessionId;
const SELF = "cli_01HXXA000000000000000SELF0";
const OTHER = "cli_01HXXA00000000000000OTHER0";

function info(at: number, more: Partial<SessionInfo> = {}): SessionInfo {
  return {
    session: `sess_01HXXA000000000000000000${at}B`,
    log: `log_01HXXA000000000000000000${at}B`,
    title: `session ${at}`,
    state: "idle",
    working_dir: "/home/user/project",
    updated_at: `2026-01-0${at}T00:00:00.000Z`,
    ...more,
  } as unknown as SessionInfo;
}

const changed = (each: SessionInfo): NewsItem => ({
  kind: "SessionChanged",
  session: each.session,
  info: each,
});

function factsOf(more: Partial<OverviewFacts> = {}, sessions: readonly SessionInfo[] = []): OverviewFacts {
  return {
    view: NEW_SESSION,
    shown: SHOWN,
    self: SELF,
    sessions: sessions.map(changed).reduce(sessionsAfter, NO_SESSIONS),
    skills: undefined,
    servers: undefined,
    hooks: undefined,
    ...more,
  };
}

function linesOf(facts: OverviewFacts, name: OverviewName): readonly string[] {
  const section = overviewSections(facts).find((each) => each.name === name);
  return (section?.entries ?? []).map(({ mark, text, detail = "" }) => `${mark} ${text} | ${detail}`.trim());
}

test("[TUI-06] sessions stand in the order in which a person looks for them, with state and unread turns", () => {
  const facts = factsOf({}, [
    info(1, { unread: 2 }),
    info(2, { state: "running" }),
    info(3, { state: "waiting", title: "" }),
    info(4, { session: SHOWN, unread: 1 }),
  ]);
  expect(linesOf(facts, "sessions")).toEqual([
    "○ session 4 | shown · project",
    "? (nothing said yet) | waits for an answer · project",
    "● session 2 | running · project",
    "○ session 1 | 2 unread · project",
  ]);
  expect(overviewSections(facts)[0]?.note).toBe("4, 1 waiting");
});

test("[TUI-06] a session that is gone leaves the list, unless a newer run on its log has taken its place", () => {
  const [old, newer] = [info(1), info(1, { session: SHOWN })];
  const gone: NewsItem = { kind: "SessionGone", session: old.session, log: old.log };
  const known = [changed(old), changed(newer), gone].reduce(sessionsAfter, NO_SESSIONS);
  expect([...known.values()]).toEqual([newer]);
  expect(sessionsAfter(sessionsAfter(NO_SESSIONS, changed(old)), gone).size).toBe(0);
});

test("[TUI-09] who is here: each client with its class, and the one that began the turn", () => {
  const clients = [
    { id: SELF, label: "cinch terminal", identity_class: "human" },
    { id: OTHER, label: 'we"b', identity_class: "agent" },
  ] as unknown as SessionInfo["clients"];
  const run = { turn: { number: 1, originator: OTHER }, tasks: [], rules: [], planMode: false };
  const view = { ...NEW_SESSION, run } as unknown as OverviewFacts["view"];
  const sessions = [info(1, { session: SHOWN, ...(clients === undefined ? {} : { clients }) })];
  expect(linesOf(factsOf({ view }, sessions), "here")).toEqual([
    "you | human · …0SELF0",
    `▸ "we'b" | agent · began the turn · …OTHER0`,
  ]);
  const alone = [info(1, { session: SHOWN, clients: (clients ?? []).slice(0, 1) })];
  expect(linesOf(factsOf({ view }, alone), "here").at(-1)).toEndWith("began the turn · …OTHER0 · has left");
});

test("[TUI-06] skills, servers, hooks and policy are listed, and a list that could not be read says why", () => {
  const run = { tasks: [], rules: ["Bash:ls *"], level: "ReadOnly", planMode: true, folders: ["/x"] };
  const facts = factsOf({
    view: { ...NEW_SESSION, run } as unknown as OverviewFacts["view"],
    skills: { skills: [{ name: "write-docs", description: "", source: "user" }] },
    servers: [{ name: "db", state: "degraded", tools: 1 }],
    hooks: "no right to read them",
  });
  expect(linesOf(facts, "skills")).toEqual(["write-docs |"]);
  expect(linesOf(facts, "servers")).toEqual(["✗ db | could not be started again · 1 tool"]);
  expect(linesOf(facts, "hooks")).toEqual(["! no right to read them |"]);
  expect(linesOf(facts, "policy")).toEqual([
    "▸ plan mode: nothing is changed |",
    "level ReadOnly |",
    "Bash:ls * | allowed here",
    "/x | folder added",
  ]);
});

test("[TUI-06] sections fit any height: titles first, room in turns, and what is missing is counted", async () => {
  const arbitrary = fc.array(fc.nat({ max: 30 }), { minLength: 8, maxLength: 8 });
  await holds(
    fc.property(arbitrary, fc.nat({ max: 60 }), fc.subarray([...SECTION_NAMES]), (counts, rows, folded) => {
      const sections = SECTION_NAMES.map((name, at): Section => sectionOf(name, counts[at] ?? 0));
      const lines = fitSections(sections, { rows, folded: new Set(folded) });
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const { name, entries } of sections) {
        const own = lines.filter((line) => line.kind !== "gap" && line.section.name === name);
        if (own.length < 2) continue;
        const shown = own.filter(({ kind }) => kind === "entry").length;
        const hidden = own.reduce((sum, line) => sum + (line.kind === "more" ? line.hidden : 0), 0);
        if (lines.length < rows || own.at(-1)?.kind === "more") expect(shown + hidden).toBe(entries.length);
      }
    }),
    300,
  );
});

test("[TUI-06] a long list shows the part that is worked on, and one list leaves room to the others", () => {
  const todos = sectionOf("todos", 20, 12);
  const lines = fitSections([todos, sectionOf("skills", 3)], { rows: 12, folded: new Set() });
  const texts = lines.map((line) => (line.kind === "entry" ? line.entry.text : line.kind));
  expect(texts).toEqual([
    "title",
    ...["todos 11", "todos 12", "todos 13", "todos 14", "todos 15", "todos 16", "more"],
    "title",
    ...["skills 0", "skills 1", "skills 2"],
  ]);
  expect(allLines([todos], new Set(["todos"])).map(({ kind }) => kind)).toEqual(["title"]);
});

function sectionOf(name: OverviewName, count: number, atWork = -1): Section {
  const entries = Array.from({ length: count }, (_, at) => ({
    mark: "○",
    text: `${name} ${at}`,
    tone: at === atWork ? ("accent" as const) : ("plain" as const),
  }));
  return { name, title: name, note: "", entries };
}
