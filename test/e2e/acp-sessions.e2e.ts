import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ListSessionsResponse, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { AcpEditor } from "../support/acp-editor.ts";
import { openAcpHome } from "../support/acp-home.ts";
import { openHomeStore } from "../support/home-store.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { turn } from "../support/store-rig.ts";
import { until } from "../support/until.ts";

// What an editor does with sessions as a whole. `docs/acp.md` names the tests.

const LIMIT_MS = 300_000;
const ONE = ["--model", "mock:one"] as const;

test(
  "[CTL-20] an editor gives a session a title, and gets the one that any client gives: session/set_title, session_info_update",
  async () => {
    await using place = openAcpHome([says("hello"), says("again")]);
    let sessionId: string;
    {
      await using open = place.edit(...ONE);
      const { editor } = open;
      const { agent } = editor;
      sessionId = await editor.begin(place.work);
      await editor.prompt(sessionId, "first words");
      const retitled = (title: string, id = sessionId) =>
        agent.request("session/set_title", { sessionId: id, title });
      expect(await retitled("  A\n better\ttitle ")).toEqual({ title: "A better title" });
      await until("the editor is told of its title", () => titles(editor).at(-1) === "A better title");
      const secret = "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789abcdefghij";
      expect((await retitled(`key ${secret}`)).title).not.toContain(secret);
      for (const bad of ["", " \n\t ", "x".repeat(201)])
        expect([bad, await codeOf(retitled(bad))]).toEqual([bad, -32_602]);
      for (const id of ["sess_none", "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
        expect([id, await codeOf(retitled("title", id))]).toEqual([id, -32_002]);
      expect(await codeOf(agent.request("session/set_title", { sessionId, title: null }))).toBe(-32_602);
      await retitled("kept");
      open.cinch.closeStdin();
      await open.cinch.exited;
    }
    // A session that does not run can get one too, and keeps it when it continues.
    await using later = place.edit(...ONE);
    const { editor } = later;
    const { agent } = editor;
    await agent.request("initialize", { protocolVersion: 1 });
    const listed = async () => (await agent.request("session/list", {})).sessions.map(({ title }) => title);
    expect(await listed()).toEqual(["kept"]);
    expect(await agent.request("session/set_title", { sessionId, title: "stored" })).toEqual({
      title: "stored",
    });
    expect(await listed()).toEqual(["stored"]);
    await agent.request("session/resume", { sessionId, cwd: place.work, mcpServers: [] });
    await editor.prompt(sessionId, "more words");
    await until("the title is told with the turn", () => titles(editor).length > 0);
    expect(new Set(titles(editor))).toEqual(new Set(["stored"]));
  },
  LIMIT_MS,
);

test(
  "[CTL-20] what another editor changes in a session is shown here: session_info_update, config_option_update, current_mode_update",
  async () => {
    const write = calls("Write", { file_path: "a.txt", content: "x" });
    await using place = openAcpHome([says("hello"), write, says("denied")]);
    await using first = place.share(...ONE);
    const sessionId = await first.editor.begin(place.work);
    await first.editor.prompt(sessionId, "first words");
    await using second = place.share(...ONE);
    const { agent } = second.editor;
    await agent.request("initialize", { protocolVersion: 1 });
    await agent.request("session/resume", { sessionId, cwd: place.work, mcpServers: [] });
    await agent.request("session/set_title", { sessionId, title: "from elsewhere" });
    await until("the first is told of it", () => titles(first.editor).at(-1) === "from elsewhere");
    for (const [configId, value] of [
      ["mode", "plan"],
      ["mode", "default"],
      ["model", "mock:two"],
      ["effort", "low"],
      ["level", "ReadOnly"],
    ] as const) {
      await agent.request("session/set_config_option", { sessionId, configId, value });
      await until(`the first is told that ${configId} is ${value}`, () =>
        first.editor.updates.some(
          ({ update }) =>
            update.sessionUpdate === "config_option_update" &&
            update.configOptions.some(({ id, currentValue }) => id === configId && currentValue === value),
        ),
      );
    }
    const modes = first.editor.updates.flatMap(({ update }) =>
      update.sessionUpdate === "current_mode_update" ? [update.currentModeId] : [],
    );
    expect(modes).toEqual(["plan", "default"]);
    // A level that holds in the session now is what its next call is judged by.
    const turn = first.editor.prompt(sessionId, "write it");
    const asked = await first.editor.question();
    asked.choose("deny");
    await turn;
  },
  LIMIT_MS,
);

test(
  "[CTL-20] an editor archives a session, which closes it, and shows it again: session/archive, session/unarchive, session/list",
  async () => {
    await using place = openAcpHome([says("one"), says("two"), says("three")]);
    await using open = place.edit(...ONE);
    const { editor } = open;
    const { agent } = editor;
    const [sessionId, other] = [await editor.begin(place.work), await editor.begin(place.work)];
    await editor.prompt(sessionId, "archive me");
    await editor.prompt(other, "keep me");
    const listed = async (archived?: string) => {
      const { sessions } = await agent.request("session/list", { archived } as never);
      return sessions.map(({ title, archived: is }) => `${title}: ${is}`).toSorted();
    };
    const [kept, put] = ["keep me: false", "archive me: true"];
    for (let times = 0; times < 2; times += 1)
      expect(await agent.request("session/archive", { sessionId })).toEqual({});
    expect(await listed()).toEqual([kept]);
    expect(await listed("exclude")).toEqual([kept]);
    expect(await listed("include")).toEqual([put, kept].toSorted());
    expect(await listed("only")).toEqual([put]);
    expect(await codeOf(listed("sideways"))).toBe(-32_602);
    expect(await codeOf(editor.prompt(sessionId, "it is closed"))).toBe(-32_002);
    for (let times = 0; times < 2; times += 1)
      expect(await agent.request("session/unarchive", { sessionId })).toEqual({});
    expect(await listed()).toEqual(["archive me: false", kept].toSorted());
    await agent.request("session/resume", { sessionId, cwd: place.work, mcpServers: [] });
    expect(await editor.prompt(sessionId, "and now?")).toMatchObject({ stopReason: "end_turn" });
    for (const method of ["session/archive", "session/unarchive"] as const)
      for (const id of ["nothing", "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
        expect([method, id, await codeOf(agent.request(method, { sessionId: id }))]).toEqual([
          method,
          id,
          -32_002,
        ]);
  },
  LIMIT_MS,
);

test(
  "[CTL-20] archiving a session cancels what runs in it, whoever began it, and ends it where nobody else has it open: session/archive",
  async () => {
    const write = () => calls("Write", { file_path: "a.txt", content: "x" });
    await using place = openAcpHome([write(), write(), says("never")]);
    await using first = place.share(...ONE, "--level", "ReadOnly");
    await using second = place.share(...ONE);
    const {
      editor,
      editor: { agent },
    } = first;
    const { agent: other } = second.editor;
    const sessionId = await editor.begin(place.work);
    const status = async (id: string) => (await agent.request("session/status", { sessionId: id })).status;
    const turn = editor.prompt(sessionId, "write it");
    const { signal } = await editor.question();
    await other.request("initialize", { protocolVersion: 1 });
    await other.request("session/load", { sessionId, cwd: place.work, mcpServers: [] });
    expect(await other.request("session/archive", { sessionId })).toEqual({});
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(signal.aborted).toBe(true);
    // The one that did not archive it goes on with it.
    expect(await status(sessionId)).toBe("open");
    expect(await other.request("session/list", {})).toEqual({ sessions: [] });
    const again = editor.prompt(sessionId, "again");
    await until("the second question", () => editor.questions.length === 2);
    expect(await agent.request("session/archive", { sessionId })).toEqual({});
    expect(await again).toMatchObject({ stopReason: "cancelled" });
    expect(await status(sessionId)).toBe("saved");
    expect(await codeOf(editor.prompt(sessionId, "it is closed"))).toBe(-32_002);
    expect(await Bun.file(join(place.work, "a.txt")).exists()).toBe(false);
  },
  LIMIT_MS,
);

test(
  "[CTL-20] an editor reaches every session, page by page: session/list",
  async () => {
    await using place = openAcpHome([]);
    const world = hostWorld(SILENT_LOG);
    const wanted: string[] = [];
    {
      await using store = await openHomeStore(place.home.path);
      for (let nth = 0; nth < 430; nth += 1) {
        const at = new Date(Date.UTC(2026, 2, 1, 10, 0, nth)).toISOString();
        const isHere = nth % 20 !== 0;
        const start = {
          ...{ logId: world.ids.next("log"), session: world.ids.next("sess"), profile: "default" },
          ...{ workingDir: isHere ? place.work : "/elsewhere", model: "mock:one", createdAt: at },
        };
        await using writer = await store.create(start, world.machine);
        if (nth % 10 === 1) continue; // nothing was said in it
        await writer.append(
          { events: turn(start.session, 1, { turn: 1, text: `prompt ${nth}`, at }) },
          "process",
        );
        if (isHere) wanted.unshift(`prompt ${nth}`);
      }
    }
    await using open = place.edit(...ONE);
    const { agent } = open.editor;
    await agent.request("initialize", { protocolVersion: 1 });
    const found: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const request = { cwd: place.work, ...(cursor === undefined ? {} : { cursor }) };
      const page: ListSessionsResponse = await agent.request("session/list", request);
      const { sessions, nextCursor } = page;
      found.push(...sessions.map(({ title }) => title ?? ""));
      sizes.push(sessions.length);
      if (typeof nextCursor !== "string") break;
      cursor = nextCursor;
    }
    expect(found).toEqual(wanted);
    expect(sizes).toEqual([200, wanted.length - 200]);
    for (const cursor of ["", "1", "x/y", "x".repeat(10_000)])
      expect([cursor.length, await codeOf(agent.request("session/list", { cursor }))]).toEqual([
        cursor.length,
        -32_602,
      ]);
  },
  LIMIT_MS,
);

test(
  "[CTL-20 PERM-02] a level that the profile does not allow is refused with the reason, and another profile brings its own: session/set_config_option, config_option_update",
  async () => {
    await using place = openAcpHome([says("hello")]);
    const profiles = join(place.home.path, "config/cinch/profiles");
    mkdirSync(profiles);
    writeFileSync(
      join(profiles, "careful.toml"),
      'name = "careful"\npermissions = { level = "ReadOnly", strict = true }\n',
    );
    await using open = place.edit(...ONE);
    const { editor } = open;
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "hello");
    await editor.prompt(sessionId, "/profiles careful");
    await until("the level of the other profile is shown", () => levels(editor).at(-1) === "ReadOnly");
    const change = { sessionId, configId: "level", value: "WorkspaceWrite" };
    await expect(editor.agent.request("session/set_config_option", change)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("the session is strict"),
    });
    expect(levels(editor).at(-1)).toBe("ReadOnly");
  },
  LIMIT_MS,
);

/** Returns the levels that an editor was told. */
function levels({ updates }: AcpEditor): readonly unknown[] {
  return updates.flatMap(({ update }) =>
    update.sessionUpdate === "config_option_update"
      ? update.configOptions.filter(({ id }) => id === "level").map(({ currentValue }) => currentValue)
      : [],
  );
}

/** Returns the titles that an editor was told. */
function titles({ updates }: AcpEditor): readonly (string | null | undefined)[] {
  return updates.flatMap(({ update }: { readonly update: SessionUpdate }) =>
    update.sessionUpdate === "session_info_update" ? [update.title] : [],
  );
}

async function codeOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return "served";
  } catch (thrown) {
    return Reflect.get(Object(thrown), "code");
  }
}
