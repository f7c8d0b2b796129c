import { expect } from "bun:test";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { startClient } from "../support/terminal-client.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const HEBREW = "עולם זה משפט ארוך שנשבר בין המילים ולא באמצע מילה אחת גם כאן";
const ARABIC = "مرحبا بالعالم";
/** Marks that keep the order of a run apart from its row. They have no width. */
const ISOLATES = /[\u2066-\u2069]/g;

test(
  "[TUI-11 complaint 23] right-to-left text keeps its logical order, wraps between words, and stays apart from code beside it",
  async () => {
    await using mock = openMockHome([says(`${HEBREW}\n\ncall \`run(1)\` for ${ARABIC} (2)\n\nall said`)]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 40, rows: 24 });
    await startClient(terminal);
    await terminal.type(`say ${ARABIC} twice`);
    const shown = async () => (await terminal.screen()).replaceAll(ISOLATES, "");
    await terminal.shows(/\n> say/);
    expect(await shown()).toContain(`\n> say ${ARABIC} twice\n`);
    await terminal.press("Enter");
    await terminal.shows("all said");
    const screen = await shown();
    expect(screen).toContain(`▌ say ${ARABIC} twice`);
    expect(screen).toContain(`call run(1) for ${ARABIC} (2)`);
    const rows = screen.split("\n").filter((each) => /[\u05d0-\u05ea]/.test(each));
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.join(" ")).toBe(HEBREW);
  },
  TIMEOUT_MS,
);
