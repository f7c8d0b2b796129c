import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { agree, startOAuthMcpServer } from "../support/oauth-mcp-server.ts";

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
        says("out"),
      ],
    });
    using home = cinchHome();
    const work = join(home.path, "work");
    mkdirSync(work, { recursive: true });
    mkdirSync(join(home.path, "config/cinch"), { recursive: true });
    writeFileSync(
      join(home.path, "config/cinch/config.toml"),
      [
        `[permissions]\nallow = ["mcp__guarded__*"]`,
        `[[mcp_servers]]\nname = "guarded"\nurl = "${server.url}"\ndiscovery = "lazy"`,
        `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
      ].join("\n"),
    );
    const prompt = () =>
      runCinch(["-p", "go", "--model", "mock:one"], { home, cwd: work, timeoutMs: HANG_MS_MAX });

    const without = await prompt();
    expect(without.stdout).toBe("refused\n");

    const login = await loggedIn(home, work);
    expect(login).toContain(`you are logged in at ${server.url}, with the rights read.`);
    const list = await runCinch(["creds", "list"], { home, cwd: work });
    expect(list.stdout).toMatch(/^mcp:guarded\tdefault\t\S+\tused\n$/);

    const withLogin = await prompt();
    expect([withLogin.stdout, withLogin.code]).toEqual(["let in\n", 0]);
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("let in, with Bearer «redacted:api-key»");
    expect(JSON.stringify(mock.requests)).not.toContain("access-token");

    const out = await runCinch(["creds", "logout", "mcp:guarded"], { home, cwd: work });
    expect([out.code, out.stderr]).toEqual([0, "cinch: what was stored for mcp:guarded was deleted\n"]);
  },
  HANG_MS_MAX,
);

/** What the login says in the end; the page that it shows is agreed to. */
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
