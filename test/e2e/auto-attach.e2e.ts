import { expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RUN_TOOL } from "../../src/server/mcp/mcp-names.ts";
import { permissionHeading } from "../../src/view/questions/question-words.ts";
import type { McpHome } from "../support/mcp-stdio.ts";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { processesWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const LIMIT_MS = 300_000;
const withTmux = requireProgram("tmux");
/** Longer than a question waits for a pause in the keys. */
const QUIET_MS = 600;
const QUESTION = "Always auto-attach sessions from this parent?";
/** The notice that an agent's session waits for permission. */
const REQUEST = `${permissionHeading({ tool: "Write" })}, in session`;
/** A file that lies beside the folder that is worked in: to write it takes a person. */
const WRITE = calls("Write", { file_path: "../outside.txt", content: "made" });
const PROFILE = 'schema_version = 1\nname = "short"\n[limits]\npermission_timeout = 1\n';

/** Opens a home in which a program is allowed whose sessions wait for a person for one second. */
async function openPlace(script: Parameters<typeof openMcpPlace>[0]): Promise<McpHome> {
  const place = await openMcpPlace(script);
  const profiles = join(place.home.path, "config/cinch/profiles");
  mkdirSync(profiles);
  writeFileSync(join(profiles, "short.toml"), PROFILE);
  return place;
}

function engineEnd({ home }: McpHome): Promise<void> {
  return until("the engine has ended", () => processesWith(home.path).length === 0, 60_000);
}

function decisions({ home }: McpHome): readonly unknown[] {
  const lock = readFileSync(join(home.path, "config/cinch/mcp-parents.lock"), "utf8");
  const { parents } = JSON.parse(lock) as { readonly parents: readonly { readonly autoAttach?: boolean }[] };
  return parents.map(({ autoAttach }) => autoAttach);
}

async function enter(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press("Enter");
}

/** Opens the terminal client, with a session of its own. */
async function openClient({ home, work }: McpHome, answer: string): Promise<Terminal> {
  const terminal = await openTerminal({ home, cwd: work, columns: 180, rows: 40 });
  await enter(terminal, "clear; $CINCH");
  await terminal.shows("no session yet");
  await enter(terminal, "hi");
  await terminal.shows(answer);
  return terminal;
}

for (const [key, always] of [
  ["n", false],
  ["y", true],
] as const) {
  withTmux(
    `[CTL-12] each open client asks once per parent whether its sessions are auto-attached; "${key}" holds for this session and, after a restart of everything, for the next one, and ${always ? "keeps showing" : "mutes"} its requests`,
    async () => {
      const refused = [WRITE, says("Then without.")];
      await using place = await openPlace([
        says("hello"),
        says("two is here"),
        says("no request yet"),
        ...refused,
        says("hello again"),
        ...refused,
      ]);
      await using _ended = { [Symbol.asyncDispose]: () => engineEnd(place) };
      const asAgent = { flags: ["--profile", "short"], name: "Outer One" };
      {
        await using terminal = await openClient(place, "hello");
        await using other = await openClient(place, "two is here");
        await using mcp = await place.client(asAgent);
        await mcp.call(RUN_TOOL, { prompt: "say something" });
        await terminal.shows(QUESTION);
        await terminal.shows("[Y/n] enter/y yes · n no");
        await other.shows(QUESTION);
        expect(decisions(place)).toEqual([undefined]);
        // No letter answers behind another one.
        await terminal.type(`k${key}`);
        await terminal.shows(`> k${key}`);
        await terminal.shows("with an empty draft");
        await terminal.press("BSpace", "BSpace");
        let pressedAtMs = performance.now();
        await until("it is answered", async () => {
          if (performance.now() - pressedAtMs >= QUIET_MS && decisions(place)[0] === undefined) {
            await terminal.press(key);
            pressedAtMs = performance.now();
          }
          return decisions(place)[0] !== undefined;
        });
        expect(decisions(place)).toEqual([always]);
        for (const each of [terminal, other]) {
          await each.shows(`Sessions from this parent are ${always ? "always" : "not"} auto-attached`);
          await each.gone(QUESTION);
        }
        const { texts } = await mcp.call(RUN_TOOL, { prompt: "write it" });
        expect(texts[0]).toBe("Then without.");
        if (always) await terminal.shows(REQUEST);
        expect((await terminal.screen()).includes(REQUEST)).toBe(always);
        for (const each of [terminal, other]) {
          await each.press("C-c", "C-c");
          await each.prompts();
        }
      }
      await engineEnd(place);
      {
        await using terminal = await openClient(place, "hello again");
        await using mcp = await place.client(asAgent);
        const { texts } = await mcp.call(RUN_TOOL, { prompt: "write it" });
        expect(texts[0]).toBe("Then without.");
        await terminal.shows(always ? REQUEST : "Outer agent Outer One started session sess_");
        const screen = await terminal.screen();
        expect([screen.includes(REQUEST), screen.includes(QUESTION)]).toEqual([always, false]);
        await terminal.press("C-c", "C-c");
        await terminal.prompts();
      }
    },
    LIMIT_MS,
  );
}

for (const flag of ["--plain", "--screen-reader"]) {
  withTmux(
    `[CTL-12] with ${flag} the question names the slash commands that answer it; the first answer counts`,
    async () => {
      await using place = await openPlace([says("done")]);
      await using _ended = { [Symbol.asyncDispose]: () => engineEnd(place) };
      await using terminal = await openTerminal({ home: place.home, cwd: place.work, columns: 300 });
      await enter(terminal, `clear; "$CINCH" ${flag} --model mock:one; echo co""de $?`);
      await terminal.shows("/help lists commands");
      await using mcp = await place.client({ flags: [], name: "Outer One" });
      await mcp.call(RUN_TOOL, { prompt: "say something" });
      await terminal.shows(QUESTION);
      // The path of the program moves the folds of this line.
      await terminal.shows(/\/sessions:attach-never\s+sess_\w+\s+answers\s+no/);
      const [, session = ""] =
        /attach-always\s+(sess_\w+)\s+answers\s+yes/.exec(await terminal.screen()) ?? [];
      expect(session).not.toBe("");
      await enter(terminal, `/sessions:attach-never ${session}`);
      await terminal.shows("Sessions from this parent are not auto-attached");
      expect(decisions(place)).toEqual([false]);
      await enter(terminal, `/sessions:attach-always ${session}`);
      await terminal.shows("no was answered before");
      expect(decisions(place)).toEqual([false]);
      await enter(terminal, "/quit");
      await terminal.shows("code 0");
    },
    LIMIT_MS,
  );
}
