import { expect, test } from "bun:test";
import type { FakeServices } from "../../../../../test/support/terminal-parts.ts";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { SessionInfo } from "../../../../protocol/resources.ts";
import type { WhichSession } from "../../options.ts";
import type { LastItem } from "./session-entries.ts";
import { sessionPreview } from "./session-entries.ts";
import { openSessionList } from "./session-panel.ts";

const SIZE = { columns: 100, rows: 30 };

function stored(number: number, folder = "/work"): SessionInfo {
  return {
    session: `sess_${number}`,
    title: `talk ${number}`,
    status: "paused",
    profile: "default",
    model: "m:one",
    turns: number,
    working_dir: folder,
    pinned: false,
    updated_at: new Date(1_750_000_000_000 - number * 60_000).toISOString(),
  } as unknown as SessionInfo;
}

interface Asked {
  readonly kind: string;
  readonly limit: number;
  readonly before?: string;
}

/** Services whose engine has these sessions, and lists them page by page. */
function servicesWith(sessions: readonly SessionInfo[]): FakeServices & { readonly asked: Asked[] } {
  const fakes = fakeServices();
  const asked: Asked[] = [];
  const query = async (each: Asked) => {
    asked.push(each);
    if (each.kind === "ListItems") return { items: [{ kind: "prompt", text: "said last" }], more: false };
    const from = Number(each.before ?? 0);
    const page = sessions.slice(from, from + each.limit);
    const end = from + page.length;
    return { sessions: page, ...(end < sessions.length ? { more: true, cursor: String(end) } : {}) };
  };
  return Object.assign(fakes, { asked, session: { ...fakes.session, query: query as never } });
}

/** Lets every answer come. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
}

test("[TUI-06 PERF-03] the first sessions are there at once, the others follow page by page, and a list that is closed reads no more", async () => {
  const services = servicesWith(Array.from({ length: 3_000 }, (_, at) => stored(at)));
  openSessionList(services);
  const [panel] = services.overlays;
  expect(linesOf(panel?.draw(SIZE).rows ?? [])).toContain("reading the sessions …");
  await settle();
  const lists = services.asked.filter(({ kind }) => kind === "ListSessions");
  expect(lists.map(({ limit, before = "" }) => `${limit}:${before}`)).toEqual([
    "100:",
    "1000:100",
    "1000:1100",
    "1000:2100",
  ]);
  const text = linesOf(panel?.draw(SIZE).rows ?? []);
  expect(text).toContain("1/3000");
  expect(text).toContain("> said last");
  const other = servicesWith(Array.from({ length: 3_000 }, (_, at) => stored(at)));
  openSessionList(other);
  other.overlays[0]?.act("list.leave");
  await settle();
  expect(other.asked).toHaveLength(1);
});

test("[CTL-11 TUI-06] sessions that were never used are not listed, and do not count as those of the folder", async () => {
  const unused = { ...stored(1), unused: true };
  const services = servicesWith([unused, stored(2, "/b")]);
  openSessionList(services);
  await settle();
  const text = linesOf(services.overlays[0]?.draw(SIZE).rows ?? []);
  expect(text).toContain("all folders");
  expect(text).toContain("talk 2");
  expect(text).not.toContain("talk 1");
});

test("[CTL-11 TUI-06] a folder without sessions shows those of all folders, and the order is changed with a key", async () => {
  const services = servicesWith([stored(2, "/b"), stored(10, "/a")]);
  openSessionList(services);
  const [panel] = services.overlays;
  await settle();
  const titles = () =>
    linesOf(panel?.draw(SIZE).rows ?? [])
      .match(/talk \d+/g)
      ?.slice(0, 2);
  expect(linesOf(panel?.draw(SIZE).rows ?? [])).toContain("all folders · newest first");
  expect(titles()).toEqual(["talk 2", "talk 10"]);
  panel?.act("sessions.scope");
  expect(linesOf(panel?.draw(SIZE).rows ?? [])).toContain("There are no sessions of this folder.");
  panel?.act("list.choose");
  expect(services.shown).toEqual([]);
  panel?.act("sessions.scope");
  panel?.act("list.down");
  panel?.act("list.choose");
  expect(services.shown).toMatchObject([{ kind: "stored", info: { session: "sess_10" } }]);
});

test("[SES-06] a session that runs is not deleted: the engine's reason is shown, and the list stays", async () => {
  const services = servicesWith([stored(1)]);
  services.reply = new HarnessError("LogHeld", { id: "sess_1", pid: "7" });
  openSessionList(services);
  const [panel] = services.overlays;
  await settle();
  panel?.act("sessions.delete");
  expect(services.sent).toEqual([]);
  panel?.type?.("y");
  await settle();
  expect(services.sent).toEqual([{ kind: "DeleteSession", sessionId: "sess_1" }] as never);
  expect(services.said[0]).toContain("7");
  expect(linesOf(panel?.draw(SIZE).rows ?? [])).toContain("talk 1");
});

test("[TUI-06 bar Sessions] the preview has the conversation, without lists of todos and names of other events, and the folder with ~", () => {
  const items = [
    { kind: "prompt", text: "go" },
    { kind: "todos", text: "one, two" },
    { kind: "custom", text: "cinch:InputsWaiting" },
    { kind: "text", text: "done" },
  ] as unknown as readonly LastItem[];
  const rows = sessionPreview(stored(1, "/home/user/app"), items, { ...SIZE, home: "/home/user" });
  expect(linesOf(rows)).toEndWith("~/app\n1 turn\n\n> go\n  done");
});

/** Services whose engine runs a session of the list, with the commands in the order in which they were sent. */
function servicesRunning(more: Partial<SessionInfo>) {
  const info = { ...stored(1), live: true, status: "running", ...more } as SessionInfo;
  return { info, services: servicesWith([info]) };
}

test("[SES-06 TUI-06] a session that is shown is deleted: a new one takes its place, and it is ended first", async () => {
  const { info, services } = servicesRunning({ state: "running", attached_by: ["me", "web"] });
  const session = {
    ...services.session,
    open: { ...services.session.open, session: info.session } as never,
    async goTo(which: WhichSession) {
      services.shown.push(which);
      session.open = { session: "sess_new" } as never;
    },
  };
  openSessionList({ ...services, session });
  const [panel] = services.overlays;
  await settle();
  panel?.act("sessions.delete");
  const text = linesOf(panel?.draw(SIZE).rows ?? []).replaceAll(/\s+/g, " ");
  expect(text).toContain("Its turn is cancelled. Another client has it open.");
  panel?.type?.("y");
  await settle();
  expect(services.shown).toEqual([{ kind: "new" }]);
  const { session: sessionId } = info;
  expect(services.sent).toEqual([
    { kind: "EndSession", sessionId },
    { kind: "DeleteSession", sessionId },
  ]);
  expect(services.said).toEqual(["Deleted."]);
});

test("[SES-06] a pinned session is neither ended nor deleted", async () => {
  const { services } = servicesRunning({ pinned: true });
  openSessionList(services);
  await settle();
  services.overlays[0]?.act("sessions.delete");
  services.overlays[0]?.type?.("y");
  await settle();
  expect(services.sent).toEqual([]);
  expect(services.said).toEqual(["The session is pinned, and so is kept: alt+p unpins it."]);
});

test("[TUI-06] a list without sessions names the key that shows archived ones", async () => {
  const services = servicesWith([]);
  openSessionList(services);
  await settle();
  const shown = () => linesOf(services.overlays[0]?.draw(SIZE).rows ?? []);
  expect(shown()).toContain("There are no sessions. alt+v: archived ones too.");
  services.overlays[0]?.act("sessions.archived");
  await settle();
  expect(shown()).toContain("There are no sessions.\n");
});

test("[TUI-10] a session that is shown, whose run is over, is continued from the list", async () => {
  const services = servicesWith([stored(1)]);
  Object.assign(services.session, { open: { ...services.session.open, session: "sess_1" } });
  openSessionList(services);
  await settle();
  services.overlays[0]?.act("list.choose");
  expect(services.shown).toMatchObject([{ kind: "stored", info: { session: "sess_1" } }]);
});
