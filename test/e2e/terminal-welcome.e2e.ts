import { expect } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { startClient } from "../support/terminal-client.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
/** Port at which cinch looks for a server of ollama. */
const OLLAMA_PORT = 11_434;
/** It has no form that is redacted by itself. */
const KEY = "Qd84Vn1TsWk37MxLe0YbRf65Hc";

/** Returns the paths of files below a folder that hold a text. */
function holding(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && readFileSync(path).includes(text) ? [path] : [];
  });
}

for (const [columns, rows] of [
  [100, 40],
  [40, 15],
] as const)
  test(
    `[TUI-01 CTL-19 CRED-01 bar First screen] without a model the first screen takes a key unseen, and the draft is sent with it, on ${columns} columns`,
    async () => {
      using home = cinchHome();
      await using provider = startMockProvider({ script: [says("Heard with the key.")], key: KEY });
      const config = `[providers.keyed]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\napi_key_env = "KEYED_KEY"\ndefault_model = "one"\n`;
      mkdirSync(join(home.path, "config/cinch"), { recursive: true });
      writeFileSync(join(home.path, "config/cinch/config.toml"), config);
      const work = join(home.path, "work");
      mkdirSync(work);
      await using terminal = await openTerminal({ home, cwd: work, columns, rows });
      await terminal.type("$CINCH");
      await terminal.press("Enter");
      await terminal.shows("No model is set up yet");
      await terminal.type("first words");
      await terminal.press("Enter");
      // Refused, and back in the draft.
      await terminal.shows(/No model yet: alt\+g sets one up\./);
      await terminal.shows(/> first words/);
      await terminal.shows("No model is set up yet");
      await terminal.press("M-g");
      await terminal.shows("Get a model");
      await terminal.type("keyed");
      await terminal.shows(/▸ key of keyed/);
      await terminal.press("Enter");
      await terminal.shows("Key of keyed (not shown)");
      await terminal.paste(KEY);
      await terminal.shows(`•  ${KEY.length} characters`);
      expect(await terminal.screen()).not.toContain(KEY.slice(0, 6));
      await terminal.press("Enter");
      await terminal.shows(/The key of keyed was stored/);
      await terminal.shows(/> first words/);
      await terminal.press("Enter");
      await terminal.shows("Heard with the key.");
      expect(await terminal.screen()).not.toContain("No model is set up yet");
      expect(readFileSync(join(home.path, "config/cinch/config.toml"), "utf8")).toBe(config);
      expect(holding(home.path, KEY)).toEqual([]);
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-01 PROV-08 bar First screen] without a model the demo is one of the choices: it plays on the terminal, Ctrl-C ends it alone, and the client comes back with its draft",
  async () => {
    using home = cinchHome();
    const work = join(home.path, "work");
    mkdirSync(work);
    await using terminal = await openTerminal({ home, cwd: work, columns: 100, rows: 40 });
    await startClient(terminal);
    await terminal.shows("No model is set up yet");
    await terminal.type("my draft");
    const play = async () => {
      await terminal.press("M-g");
      await terminal.shows("Get a model");
      await terminal.type("demo");
      await terminal.shows("▸ watch the demo");
      await terminal.press("Enter");
    };
    await play();
    await terminal.shows(/Tests +they pass[\s\S]*Enter goes back to cinch\./);
    await terminal.press("Enter");
    await terminal.shows(/> my draft\nno session yet/);
    await play();
    await terminal.shows("sh test/run.sh");
    await terminal.press("C-c");
    await terminal.shows("Enter goes back to cinch.");
    await terminal.press("Enter");
    await terminal.shows(/> my draft\nno session yet/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 PROV-05 bar First screen] without a model a server on this machine is one of the choices, and its model answers",
  async () => {
    await using provider = startMockProvider({ script: [says("Heard on this machine.")], models: ["small"] });
    const forward = async (request: Request) =>
      await fetch(`${provider.url}${new URL(request.url).pathname}`, request);
    await using server = new AsyncDisposableStack();
    const served = Bun.serve({ hostname: "127.0.0.1", port: OLLAMA_PORT, fetch: forward });
    server.defer(() => served.stop(true));
    using home = cinchHome();
    const work = join(home.path, "work");
    mkdirSync(work);
    await using terminal = await openTerminal({ home, cwd: work, columns: 100, rows: 40 });
    await startClient(terminal);
    await terminal.type("hello");
    await terminal.press("M-g");
    await terminal.shows("Get a model");
    await terminal.shows(/▸ ollama:small +on this machine, no key/);
    await terminal.press("Enter");
    await terminal.shows("ollama:small answers here.");
    await terminal.shows("> hello");
    await terminal.press("Enter");
    await terminal.shows("Heard on this machine.");
  },
  TIMEOUT_MS,
);

for (const how of ["the first screen", "the list of models", "/model"] as const)
  test(
    `[TUI-01 PROV-05 bar First screen bar Model picker] a configured provider without a default model is usable through ${how}`,
    async () => {
      using home = cinchHome();
      await using provider = startMockProvider({ script: [says("Heard of my own.")], models: ["small"] });
      mkdirSync(join(home.path, "config/cinch"), { recursive: true });
      const config = `[providers.own]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`;
      writeFileSync(join(home.path, "config/cinch/config.toml"), config);
      const work = join(home.path, "work");
      mkdirSync(work);
      await using terminal = await openTerminal({ home, cwd: work, columns: 100, rows: 40 });
      await startClient(terminal);
      await terminal.shows("No model is the default yet (default_model in config.toml): alt+g chooses one.");
      await terminal.shows("set up: own:small");
      if (how === "/model") await terminal.type("/model own:small");
      else {
        await terminal.press(how === "the first screen" ? "M-g" : "M-m");
        await terminal.shows(/▸ +own:small/);
      }
      await terminal.press("Enter");
      await terminal.shows(/own:small (?:answers here|from the next request)/);
      await terminal.type("hello");
      await terminal.press("Enter");
      await terminal.shows("Heard of my own.");
      expect(await terminal.screen()).not.toContain("No model");
    },
    TIMEOUT_MS,
  );

test(
  "[CTL-11 TUI-01 bar First screen] a session that does not exist ends on the shell with one line and exit code 2",
  async () => {
    using home = cinchHome();
    const work = join(home.path, "work");
    mkdirSync(work);
    await using terminal = await openTerminal({ home, cwd: work, columns: 100, rows: 20 });
    await terminal.type("clear; $CINCH --resume nosuch; echo code $?");
    await terminal.press("Enter");
    await terminal.shows(/There is no stored session 'nosuch'[\s\S]*\ncode 2/);
  },
  TIMEOUT_MS,
);
