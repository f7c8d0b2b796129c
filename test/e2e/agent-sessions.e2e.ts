import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BANNER, RUN_TOOL } from "../../src/server/mcp/mcp-names.ts";
import { permissionHeading } from "../../src/view/questions/question-words.ts";
import type { CinchHome } from "../support/cinch.ts";
import { openFakeDesktop } from "../support/fake-desktop.ts";
import type { McpHome } from "../support/mcp-stdio.ts";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { processesWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const LIMIT_MS = 240_000;
const withTmux = requireProgram("tmux");

/** A file that lies beside the folder that is worked in: to write it takes a person. */
const OUTSIDE = { file_path: "../outside.txt", content: "made" };
const WRITE_NEEDED = permissionHeading({ tool: "Write" });

function outside({ home }: McpHome): string {
  return join(home.path, "outside.txt");
}

function withDesktop(home: CinchHome, address: string): CinchHome {
  return { ...home, env: { ...home.env, DBUS_SESSION_BUS_ADDRESS: address } };
}

withTmux(
  "[CTL-12] a person is notified of an agent's session and of its question, opens it as the notice says, permits, and the agent learns the answer",
  async () => {
    await using desktop = await openFakeDesktop();
    await using place = await openMcpPlace([calls("Write", OUTSIDE), says("It is written.")]);
    const home = withDesktop(place.home, desktop.address);
    await using _ended = {
      [Symbol.asyncDispose]: () =>
        until("the engine has ended", () => processesWith(home.path).length === 0, 60_000),
    };
    await using terminal = await openTerminal({ home, cwd: place.work, columns: 300 });
    await terminal.type('clear; "$CINCH" --plain --model mock:one; echo co""de $?');
    await terminal.press("Enter");
    await terminal.shows("/help lists commands");

    await using mcp = await place.client({ flags: [], name: "Outer One" });
    const running = mcp.call(RUN_TOOL, { prompt: "write it" });
    await terminal.shows("Outer agent Outer One started session sess_");
    await terminal.shows(`${WRITE_NEEDED}, in session`);
    await until("both are on the desktop", () => desktop.shown.length >= 2, 60_000);
    const [begun = "", asked = ""] = desktop.shown.map(({ text }) => text);
    const session = /session (sess_\w+)\./.exec(begun)?.[1] ?? "";
    expect([begun, asked]).toEqual([
      `Outer agent Outer One started session ${session}. /sessions:attach ${session} to observe.`,
      `${WRITE_NEEDED}, in session ${session} of outer agent Outer One. /sessions:attach ${session} to answer.`,
    ]);
    expect(existsSync(outside(place))).toBe(false);

    await terminal.type(`/sessions:attach ${session}`);
    await terminal.press("Enter");
    await terminal.shows("1-4 >");
    await terminal.type("1");
    await terminal.press("Enter");
    const { texts, facts } = await running;
    expect([texts[0], texts.at(-1)]).toEqual(["It is written.", BANNER]);
    expect(facts).toMatchObject({ sessionId: session, cost: null, turns: 2, tools_used: ["Write"] });
    expect(readFileSync(outside(place), "utf8")).toBe("made");
    await terminal.shows("It is written.");
    await terminal.type("/quit");
    await terminal.press("Enter");
    await terminal.shows("code 0");
  },
  LIMIT_MS,
);

for (const autoAttach of [true, false]) {
  test(
    `[CTL-12 CTL-08] a question without an answer in time is denied and the inner agent learns why; a parent's "auto-attach: ${autoAttach}" decides about the notice of the question, never about that of the session`,
    async () => {
      await using desktop = await openFakeDesktop();
      await using place = await openMcpPlace([calls("Write", OUTSIDE), says("Then without.")]);
      const config = join(place.home.path, "config/cinch");
      mkdirSync(join(config, "profiles"));
      const profile = 'schema_version = 1\nname = "short"\n[limits]\npermission_timeout = 1\n';
      writeFileSync(join(config, "profiles/short.toml"), profile);
      const lock = join(config, "mcp-parents.lock");
      const { version, parents } = JSON.parse(readFileSync(lock, "utf8"));
      const known = parents.map((parent: object) => ({ ...parent, autoAttach }));
      writeFileSync(lock, JSON.stringify({ version, parents: known }));

      await using raw = place.start({
        flags: ["--no-listen", "--profile", "short"],
        env: { DBUS_SESSION_BUS_ADDRESS: desktop.address },
      });
      await raw.initialize();
      const ran = await raw.request(1, "tools/call", { name: RUN_TOOL, arguments: { prompt: "write it" } });
      expect(ran.result?.["structuredContent"]).toMatchObject({ text: "Then without.", reason: "complete" });
      expect(existsSync(outside(place))).toBe(false);
      const told = JSON.stringify(place.provider.requests.at(-1)?.body);
      expect(told).toContain("PermissionTimeout");
      await until("the desktop has it", () => desktop.shown.length >= (autoAttach ? 2 : 1), 60_000);
      expect(desktop.shown.map(({ text }) => text.replaceAll(/sess_\w+/g, "ID"))).toEqual([
        "Outer agent raw started session ID. /sessions:attach ID to observe.",
        ...(autoAttach
          ? [`${WRITE_NEEDED}, in session ID of outer agent raw. /sessions:attach ID to answer.`]
          : []),
      ]);
    },
    LIMIT_MS,
  );
}
