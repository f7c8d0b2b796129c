import { unreachable } from "../../base/assert.ts";
import type { ClientId, SessionId } from "../../base/ids.ts";
import { count } from "../../base/text/text.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { McpServerInfo, SessionInfo } from "../../protocol/resources.ts";
import type { SessionView } from "../session/session-view.ts";
import type { KnownTask } from "../session/tasks.ts";
import type { KnownSessions } from "./known-sessions.ts";
import { sessionIn, sortedSessions } from "./known-sessions.ts";

export const SECTION_NAMES = [
  "sessions",
  "todos",
  "tasks",
  "here",
  "skills",
  "servers",
  "hooks",
  "policy",
] as const;
export type OverviewName = (typeof SECTION_NAMES)[number];

export type EntryTone = "plain" | "dim" | "accent" | "good" | "warning" | "failure";

/** A line of a section. Its texts may come from models and tools: they are made safe where they are drawn. */
export interface SectionEntry {
  /** One character before the text. */
  readonly mark: string;
  readonly text: string;
  /** Facts behind the text, which a narrow list cuts first. */
  readonly detail?: string;
  readonly tone: EntryTone;
  /** The session that it stands for; a person can go there. */
  readonly session?: SessionId;
}

export interface Section {
  readonly name: OverviewName;
  readonly title: string;
  /** Count or state behind the title. */
  readonly note: string;
  readonly entries: readonly SectionEntry[];
}

/** A list that was asked for: absent until it is known; a text if it could not be read. */
export type Read<Value> = Value | string | undefined;

export interface OverviewFacts {
  readonly view: SessionView;
  /** The session that is shown, and the client that shows it. */
  readonly shown?: SessionId;
  readonly self?: string;
  readonly sessions: KnownSessions;
  readonly skills: Read<ResultOf<"ListSkills">>;
  readonly servers: Read<readonly McpServerInfo[]>;
  readonly hooks: Read<ResultOf<"ListHooks">>;
}

const TITLES: Readonly<Record<OverviewName, string>> = {
  sessions: "Sessions",
  todos: "Todos",
  tasks: "Tasks",
  here: "Who is here",
  skills: "Skills",
  servers: "MCP servers",
  hooks: "Hooks",
  policy: "Policy",
};

/** Returns the sections of a sidebar, also those that are empty. */
export function overviewSections(facts: OverviewFacts): readonly Section[] {
  return SECTION_NAMES.map((name) => {
    const entries = ENTRIES[name](facts);
    return { name, title: TITLES[name], note: noteOf(name, facts, entries), entries };
  });
}

const ENTRIES: Readonly<Record<OverviewName, (facts: OverviewFacts) => readonly SectionEntry[]>> = {
  sessions: ({ sessions, shown }) => sortedSessions(sessions, shown).map((info) => sessionEntry(info, shown)),
  todos: ({ view }) => view.todos.map(todoEntry),
  tasks: ({ view }) => (view.run?.tasks ?? []).toReversed().map(taskEntry),
  here: hereEntries,
  skills: ({ skills }) =>
    read(skills, (known) => [
      ...known.skills.map(({ name }) => ({ mark: " ", text: name, tone: "plain" as const })),
      ...(known.notices ?? []).map((text) => ({ mark: "!", text, tone: "warning" as const })),
    ]),
  servers: ({ servers }) => read(servers, (known) => known.map(serverEntry)),
  hooks: ({ hooks }) =>
    read(hooks, (known) => [
      ...known.hooks.map(({ event, command, matcher = [] }) => ({
        mark: " ",
        text: [event, ...matcher].join(" "),
        detail: command,
        tone: "plain" as const,
      })),
      ...known.waiting.map((path) => ({
        mark: "!",
        text: `waits for a review: ${path}`,
        tone: "warning" as const,
      })),
    ]),
  policy: policyEntries,
};

function noteOf(
  name: OverviewName,
  { view, hooks }: OverviewFacts,
  entries: readonly SectionEntry[],
): string {
  if (name === "todos") {
    const done = view.todos.filter(({ status }) => status === "completed").length;
    return entries.length === 0 ? "" : `${done}/${entries.length}`;
  }
  if (name === "tasks") {
    const running = (view.run?.tasks ?? []).filter(({ state }) => state === "running").length;
    return running === 0 ? "" : `${running} running`;
  }
  if (name === "sessions") {
    const waiting = entries.filter(({ mark }) => mark === SESSION_MARKS.waiting).length;
    if (waiting > 0) return `${entries.length}, ${waiting} waiting`;
  }
  if (name === "hooks" && typeof hooks === "object" && hooks.more) return `${hooks.hooks.length}+`;
  return entries.length === 0 ? "" : String(entries.length);
}

const SESSION_MARKS = { running: "●", waiting: "?", idle: "○" } as const;
const SESSION_TONES = { running: "accent", waiting: "warning", idle: "plain" } as const;
const STATE_WORDS = { running: "running", waiting: "waits for an answer", idle: "" } as const;

function sessionEntry(info: SessionInfo, shown: SessionId | undefined): SectionEntry {
  const { title, state = "idle", unread = 0, session, working_dir: folder } = info;
  const isShown = session === shown;
  const facts = [
    ...(isShown ? ["shown"] : []),
    ...(STATE_WORDS[state] === "" ? [] : [STATE_WORDS[state]]),
    // What is shown is being read.
    ...(unread === 0 || isShown ? [] : [`${unread} unread`]),
    folder.slice(folder.lastIndexOf("/") + 1),
  ];
  return {
    mark: SESSION_MARKS[state],
    text: title === "" ? "(nothing said yet)" : title,
    detail: facts.join(" · "),
    tone: SESSION_TONES[state],
    session,
  };
}

function todoEntry({ content, activeForm, status }: SessionView["todos"][number]): SectionEntry {
  switch (status) {
    case "completed":
      return { mark: "✓", text: content, tone: "dim" };
    case "in_progress":
      return { mark: "▸", text: activeForm ?? content, tone: "accent" };
    case "pending":
      return { mark: "○", text: content, tone: "plain" };
    default:
      return unreachable(status);
  }
}

const TASKS = {
  running: { mark: "●", tone: "accent" },
  done: { mark: "✓", tone: "dim" },
  failed: { mark: "✗", tone: "failure" },
  stopped: { mark: "■", tone: "dim" },
} as const satisfies Readonly<
  Record<KnownTask["state"], { readonly mark: string; readonly tone: EntryTone }>
>;

function taskEntry({ what, state, detail, isUncertain }: KnownTask): SectionEntry {
  const facts = [
    state,
    ...(isUncertain === true ? ["or ended meanwhile"] : []),
    ...(detail === undefined ? [] : [detail]),
  ];
  return { ...TASKS[state], text: what, detail: facts.join(" · ") };
}

/** The clients that follow the session, and the one that began the turn that runs (TUI-09). */
function hereEntries({ sessions, shown, self, view }: OverviewFacts): readonly SectionEntry[] {
  const { clients = [] } = (shown === undefined ? undefined : sessionIn(sessions, shown)) ?? {};
  const originator = view.run?.turn?.originator;
  const entries = clients.map(({ id, label, identity_class: identityClass }) =>
    clientEntry({ id, label, identityClass, isSelf: id === self, isOriginator: id === originator }),
  );
  const isGone = originator !== undefined && !clients.some(({ id }) => id === originator);
  if (!isGone || clients.length === 0) return entries;
  const { label = "a client", identityClass = "human" } = view.clients.get(originator) ?? {};
  const entry = clientEntry({ id: originator, label, identityClass, isSelf: false, isOriginator: true });
  return [...entries, { ...entry, detail: `${entry.detail ?? ""} · has left` }];
}

/** Characters of an id that no other client can copy, as `displayName` shows them. */
const ID_CHARACTERS = 6;

function clientEntry({
  id,
  label,
  identityClass,
  isSelf,
  isOriginator,
}: {
  readonly id: ClientId;
  readonly label: string;
  readonly identityClass: string;
  readonly isSelf: boolean;
  readonly isOriginator: boolean;
}): SectionEntry {
  const facts = [identityClass, ...(isOriginator ? ["began the turn"] : []), `…${id.slice(-ID_CHARACTERS)}`];
  return {
    mark: isOriginator ? "▸" : " ",
    text: isSelf ? "you" : `"${label.replaceAll('"', "'")}"`,
    detail: facts.join(" · "),
    tone: isOriginator ? "accent" : "plain",
  };
}

const SERVERS = {
  running: { mark: "●", tone: "good" },
  starting: { mark: "○", tone: "accent" },
  stopped: { mark: "○", tone: "dim" },
  degraded: { mark: "✗", tone: "failure" },
} as const;

function serverEntry({ name, state, tools }: McpServerInfo): SectionEntry {
  const words = state === "degraded" ? "could not be started again" : state;
  return { ...SERVERS[state], text: name, detail: `${words} · ${count(tools, "tool")}` };
}

function policyEntries({ view, sessions, shown }: OverviewFacts): readonly SectionEntry[] {
  const { run } = view;
  if (run === undefined || shown === undefined) return [];
  const level = run.level ?? sessionIn(sessions, shown)?.level;
  const plain = (text: string, detail?: string): SectionEntry => ({
    mark: " ",
    text,
    tone: "plain",
    ...(detail === undefined ? {} : { detail }),
  });
  return [
    ...(run.planMode ? [{ mark: "▸", text: "plan mode: nothing is changed", tone: "accent" as const }] : []),
    ...(level === undefined ? [] : [plain(`level ${level}`)]),
    ...run.rules.map((rule) => plain(rule, "allowed here")),
    ...(run.openedWith ?? []).map((rule) => plain(rule, "--allow")),
    ...(run.folders ?? []).map((folder) => plain(folder, "folder added")),
  ];
}

function read<Value extends object>(
  value: Read<Value>,
  entriesOf: (value: Value) => readonly SectionEntry[],
): readonly SectionEntry[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [{ mark: "!", text: value, tone: "failure" }] : entriesOf(value);
}
