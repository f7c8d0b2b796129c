import { expect } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SLASH_COMMANDS } from "../../src/protocol/commands/own-commands.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const READY = /\n>/;

type Name = (typeof SLASH_COMMANDS)[number]["name"];

interface Effect {
  /** Words behind the command. Default: none. */
  readonly words?: string;
  /** Line to type for a name with a placeholder. Default: the name. */
  readonly line?: string;
  readonly shows: string | RegExp;
  /** Key that closes what it has opened. Default: none is open. */
  readonly close?: "Escape";
}

/** A text that names somebody, and is neither the draft nor the line on its way. */
const NOBODY = /^(?!>)(?!.*\/[a-z]+:(?:[a-z]+ )?nobody).*nobody/m;
/** The transcript after `/clear`. */
const CLEARED = /^… earlier messages\n+─/m;

/** The effect of each command that comes with cinch. A new one is an error of the compiler here. */
const EFFECTS: Readonly<Record<Exclude<Name, "quit">, Effect>> = {
  help: { shows: "list the commands", close: "Escape" },
  cancel: { shows: "No turn is running." },
  clear: { shows: CLEARED },
  cost: { shows: "by turn", close: "Escape" },
  copy: { shows: /(?:Sent|Copied) 12 characters/ },
  model: { shows: "Model for this session", close: "Escape" },
  effort: { words: "high", shows: "effort high from the next round on" },
  key: { words: "nobody", shows: "/key needs the name of a provider, and no key." },
  steer: { words: "go on", shows: "steered answer" },
  withdraw: { shows: /Nothing (?:is waiting|waits)/ },
  drop: { shows: "No text is kept that could not be sent." },
  health: { shows: /engine +cinch \d/ },
  web: { shows: "serves no web client" },
  resume: { shows: /^Sessions/m, close: "Escape" },
  profile: { shows: /^(?!>).*\/profile\n(?:.*\n)*.*default/m },
  profiles: { shows: /^Profile$/m, close: "Escape" },
  "profiles:NAME": { line: "/profiles:nobody --in-place", shows: NOBODY },
  hooks: { shows: "This session has no hooks." },
  memory: { shows: "No memory was given to the model" },
  skills: { shows: /^(?!>).*\/skills\n/m },
  "skills:NAME": { line: "/skills:nobody", shows: NOBODY },
  "skills:reload": { shows: "Reloaded:" },
  mcp: { shows: "This session has no MCP servers." },
  "mcp:SERVER": { line: "/mcp:nobody", shows: NOBODY },
  "mcp:restart": { words: "nobody", shows: NOBODY },
  "mcp:stop": { words: "nobody", shows: NOBODY },
  "mcp:start": { words: "nobody", shows: NOBODY },
  "mcp:approve": { words: "nobody", shows: NOBODY },
  init: { shows: "written" },
  prompts: { shows: /^(?!>).*\/prompts\n/m },
  "prompts:NAME": { line: "/prompts:review main.ts", shows: "reviewed" },
  agents: { shows: /^(?!>).*\/agents\n/m },
  "agents:TYPE": { line: "/agents:nobody do it", shows: NOBODY },
  plan: { shows: "plan: the model reads and plans" },
  tasks: { shows: "Nothing runs in the background." },
  "tasks:stop": { words: "1", shows: "There is no task with this number or id" },
  context: { shows: /^(?!>).*\/context\n/m },
  compact: { shows: /^(?!>).*\/compact\n|Nothing to compact|summary/m },
  rewind: { shows: "Go back to before a prompt", close: "Escape" },
  level: { words: "ReadOnly", shows: "level ReadOnly from the next call on" },
  permissions: { shows: "What this session may do", close: "Escape" },
  "permissions:revoke": { words: "1", shows: "You have allowed no rule 1" },
  "permissions:promote": { words: "1", shows: "You have allowed no rule 1" },
  "sessions:list": { shows: /^Sessions/m, close: "Escape" },
  "sessions:find": { words: "last", shows: /sess_\w+/ },
  "sessions:resume": { words: "zzz", shows: /^(?!>).*zzz/m },
  "sessions:attach": { words: "zzz", shows: /^(?!>).*zzz/m },
  "sessions:hush": { shows: "no agent has begun sess_" },
  "sessions:attach-always": { shows: "nothing is asked about the program that began sess_" },
  "sessions:attach-never": { shows: "nothing is asked about the program that began sess_" },
  diff: { shows: "Changed files", close: "Escape" },
  "sessions:diff": { shows: /^(?!>).*\/sessions:diff\n/m },
  "sessions:branch": { shows: "A branch of sess_" },
  "sessions:pin": { shows: "is pinned and does not expire." },
  "sessions:unpin": { shows: "is no longer pinned." },
  rename: { words: "A better title", shows: "Renamed." },
  "sessions:archive": { shows: "is archived." },
  "sessions:unarchive": { shows: "is listed again." },
  "sessions:export": { shows: "Written to" },
  "sessions:dismiss": { shows: "Dismissed for" },
  new: { shows: "in a new session" },
};

/** Opens the terminal client in a mock home. */
async function openClient(
  script: readonly Turn[],
  { columns = 100, rows = 40, prepare }: ClientOptions = {},
): Promise<Client> {
  const mock = openMockHome(script);
  prepare?.(mock);
  const terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
  const client: Client = {
    mock,
    terminal,
    async enter(line, shows) {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
    },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
  const trust = prepare === undefined ? "" : 'yes | "$CINCH" ack --all >/dev/null 2>&1; ';
  await client.enter(`${trust}clear; "$CINCH"`, READY);
  return client;
}

interface ClientOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly prepare?: (mock: MockHome) => void;
}

interface Client extends AsyncDisposable {
  readonly mock: MockHome;
  readonly terminal: Terminal;
  /** Types a line, presses Enter, and waits for a text. */
  enter(line: string, shows: string | RegExp): Promise<void>;
}

test(
  "[CMD-01 TUI-01] /clear while an answer streams leaves its sentence whole; what stands before it goes",
  async () => {
    const rest = Promise.withResolvers<void>();
    const text = "One two three four five six. Seven eight nine ten eleven twelve.";
    await using client = await openClient([says("first answer"), says(text, { hold: rest.promise })]);
    const { terminal, enter } = client;
    await enter("hello", "first answer");
    await enter("again", "One two three");
    await enter("/clear", "… earlier messages");
    await terminal.gone("first answer");
    rest.resolve();
    await terminal.shows("ten eleven twelve.");
    expect(await terminal.screen()).toMatch(/^… earlier messages\n+ *One two three four five six\. Seven/m);
    expect(await terminal.screen()).not.toContain("> again");
  },
  TIMEOUT_MS,
);

test(
  "[CMD-01] each command that comes with cinch has its effect in the terminal client",
  async () => {
    const prepare = ({ home }: MockHome) => {
      mkdirSync(join(home.path, "config/cinch/prompts"), { recursive: true });
      writeFileSync(
        join(home.path, "config/cinch/prompts/review.md"),
        "---\ndescription: looks at it\n---\nReview $1.\n",
      );
    };
    const script = [says("first answer"), says("steered answer"), says("written"), says("reviewed")];
    const rest = Array.from({ length: 4 }, () => says("in a new session"));
    await using client = await openClient([...script, ...rest], { prepare, rows: 50 });
    const { terminal, enter } = client;
    await enter("hello", "first answer");
    const names = SLASH_COMMANDS.map(({ name }) => name).filter((name) => name !== "quit" && name !== "new");
    for (const name of ["copy" as const, ...names, "new" as const]) {
      const { line = `/${name}`, words, shows, close } = EFFECTS[name as Exclude<Name, "quit">];
      const typed = words === undefined ? line : `${line} ${words}`;
      await terminal.press("C-u"); // a line that was refused is back in the draft
      await terminal.gone(" cancels ─"); // in a turn, /clear leaves what grows
      await enter("/clear", CLEARED);
      if (name === "new") {
        await enter(typed, /^>/m);
        await terminal.gone("… earlier messages"); // the session before is left
        await enter("hello again", shows);
      } else await enter(typed, shows);
      expect(await terminal.screen(), typed).not.toContain(`There is no command ${typed}`);
      if (close === undefined) continue;
      await terminal.press(close);
      await until(`${typed} is closed`, async () => {
        const screen = await terminal.screen();
        return typeof shows === "string" ? !screen.includes(shows) : !shows.test(screen);
      });
    }
    await enter("/quit", /bash-[^\n]*$/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-06 CMD-01 bar Slash list] the list opens at a slash, is narrowed by letters, completes with Tab, and runs with Enter",
  async () => {
    await using client = await openClient([says("answered")]);
    const { terminal, enter } = client;
    await terminal.type("/");
    await terminal.shows(/\/help +list the commands/);
    await terminal.shows(/1\/\d+ · tab takes · enter runs · escape closes/);
    expect((await terminal.screen()).split("\n").filter((row) => /^(?:▸| ) \//.test(row))).toHaveLength(8);
    await terminal.type("copy");
    await terminal.shows(/▸ \/copy/);
    await terminal.press("C-u");
    await terminal.type("/clipboard");
    await terminal.shows(/▸ \/copy +copy the last answer/);
    await terminal.press("C-u");
    await terminal.type("/eff");
    await terminal.shows(/▸ \/effort WORD/);
    await terminal.press("Tab");
    await terminal.shows(/\n> \/effort\n/);
    await terminal.press("C-u");
    await enter("hello", "answered"); // a session is there for the words behind
    await terminal.type("/effort hi");
    await terminal.shows(/▸ high/);
    await terminal.press("Enter");
    await terminal.shows("> /effort high");
    await terminal.press("Enter");
    await terminal.shows("effort high from the next round on");
    await terminal.type("/hoo");
    await terminal.shows("▸ /hooks");
    await terminal.press("Enter");
    await terminal.shows("This session has no hooks.");
    await terminal.press("Up");
    await terminal.shows(/\n> \/hooks/);
    await terminal.press("Up");
    await terminal.shows(/\n> \/effort high/); // closed, it leaves the keys of the history alone
  },
  TIMEOUT_MS,
);

test(
  "[TUI-06 bar Slash list] Escape closes the list for its word, and on 40 columns nothing is wider than the screen",
  async () => {
    await using client = await openClient([says("answered")], { columns: 40, rows: 15 });
    const { terminal } = client;
    await terminal.type("/se");
    await terminal.shows(/▸ \/sessions:\w+/);
    await terminal.press("Escape");
    await terminal.shows(/\n\n─+\n> \/se\n/); // nothing stands above the draft
    expect(await terminal.screen()).not.toContain("▸");
    await terminal.type("s");
    await terminal.shows("> /ses");
    expect(await terminal.screen()).not.toContain("▸");
    await terminal.press("C-u");
    await terminal.type("/se");
    await terminal.shows(/▸ \/sessions:\w+/);
    const rows = (await terminal.screen()).split("\n");
    expect(rows.length).toBeLessThanOrEqual(15);
    expect(rows.filter((row) => row.startsWith("> "))).toEqual(["> /se"]);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 bar @] an at sign lists files and folders that are not ignored, for the first prompt too, with lines behind a colon",
  async () => {
    const prepare = ({ work }: MockHome) => {
      mkdirSync(join(work, "src/widgets"), { recursive: true });
      for (const name of ["button", "slider"])
        writeFileSync(join(work, `src/widgets/${name}.ts`), `export const ${name} = 1;\nsecond line\n`);
      writeFileSync(join(work, "日本語のファイル.md"), "wide\n");
      mkdirSync(join(work, "built"));
      writeFileSync(join(work, "built/button.js"), "ignored\n");
      writeFileSync(join(work, ".gitignore"), "built/\n");
    };
    await using client = await openClient([says("read it")], { prepare });
    const { terminal, mock } = client;
    await terminal.type("look at @");
    await terminal.shows(/ src\//);
    await terminal.shows("日本語のファイル.md");
    expect(await terminal.screen()).not.toContain("built/");
    await terminal.type("s");
    await terminal.shows(/▸ src\//);
    await terminal.press("Tab");
    await terminal.shows("> look at @src/");
    await terminal.type("but");
    await terminal.shows("▸ src/widgets/button.ts");
    await terminal.press("Enter");
    await terminal.shows(/> look at @src\/widgets\/button\.ts\n/);
    await terminal.type(":1-1 now");
    await terminal.shows("> look at @src/widgets/button.ts:1-1 now");
    await terminal.press("Enter");
    await terminal.shows("read it");
    const sent = JSON.stringify(mock.provider.requests.at(-1)?.body);
    expect(sent).toContain("export const button = 1;");
    expect(sent).not.toContain("second line");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 CTL-19 bar !] a line with ! runs in the shell for the model too, one with !! does not, and Escape stops one",
  async () => {
    await using client = await openClient([says("seen"), says("again")]);
    const { terminal, enter, mock } = client;
    await terminal.type("!printf for-%s both");
    await terminal.shows(/shell · the model sees the command/);
    await terminal.shows("$ !printf for-%s both");
    await terminal.press("Enter");
    await terminal.shows("for-both");
    await terminal.type("!!printf mi%s ne");
    await terminal.shows(/shell · hidden from the model/);
    await terminal.press("Enter");
    await terminal.shows(/^ +mine$/m);
    await enter("!", "Write the command behind the !");
    await terminal.shows(/\$ !\n/);
    await terminal.press("BSpace");
    await enter("what did you see", "seen");
    const sent = JSON.stringify(mock.provider.requests.at(-1)?.body);
    expect(sent.split("for-both").length - 1).toBe(1);
    expect(sent).not.toContain("mine");
    await enter("!seq 100", /… \d+ lines before/);
    await enter("!sleep 600", /◐ ! sleep 600/);
    await terminal.press("Escape");
    await terminal.shows(/✗ ! sleep 600/);
    await terminal.press("Up");
    await terminal.shows("$ !sleep 600");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 bar !] a command that is refused is said, and its line comes back to the draft",
  async () => {
    const prepare = ({ home }: MockHome) => {
      const folder = join(home.path, "config/cinch/profiles");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "bare.toml"), 'tool_packs = ["fs"]\n');
    };
    await using client = await openClient([says("answered")], { prepare });
    const { terminal, enter } = client;
    await enter("hello", "answered");
    await enter("/profiles:bare", "Import the last turn into the new session?");
    await terminal.shows("y  yes");
    await terminal.press("Escape");
    await terminal.shows("The profile stays as it is.");
    await enter("/profiles:bare --import 0", "profile: default → bare");
    await enter("!ls", "this session has no shell");
    await terminal.shows("$ !ls");
  },
  TIMEOUT_MS,
);

test(
  "[CMD-01] a key is typed unseen, and stands neither in the draft nor in the history",
  async () => {
    await using client = await openClient([says("hello")]);
    const { terminal, enter } = client;
    await enter("/key anthropic", "Key of anthropic (not shown):");
    await terminal.type("sk-very-secret");
    await terminal.shows("> ••••••••••••••");
    expect(await terminal.screen()).not.toContain("very");
    await terminal.press("Enter");
    await terminal.shows(/The key of anthropic was (?:stored|replaced), encrypted/);
    await terminal.press("Up");
    await terminal.shows(/\n> \/key anthropic/);
    await terminal.press("Up");
    await terminal.press("C-r");
    await terminal.shows("Earlier prompts: 1 of 1");
    expect(await terminal.screen()).not.toContain("very");
  },
  TIMEOUT_MS,
);

test(
  "[CMD-01] answers stay: a short one in the transcript, a long one in a panel that scrolls, and a wrong line comes back",
  async () => {
    await using client = await openClient([says("answered"), says("fine")], { columns: 80, rows: 24 });
    const { terminal, enter } = client;
    await enter("/help", /rows 1-\d+ of \d+/);
    await terminal.press("PageDown");
    await terminal.shows(/rows (?!1-)\d+-\d+ of \d+/);
    await terminal.type("hello"); // closes it, and goes to the draft
    await terminal.shows(/\n> hello/);
    await terminal.press("Enter");
    await terminal.shows("answered");
    await enter("/health", /\/health\n.*engine/);
    await enter("/model mock:two", "model mock:two from the next round on");
    await terminal.shows(/\/health\n.*engine/);
    await enter('/effort "open', /quote " is not closed/);
    await terminal.shows('> /effort "open');
    await terminal.press("C-u");
    await enter("/hulp", "Did you mean /help?");
    await enter("//not a command", /▌ \/not a command/);
    expect(existsSync(join(client.mock.work, "made"))).toBe(false);
  },
  TIMEOUT_MS,
);
