import { expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DRAFT_READER } from "../../src/client/terminal/input/draft-keeper.ts";
import { RUN_TOOL } from "../../src/server/mcp/mcp-names.ts";
import { StreamReader } from "../support/control-rig.ts";
import { scriptServer, serverToml } from "../support/mcp-servers.ts";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import type { RecordedTerminal } from "../support/recorded-terminal.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const SERVER = join(import.meta.dirname, "../support/mcp-server-child.ts");
/** One of each class that drives a terminal, or that hides from a person; most carry a word of their own. */
const HOSTILE = [
  "\u001b]0;evil-title\u0007",
  "\u001b]52;c;ZXZpbC1jbGlw\u0007",
  "\u001b]8;;http://evil-link\u001b\\here\u001b]8;;\u001b\\",
  "\u001b]777;notify;evil-notice\u0007",
  "\u001b[?1003h\u001b[?9001h",
  "\u001b[3J\u001b[5;5H",
  "\u001b[6n\u001b[c\u001b[21t",
  "\u001bPevil-dcs\u001b\\",
  "\u001b_evil-apc\u001b\\",
  "\u001bc",
  "\u009b7;7H\u009d0;evil-c1\u009c",
  "\u0007\u0008\u000e",
  "\u202eevil-bidi\u2066\u200f",
  "z\u200bero\u2060wid\ufeffth\u00ad",
  "tag\u{e0065}\u{e0076}\u{e0069}\u{e006c}",
].join("x");
/** The same as bytes of which some are no UTF-8: C1 controls of eight bits. */
const EIGHT_BITS = Buffer.from("eight \x9b7;7Hbits \x9d0;evil-c1\x9c \x90evil-dcs\x9c end", "latin1");
/** The title that this client gives the window. */
const OWN_TITLE = /\u001b\]0;[^\u0000-\u001f\u007f-\u009f]* · cinch\u0007/g;
/** Sequences and characters that this client never writes itself while it runs. */
const FORBIDDEN = [
  /\u001b\](?!8;;\u0007|133;[AC]\u001b\\)/,
  /\u001b\[\?(?:1003|9001)h/,
  /\u001b\[3J/,
  /\u001b\[5;5H\u001b/,
  /\u001b\[(?:6n|c|21t)/,
  /\u001b[Pc_X^]/,
  /[\u0080-\u009f]/,
  /[\u0008\u000e]/,
  /(?<!\u001b\]8;;)\u0007/,
  /[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/,
  /[\u{e0000}-\u{e007f}]/u,
];

/** Checks what was written since `from`: only text of the hostile input, and its words. */
function expectText(terminal: RecordedTerminal, from: number, words: readonly string[]): void {
  const written = terminal.record.slice(from).replaceAll(OWN_TITLE, "");
  expect(FORBIDDEN.filter((each) => each.test(written)).map(String)).toEqual([]);
  for (const word of words) expect(written).toContain(word);
}

/** Starts the client; returns the length of the record behind its first frame and its queries. */
async function begin(terminal: RecordedTerminal, words = ""): Promise<number> {
  await terminal.writes("shell$ ");
  terminal.write(`PS1=; "$CINCH" ${words}\n`);
  await terminal.writes("─────");
  return terminal.record.length;
}

for (const flags of ["", "--inline"])
  test(
    `[TUI-07] control bytes and hidden characters from the model, from a command, a file and its name reach the terminal as text only ${flags}`,
    async () => {
      const name = "a\u001b]0;evil-name\u0007\u202eb.txt";
      const answers = [
        calls("Bash", { command: "cat bytes raw" }),
        calls("Read", { file_path: name }),
        says(
          `before ${HOSTILE} after\n\n\`\`\`sh\n${HOSTILE}\n\`\`\`\n\n| ${HOSTILE} | b |\n|---|---|\n| c | d |\n\n[${HOSTILE}](http://evil-${HOSTILE})\n\nQUIT7`,
        ),
      ];
      await using mock = openMockHome(answers, '[sandbox]\nbackend = "none"\n');
      mkdirSync(mock.work, { recursive: true });
      for (const each of ["bytes", name]) writeFileSync(join(mock.work, each), `from the file ${HOSTILE}\n`);
      writeFileSync(join(mock.work, "raw"), EIGHT_BITS);
      await using terminal = openRecordedTerminal(mock.home, mock.work);
      const from = await begin(terminal, `--level DangerFullAccess ${flags}`);
      terminal.write(`go ${HOSTILE.replaceAll(/[\u0000-\u001f\u0080-\u009f]/g, "")}`);
      await terminal.writes("<U+E006C>", from);
      terminal.write("\r"); // read together with so long a text, it would be a line of a paste
      await terminal.writes("QUIT7", from);
      const at = terminal.record.length;
      terminal.write("see @"); // lists the files whose names can be typed
      await terminal.writes("tab takes", at);
      expectText(terminal, from, ["evil-title", "evil-bidi", "eight"]);
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-07 TUI-09] a title, a draft, a prompt and the words of a refusal from another client reach the terminal as text only",
  async () => {
    await using served = await openServed({
      script: [calls("Bash", { command: "touch made" }), says("QUIT7")],
      config: 'default_model = "mock:one"\n[permissions]\nask = ["Bash"]\n',
    });
    const token = await served.token();
    const session = await served.session(token);
    const at = `/v1/sessions/${session}`;
    await served.ask("/v1/handshake", token);
    const post = async (path: string, body: object) => {
      const answer = await served.ask(`${at}${path}`, token, body);
      expect([path, answer.ok ? "" : await answer.text()]).toEqual([path, ""]);
    };
    await post("/rename", { title: `title ${HOSTILE.slice(0, 150)}` });
    await post("/draft", { text: `draft ${HOSTILE}`, reader: DRAFT_READER });
    await using terminal = openRecordedTerminal(served.home, served.work);
    const from = await begin(terminal, `--resume ${session}`);
    await terminal.writes("evil-bidi", from);
    const stream = new StreamReader(await served.ask(`${at}/events`, token));
    await post("/input", { content: [{ type: "text", text: `prompt ${HOSTILE}` }] });
    await terminal.writes("Permission needed", from);
    await stream.until((text) => text.includes("event: PermissionRequested\n") && text.endsWith("\n\n"));
    const asked = stream.events().find((event) => event.kind === "PermissionRequested");
    await stream.leave();
    const callId = asked?.kind === "PermissionRequested" ? asked.payload.callId : "";
    await post("/permission", { callId, decision: "deny", words: `words ${HOSTILE}` });
    await terminal.writes("QUIT7", from);
    expectText(terminal, from, ["draft", "prompt", "words", "title"]);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-07] the name of an agent that begins a session, and its prompt, reach the terminal as text only",
  async () => {
    await using place = await openMcpPlace([says("hello"), says("QUIT7")]);
    await using terminal = openRecordedTerminal(place.home, place.work);
    const from = await begin(terminal);
    terminal.write("hi\r");
    await terminal.writes("hello", from);
    await using mcp = await place.client({ flags: [], name: `Outer ${HOSTILE}` });
    void mcp.call(RUN_TOOL, { prompt: HOSTILE });
    await terminal.writes("to observe.", from);
    expectText(terminal, from, ["Outer"]);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-07 MCP-06] names, answers and last words of an MCP server reach the terminal as text only",
  async () => {
    const answers = [calls("mcp__odd__echo", { text: `call ${HOSTILE}` }), says("QUIT7")];
    const lists = mkdtempSync(join(tmpdir(), "cinch-hostile-"));
    using _removed = { [Symbol.dispose]: () => rmSync(lists, { recursive: true, force: true }) };
    const listed = (name: string, list: readonly object[]) => {
      writeFileSync(join(lists, name), JSON.stringify(list));
      return `${name}=${join(lists, name)}`;
    };
    const inputSchema = { type: "object", properties: { text: { type: "string" } } };
    const tools = listed("tools", [
      { name: "echo", title: HOSTILE, description: HOSTILE, inputSchema },
      { name: `odd ${HOSTILE}`, description: HOSTILE, inputSchema },
    ]);
    const prompts = listed("prompts", [{ name: `prompt ${HOSTILE}`, description: HOSTILE }]);
    writeFileSync(join(lists, "words"), `last words ${HOSTILE}\n`);
    const config = [
      '[permissions]\nallow = ["mcp__odd__*"]',
      serverToml("odd", scriptServer(SERVER, join(lists, "journal"), tools, prompts), 'discovery = "eager"'),
      serverToml("broken", { cmd: "/bin/sh", args: ["-c", `cat ${join(lists, "words")} >&2; exit 3`] }),
    ].join("\n");
    await using mock = openMockHome(answers, config);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    const from = await begin(terminal);
    terminal.write("go\r");
    await terminal.writes("QUIT7", from);
    for (const [line, shown] of [
      ["/mcp:odd", "mcp__odd__echo"],
      ["/mcp:broken", "last words"],
      ["/mcp", "running"],
    ] as const) {
      const at = terminal.record.length;
      terminal.write(`${line}\r`);
      await terminal.writes(shown, at);
    }
    expectText(terminal, from, ["echo", "last words"]);
  },
  TIMEOUT_MS,
);
