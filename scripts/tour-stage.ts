import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ActionName } from "../src/client/terminal/keys/actions.ts";
import { ACTIONS } from "../src/client/terminal/keys/actions.ts";
import { cinchHome } from "../test/support/cinch.ts";
import { startMockProvider } from "../test/support/mock-provider/mock-provider.ts";
import type { Turn } from "../test/support/mock-provider/turn.ts";
import { endAllWith } from "../test/support/processes.ts";
import type { Terminal } from "../test/support/terminal.ts";
import { openTerminal } from "../test/support/terminal.ts";
import { until } from "../test/support/until.ts";
import { terminalSvg } from "./terminal-svg.ts";

/** Longer than the status line takes to show a new state: a screen that stays the same for that time is final. */
const STEADY_MS = 600;
const DARK = { background: "#16181d", foreground: "#d7dae0" } as const;

export interface StageOptions {
  /** Answers of the model, in their order. */
  readonly script: readonly Turn[];
  /** Files of the project, by their paths. */
  readonly files: Readonly<Record<string, string>>;
  /** Lines of the configuration beside the provider's. */
  readonly config?: string;
  readonly columns: number;
  readonly rows: number;
}

/** The client in a real terminal, with a project and a scripted model. Leaving the scope ends everything in it. */
export interface Stage extends AsyncDisposable {
  readonly terminal: Terminal;
  /** Starts the client, and waits for its first frame. */
  start(flags?: string): Promise<void>;
  /** Clears the screen at the prompt of the shell. */
  clear(): Promise<void>;
  /** Types a prompt and sends it. */
  send(text: string): Promise<void>;
  /** Presses the first key of each action. */
  act(...actions: readonly ActionName[]): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Returns the picture of the screen, once it shows a text and does not change any more. */
  picture(title: string, shows: string | RegExp): Promise<string>;
}

/** Opens a stage in a home of its own. The model is `acme:large`, and its prices are known. */
export async function openStage(options: StageOptions): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(cinchHome());
  const model = opened.use(startMockProvider({ script: options.script, catalogue: CATALOGUE }));
  opened.defer(() => endAllWith(home.path));
  const work = join(home.path, "retry");
  const written = {
    "config/cinch/config.toml": configOf(model.url, options.config ?? ""),
    "config/cinch/terminal.toml": 'theme = "dark"\n',
    ...Object.fromEntries(Object.entries(options.files).map(([path, text]) => [`retry/${path}`, text])),
  };
  for (const [path, text] of Object.entries(written)) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), text);
  }
  let size = { columns: options.columns, rows: options.rows };
  const terminal = opened.use(await openTerminal({ home, cwd: work, ...size }));
  await terminal.type(PREPARE);
  await terminal.press("Enter");
  await terminal.shows(/^\$$/);
  const owned = opened.move();
  return {
    terminal,
    async start(flags = "") {
      await terminal.type(`cinch ${flags}`.trimEnd());
      await terminal.press("Enter");
      await terminal.shows(/\n>|You:/);
    },
    async clear() {
      await terminal.type("clear");
      await terminal.press("Enter");
      await terminal.shows(/^\$$/);
    },
    async send(text) {
      await terminal.type(text);
      await terminal.shows(text);
      await terminal.press("Enter");
    },
    async act(...actions) {
      await terminal.press(...actions.map(tmuxKey));
    },
    async resize(columns, rows) {
      size = { columns, rows };
      await terminal.resize(columns, rows);
      // The line above the draft, or beside it the sidebar, ends at the right edge.
      await terminal.shows(new RegExp(`^.{${columns - 1}}─$`, "m"));
    },
    async picture(title, shows) {
      await terminal.shows(shows);
      const { text, cursor } = await steadyScreen(terminal);
      return terminalSvg(text, { title, ...DARK, ...size, ...(cursor === undefined ? {} : { cursor }) });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The prompt of the shell is the same on every machine, and the client has all colours. */
const PREPARE = `export COLORTERM=truecolor PS1='$ '; cinch() { "$CINCH" "$@"; }; clear`;

const CATALOGUE = {
  object: "list",
  data: [
    { id: "large", object: "model", context_length: 200_000 },
    { id: "medium", object: "model", context_length: 200_000 },
    { id: "small", object: "model", context_length: 64_000 },
  ],
};

function configOf(url: string, more: string): string {
  return [
    'default_model = "acme:large"',
    more,
    `[providers.acme]\nkind = "openai-compatible"\nbase_url = "${url}/v1"`,
    '[prices."acme:large"]\ninput = 5\noutput = 25\ncache_read = 0.5',
    '[prices."acme:medium"]\ninput = 3\noutput = 15\ncache_read = 0.3',
    '[prices."acme:small"]\ninput = 1\noutput = 5\ncache_read = 0.1',
    "",
  ].join("\n");
}

/** Returns the screen with its colours when it has stayed the same for `STEADY_MS`. */
async function steadyScreen(terminal: Terminal) {
  let last = await steadied(terminal);
  let sinceMs = performance.now();
  await until("the screen stays the same", async () => {
    const next = await steadied(terminal);
    if (next.text !== last.text) sinceMs = performance.now();
    last = next;
    return performance.now() - sinceMs > STEADY_MS;
  });
  return last;
}

async function steadied(terminal: Terminal) {
  const { text, cursor } = await terminal.picture();
  return { text: withoutChance(text), cursor };
}

/** Replacements of all that differs between two recordings: ids, times and durations. */
const CHANCE: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/\/[^\s:]*\/cinch-home-\w+/g, () => "/home/user"],
  [/…[0-9A-HJKMNP-TV-Z]{6}\b/g, () => "…7XK2QV"],
  [/sess_[0-9A-HJKMNP-TV-Z]+/g, (id) => SESSION.slice(0, id.length)],
  [/working \d+ s|working \d+ min \d+ s/g, () => "working 3 s"],
  [/\b\d+ min\b/g, () => "now"],
  [/\b\d+ s left/g, () => "600 s left"],
  [/expires in \d+ days/g, () => "expires in 31 days"],
  // The time of a call stands behind its name from one second on.
  [/ {2}\d+(?:\.\d)?s(?=\x1b|\s|$)/gm, () => ""],
];
const SESSION = "sess_01KB4T7N2WQJ5D8XR6ZC0V9EGM";

function withoutChance(screen: string): string {
  return CHANCE.reduce((text, [pattern, steady]) => text.replaceAll(pattern, steady), screen);
}

const TMUX_NAMES: Readonly<Record<string, string>> = {
  escape: "Escape",
  enter: "Enter",
  tab: "Tab",
  "shift+tab": "BTab",
  up: "Up",
  down: "Down",
};

/** Returns the first key of an action, as tmux names it. */
function tmuxKey(action: ActionName): string {
  const [key] = ACTIONS[action].keys;
  if (key === undefined) throw new Error(`${action} has no key`);
  const known = TMUX_NAMES[key];
  if (known !== undefined) return known;
  if (/^f\d+$/.test(key)) return key.toUpperCase();
  return key.replace(/^ctrl\+/, "C-").replace(/^alt\+/, "M-");
}
