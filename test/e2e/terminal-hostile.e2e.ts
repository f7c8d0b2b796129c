import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
/** One of each class that drives a terminal; each carries a word of its own. */
const HOSTILE = [
  "\u001b]0;evil-title\u0007",
  "\u001b]52;c;ZXZpbC1jbGlw\u0007",
  "\u001b]8;;http://evil-link\u001b\\here\u001b]8;;\u001b\\",
  "\u001b[?1003h\u001b[?9001h",
  "\u001b[3J\u001b[5;5H",
  "\u001bPevil-dcs\u001b\\",
  "\u001b_evil-apc\u001b\\",
  "\u001bc",
  "\u009b7;7H\u009d0;evil-c1\u009c",
  "\u0007\u0008\u000e",
].join("x");
/** The title that this client gives the window. */
const OWN_TITLE = /\u001b\]0;[^\u0000-\u001f\u007f-\u009f]* · cinch\u0007/g;
/** Sequences that this client never writes itself. */
const FORBIDDEN = [
  /\u001b\](?!8;;\u0007)/,
  /\u001b\[\?(?:1003|9001)h/,
  /\u001b\[3J/,
  /\u001b\[5;5H\u001b/,
  /\u001b[Pc_]/,
  /[\u0080-\u009f]/,
  /[\u0008\u000e]/,
  /(?<!\u001b\]8;;)\u0007/,
];

test(
  "[TUI-07] control bytes from the model, from a command, a file and its name reach the terminal as text only",
  async () => {
    const name = "a\u001b]0;evil-name\u0007b.txt";
    const answers = [
      calls("Bash", { command: "cat bytes" }),
      calls("Read", { file_path: name }),
      says(
        `before ${HOSTILE} after\n\n\`\`\`sh\n${HOSTILE}\n\`\`\`\n\n| ${HOSTILE} | b |\n|---|---|\n| c | d |\n\nall said`,
      ),
    ];
    await using mock = openMockHome(answers, '[sandbox]\nbackend = "none"\n');
    mkdirSync(mock.work, { recursive: true });
    for (const each of ["bytes", name]) writeFileSync(join(mock.work, each), `from the file ${HOSTILE}\n`);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('PS1=; "$CINCH" --level DangerFullAccess\n');
    await terminal.writes("─────");
    const from = terminal.record.length;
    terminal.write(`go ${HOSTILE.replaceAll(/[\u0000-\u001f\u0080-\u009f]/g, "")}\r`);
    await terminal.writes("all said", from);
    const written = terminal.record.slice(from).replaceAll(OWN_TITLE, "");
    expect(FORBIDDEN.filter((each) => each.test(written)).map(String)).toEqual([]);
    expect(written).toContain("evil-title");
  },
  TIMEOUT_MS,
);
