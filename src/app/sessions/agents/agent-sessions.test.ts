import { expect, test } from "bun:test";
import { testWorld } from "../../../../test/support/world.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { permissionHeading } from "../../../view/questions/question-words.ts";
import { AgentSessions, NOTICES_MAX, NOTICES_WINDOW_MS } from "./agent-sessions.ts";

const SESSION = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV" as SessionId;

function openDesk() {
  const world = testWorld();
  const live = new Set<SessionId>([SESSION]);
  const followed = new Map<SessionId, number>();
  const told: Event[] = [];
  const desktop: string[] = [];
  const decisions = new Map<string, boolean>();
  /** Resolves before each write of a decision. */
  const write = { ready: Promise.resolve() };
  const agents = new AgentSessions({
    world,
    live: () => [...live],
    peopleIn: (session) => followed.get(session) ?? 0,
    tellPeople: (event) => void told.push(event),
    keepTelling(event) {
      told.push(event);
      return { [Symbol.dispose]: () => undefined };
    },
    parents: async () => ({
      path: "/c/mcp-parents.lock",
      async read({ binary }) {
        const always = decisions.get(binary);
        return always === undefined ? "undecided" : always ? "always" : "never";
      },
      async keep({ binary }, always) {
        await write.ready;
        decisions.set(binary, always);
        return true;
      },
    }),
    tellDesktop(text) {
      desktop.push(text);
      return Promise.resolve(true);
    },
  });
  return { world, live, followed, told, desktop, agents, decisions, write };
}

test("[CTL-12] a session that an agent begins is announced in the documented words, on the desktop and to people", () => {
  const { agents, told, desktop } = openDesk();
  agents.began(SESSION, "Claude Code");
  const text = `Outer agent Claude Code started session ${SESSION}. /sessions:attach ${SESSION} to observe.`;
  expect(desktop).toEqual([text]);
  expect(told).toEqual([
    {
      kind: "CustomEvent",
      payload: {
        namespace: "cinch",
        kind: "AgentSession",
        payload: { session: SESSION, agent: "Claude Code", text },
      },
    },
  ]);
});

test("[CTL-12] questions of an agent's session notify while nobody is subscribed; a session that a person began never notifies", () => {
  const { agents, followed, desktop } = openDesk();
  agents.onPermissionAsked(SESSION, "Bash");
  agents.began(SESSION, "outer");
  agents.onPermissionAsked(SESSION, "Bash");
  followed.set(SESSION, 1);
  agents.onPermissionAsked(SESSION, "Read");
  expect(desktop.slice(1)).toEqual([
    `${permissionHeading({ tool: "Bash" })}, in session ${SESSION} of outer agent outer. /sessions:attach ${SESSION} to answer.`,
  ]);
});

test("[CTL-12] a person can mute the questions of a session; its start still notifies", () => {
  const { agents, desktop, live } = openDesk();
  expect(agents.mute(SESSION)).toBe(false);
  agents.began(SESSION, "outer");
  expect(agents.mute(SESSION)).toBe(true);
  agents.onPermissionAsked(SESSION, "Bash");
  expect(desktop).toHaveLength(1);
  live.delete(SESSION);
  const next = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAX" as SessionId;
  live.add(next);
  agents.began(next, "outer");
  expect(agents.mute(SESSION)).toBe(false); // it has ended, and is forgotten
  expect(desktop).toHaveLength(2);
});

test("[CTL-12] an agent's name is one line of so many characters, whatever it calls itself", () => {
  const { agents, desktop } = openDesk();
  agents.began(SESSION, `\u001b]0;x\u0007a\nb\u202e${"x".repeat(500)}`);
  const [text = ""] = desktop;
  expect(text).toMatch(/^Outer agent [^\n\u001b\u202e]{1,61} started session sess_/u);
});

test("[CTL-12] many new sessions do not flood the desktop: one notice announces the pause, until time has passed", async () => {
  const { agents, desktop, world } = openDesk();
  for (let count = 0; count < 3 * NOTICES_MAX; count++) agents.began(SESSION, `agent ${count}`);
  expect(desktop).toHaveLength(NOTICES_MAX);
  expect(desktop.at(-1)).toContain("Further notices are muted for a while.");
  await world.clock.advance(NOTICES_WINDOW_MS + 1);
  agents.began(SESSION, "later");
  expect(desktop).toHaveLength(NOTICES_MAX + 1);
});

const PARENT = { argv0: "agent", binary: "/opt/agent", binarySha256: "a".repeat(64) };
const NEXT = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAW" as SessionId;

for (const always of [true, false]) {
  test(`[CTL-12] while nobody has decided, questions are shown; the answer "${always ? "yes" : "no"}" holds for all sessions of the program, those that begin meanwhile too`, async () => {
    const { agents, told, live, desktop, write } = openDesk();
    live.add(NEXT);
    for (const session of [SESSION, NEXT]) agents.began(session, "outer");
    expect(await agents.askAutoAttach(SESSION, PARENT)).toBe(true);
    agents.onPermissionAsked(SESSION, "Bash");
    expect(desktop).toHaveLength(3);
    const { promise, resolve } = Promise.withResolvers<void>();
    write.ready = promise;
    const answering = agents.answerAutoAttach(SESSION, always);
    await expect(agents.answerAutoAttach(SESSION, !always)).rejects.toThrow("was answered before");
    const asking = agents.askAutoAttach(NEXT, PARENT);
    resolve();
    await answering;
    expect(await asking).toBe(false);
    const kinds = told.flatMap((event) => (event.kind === "CustomEvent" ? [event.payload.kind] : []));
    expect(kinds.filter((kind) => kind.startsWith("AutoAttach"))).toEqual([
      "AutoAttachAsked",
      "AutoAttachAnswered",
    ]);
    for (const session of [SESSION, NEXT]) agents.onPermissionAsked(session, "Bash");
    expect(desktop).toHaveLength(always ? 5 : 3);
  });
}

test("[CTL-12] the question outlives its session: an agent may be gone before a person reads it", async () => {
  const { agents, live, decisions } = openDesk();
  agents.began(SESSION, "outer");
  await agents.askAutoAttach(SESSION, PARENT);
  live.delete(SESSION);
  live.add(NEXT);
  agents.began(NEXT, "outer");
  expect(await agents.askAutoAttach(SESSION, PARENT)).toBeUndefined();
  await agents.answerAutoAttach(SESSION, false);
  expect([...decisions]).toEqual([["/opt/agent", false]]);
});
