import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TEXTS } from "../../src/base/reason-texts.ts";
import { SLASH_COMMANDS } from "../../src/protocol/commands/own-commands.ts";
import { cinchHome } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;

/** Every slash command that a text for people names: `/mcp:restart <name>`, `/model`. */
function commandsInTexts(): readonly string[] {
  const found = Object.values(TEXTS).flatMap(
    (text) => text.match(/(?<![\w<>./:])\/[a-z]+(?::[a-z]+)?(?![\w/.])/g) ?? [],
  );
  return [...new Set(found)];
}

test(
  "[CMD-01 CMD-02 CTX-03] names are completed with Tab, prompts and aliases do what they say, and every command that a text names is one",
  async () => {
    using home = cinchHome();
    await using mock = startMockProvider({
      script: [calls("Write", { file_path: "made.txt", content: "x" }), says("Made."), says("Reviewed.")],
    });
    const work = join(home.path, "work");
    const config = join(home.path, "config/cinch");
    mkdirSync(work);
    mkdirSync(join(config, "prompts"), { recursive: true });
    writeFileSync(
      join(config, "config.toml"),
      `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n[permissions]\nallow = ["Write:*"]\n`,
    );
    writeFileSync(
      join(config, "prompts/review.md"),
      "---\ndescription: looks at it\n---\nReview $1 with care.\n",
    );
    writeFileSync(join(config, "aliases.toml"), '[aliases]\nrv = "/prompts:review main.ts"\n');
    await using terminal = await openTerminal({ home, cwd: work, columns: 150, rows: 60 });
    const enter = async (line: string, shows: string | RegExp) => {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
    };
    await enter(
      'yes | "$CINCH" ack --all >/dev/null 2>&1; clear; "$CINCH" --plain --model mock:one',
      "/help lists commands",
    );

    // A Tab that comes with the letters is one of a paste.
    await terminal.type("/prom");
    await terminal.shows("> /prom");
    await terminal.press("Tab");
    await terminal.shows("> /prompts:");
    await terminal.type("rev");
    await terminal.shows("> /prompts:rev");
    await terminal.press("Tab");
    await terminal.shows("> /prompts:review");
    await enter(" it", "Made.");
    expect(JSON.stringify(mock.requests[0]?.body["messages"])).toContain("Review it with care.");
    await enter("/rv", "Reviewed.");
    expect(JSON.stringify(mock.requests.at(-1)?.body["messages"])).toContain("Review main.ts with care.");

    await enter("/sessions:diff", "made.txt  made");
    await enter("/health", /machine key from machine\.key/);
    await enter("/mcp", "This session has no MCP servers.");
    await enter("/web", "This engine serves no web client: this version has none.");
    await enter("/promts:x", "Did you mean /prompts:review?");
    await enter("/sesions:list", "There is no command /sesions:list. Did you mean /sessions:list?");
    await enter("/sessions:list", /STATUS +ID +AGE +PROFILE +MODEL +TURNS +ATTACHED-BY +WORKING-DIR +TITLE/);
    await enter("/engine:web", /\n> \/engine:web\nThis engine serves no web client: this version has none\./);
    await enter("/sk:pdf", /Did you mean \/skills:code-review or \/skills:skill-writing\?/);
    await enter("/prompts:", "/prompts:review");
    await enter("/engine:", "There is no command /engine:. /help lists those there are.");
    await enter("/sessions:attach", "Write /sessions:attach ID; /sessions:list shows them.");
    await enter("/skills:zzzz", /If it was written or acknowledged since:\s+\/skills:/);
    for (const [at, command] of commandsInTexts().entries()) {
      const known = SLASH_COMMANDS.some(({ name }) => command === `/${name}`);
      expect([command, known]).toEqual([command, true]);
      if (command === "/quit") continue; // it leaves, whatever stands behind it
      await terminal.type(`${command} nothing`);
      await terminal.press("Enter");
      await enter(`/done-${at}:x`, `command /done-${at}:x.`); // what was typed before it was carried out before it
      const screen = await terminal.screen();
      expect(screen).not.toContain(`There is no command ${command}`);
      expect(screen).not.toContain("not served");
      expect(screen).not.toContain("InternalError");
    }
    await enter("/quit", /bash-[^\n]*$/);
  },
  TIMEOUT_MS,
);
