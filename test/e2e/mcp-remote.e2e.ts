import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch } from "../support/cinch.ts";
import { startEverything } from "../support/everything-http.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { agree, startOAuthMcpServer } from "../support/oauth-mcp-server.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

// A server that is elsewhere, through the command itself: refused without a login, logged in to, used, logged out of.

const HANG_MS_MAX = 120_000;

test(
  "[MCP-01 CRED-03] a person logs in at a server that is elsewhere, and the model uses it without ever having the token",
  async () => {
    await using server = startOAuthMcpServer();
    const call = calls("CallTool", { name: "mcp__guarded__whoami", input: {} });
    await using mock = startMockProvider({
      script: [
        call,
        says("refused"),
        calls("ToolSearch", { query: "whoami" }),
        call,
        says("let in"),
        call,
        says("let in again"),
      ],
    });
    using home = cinchHome();
    const work = join(home.path, "work");
    mkdirSync(work, { recursive: true });
    configure(home, mock.url, `name = "guarded"\nurl = "${server.url}"\ndiscovery = "lazy"`);
    const prompt = () =>
      runCinch(["-p", "go", "--model", "mock:one"], { home, cwd: work, timeoutMs: HANG_MS_MAX });

    const without = await prompt();
    expect(without.stdout).toBe("refused\n");

    const login = await loggedIn(home, work);
    expect(login).toContain(`you are logged in at ${server.url}, with the rights read.`);

    const withLogin = await prompt();
    expect([withLogin.stdout, withLogin.code]).toEqual(["let in\n", 0]);
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("let in, with Bearer «redacted:api-key»");
    expect(JSON.stringify(mock.requests)).not.toContain("access-token");

    const out = await runCinch(["creds", "logout", "mcp:guarded"], { home, cwd: work });
    expect([out.code, out.stderr]).toEqual([0, "cinch: what was stored for mcp:guarded was deleted\n"]);

    server.admit("a-token-that-was-made-elsewhere");
    const added = await runCinch(["creds", "add", "mcp:guarded"], {
      home,
      cwd: work,
      stdin: "a-token-that-was-made-elsewhere\n",
    });
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining(`sent to ${server.url} only`)]);
    expect((await prompt()).stdout).toBe("let in again\n");
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("let in, with Bearer «redacted:api-key»");
    expect(JSON.stringify(mock.requests)).not.toContain("made-elsewhere");
  },
  HANG_MS_MAX,
);

function configure(home: CinchHome, provider: string, server: string): void {
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    [
      `[permissions]\nallow = ["mcp__guarded__*", "mcp__everything__*"]`,
      `[[mcp_servers]]\n${server}`,
      `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider}/v1"\n`,
    ].join("\n"),
  );
}

/** Logs in, agreeing to the page, and returns the last output. */
async function loggedIn(home: CinchHome, cwd: string): Promise<string> {
  const { PATH = "/usr/bin:/bin", TMPDIR } = process.env;
  const login = Bun.spawn([cinchPath(), "creds", "login", "mcp:guarded"], {
    cwd,
    env: { PATH, TMPDIR, LANG: "C.UTF-8", ...home.env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let said = "";
  let agreed: Promise<number> | undefined;
  const decoder = new TextDecoder();
  for await (const bytes of login.stderr) {
    said += decoder.decode(bytes, { stream: true });
    const page = /^(http:\/\/127\.0\.0\.1:\d+\/authorize\S+)$/m.exec(said)?.[1];
    if (page !== undefined) agreed ??= agree(page);
  }
  expect([await login.exited, await agreed]).toEqual([0, 200]);
  return said;
}

const terminalTest = requireProgram("tmux");

/** The fields of that form that a person may leave out, from the second of them on. */
const LEFT_OUT = [
  "String with email format",
  "String with uri format",
  "String with date format",
  "Integer",
  "Number in range",
  "Untitled Single",
  "Untitled Multiple",
  "Titled Single",
  "Titled Multiple",
  "Legacy",
];

/** The prompt of a question, or of a line. The prompt of running work stands until keys count as an answer. */
const TAKES_KEYS = /(^|\n)((answer|choice|1-\d)( \(\d+ s\))? )?>$/;

terminalTest(
  "[MCP-06] at a terminal a person answers the questions of a server over HTTP and sends one of its prompts, and its picture reaches the model",
  async () => {
    await using server = await startEverything("http");
    const ask = calls("CallTool", { name: "mcp__everything__trigger_elicitation_request", input: {} });
    const picture = calls("CallTool", { name: "mcp__everything__get_tiny_image", input: {} });
    await using mock = startMockProvider({
      script: [calls("ToolSearch", { query: "elicitation" }), ask, picture, says("Thanks."), says("Sunny.")],
    });
    using home = cinchHome();
    configure(home, mock.url, `name = "everything"\nurl = "${server.url}"\ndiscovery = "lazy"`);
    await using terminal = await openTerminal({ home, cwd: home.path, columns: 110, rows: 60 });
    const enter = async (line: string, shows: string | RegExp) => {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
      await terminal.shows(TAKES_KEYS);
    };
    await enter('clear; "$CINCH" --plain --model mock:one', "/help lists commands");
    await enter("ask me", "It asks for:");
    expect(await terminal.screen()).toContain("The MCP server everything asks:");
    await enter("1", "everything asks for String");
    await enter("Ada", "everything asks for Boolean");
    await enter("1", "everything asks for String with default");
    for (const next of LEFT_OUT) await enter("-", `everything asks for ${next}`);
    await enter("-", "Thanks.");
    const told = JSON.stringify(mock.requests[2]?.body);
    for (const part of ["Name: Ada", "Agreed to terms: true", "Integer: 42", "Guitar"])
      expect(told).toContain(part);
    expect(JSON.stringify(mock.requests[3]?.body)).toContain("data:image/png;base64,iVBOR");
    await enter("/mcp-prompts:everything.args_prompt Bern", "Sunny.");
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("weather in Bern");
    await terminal.type("/quit");
    await terminal.press("Enter");
    await terminal.prompts();
  },
  HANG_MS_MAX,
);
