import { expect } from "bun:test";
import { appendFileSync, copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const LIMIT_MS = 180_000;
const withTmux = requireProgram("tmux");

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

withTmux(
  "[AUTH-09] a person is asked at their terminal about a program they have not let in; their yes is kept, for this program alone",
  async () => {
    await using place = await openMcpPlace([], { isAttested: false });
    const { home, work } = place;
    writeFileSync(join(work, "first.json"), `${JSON.stringify(INITIALIZE)}\n`);
    writeFileSync(join(work, "token"), place.token());
    await using terminal = await openTerminal({ home, cwd: work, columns: 200 });
    // Its own streams are pipes and files, as with a client of the protocol: the question comes another way.
    const start = (out: string, shell: string) =>
      `(cat first.json; sleep 600) | CINCH_TOKEN=$(cat token) ${shell} $CINCH mcp --no-listen > ${out} 2> ${out}.err; echo ended $?`;
    const answer = (out: string) => {
      const path = join(work, out);
      const [line = ""] = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
      return line === ""
        ? undefined
        : (JSON.parse(line) as { readonly result?: object; readonly error?: object });
    };
    const lock = join(home.path, "config/cinch/mcp-parents.lock");

    await terminal.type(start("refused", ""));
    await terminal.press("Enter");
    await terminal.shows("has started cinch as an MCP server");
    await terminal.shows("[y/N]");
    expect(answer("refused")).toBeUndefined();
    await terminal.type("n");
    await terminal.press("Enter");
    await until("it is refused", () => answer("refused") !== undefined, 60_000);
    expect(answer("refused")).toMatchObject({ error: { data: { reason: "ParentRefused" } } });
    expect(existsSync(lock)).toBe(false);
    await terminal.press("C-c");
    await terminal.press("C-l");
    await terminal.prompts();

    await terminal.type(start("allowed", ""));
    await terminal.press("Enter");
    await terminal.shows("[y/N]");
    await terminal.type("y");
    await terminal.press("Enter");
    await until("it is served", () => answer("allowed") !== undefined, 60_000);
    expect(await terminal.screen()).not.toContain("[Y/n]"); // the clients ask that, about its sessions
    expect(answer("allowed")).toMatchObject({ result: { serverInfo: { name: "cinch" } } });
    expect(JSON.parse(readFileSync(lock, "utf8"))).toMatchObject({
      version: 1,
      parents: [
        {
          binary: expect.stringContaining("bash"),
          binarySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
    await terminal.press("C-c");
    await terminal.press("C-l");
    await terminal.prompts();

    await terminal.type(start("again", ""));
    await terminal.press("Enter");
    await until("it is served", () => answer("again") !== undefined, 60_000);
    expect(answer("again")).toMatchObject({ result: { serverInfo: { name: "cinch" } } });
    expect(await terminal.screen()).not.toContain("[y/N]");
    await terminal.press("C-c");
    await terminal.press("C-l");
    await terminal.prompts();

    // The same shell through another program is another parent.
    await terminal.type(start("other", "sh -c 'exec </dev/stdin; \"$@\"; true' x"));
    await terminal.press("Enter");
    await terminal.shows("[y/N]");
    expect(answer("other")).toBeUndefined();
    await terminal.press("C-c");
  },
  LIMIT_MS,
);

withTmux(
  "[AUTH-09 CTL-12] a program that has changed is asked about again, with a text that says so; Enter alone lets nobody in; the terminal is the parent's again afterwards",
  async () => {
    await using place = await openMcpPlace([], { isAttested: false });
    const { home, work } = place;
    const agent = join(work, "agent");
    copyFileSync("/bin/bash", agent);
    writeFileSync(join(work, "first.json"), `${JSON.stringify(INITIALIZE)}\n`);
    writeFileSync(join(work, "token"), place.token());
    writeFileSync(
      join(work, "start"),
      "(cat first.json; until [ -e $1.over ]; do sleep 0.1; done) | CINCH_TOKEN=$(cat token) $CINCH mcp --no-listen > $1\n",
    );
    await using terminal = await openTerminal({ home, cwd: work, columns: 200 });
    const lock = join(home.path, "config/cinch/mcp-parents.lock");
    const kept = () => JSON.parse(readFileSync(lock, "utf8")).parents;
    const said = (out: string) => () => {
      const path = join(work, out);
      return existsSync(path) && readFileSync(path, "utf8").includes("\n");
    };

    // Reading the terminal would stop a program in the background: nobody is asked, and it is refused.
    await terminal.type("./agent start background &");
    await terminal.press("Enter");
    await until("it is refused", said("background"), 60_000);
    expect(readFileSync(join(work, "background"), "utf8")).toContain("ParentRefused");
    await terminal.type("clear; ./agent start one");
    await terminal.press("Enter");
    await terminal.shows("[y/N]");
    await terminal.press("Enter");
    await until("it is refused", said("one"), 60_000);
    expect(JSON.parse(readFileSync(join(work, "one"), "utf8"))).toMatchObject({
      error: { message: expect.stringContaining(agent), data: { reason: "ParentRefused" } },
    });
    await terminal.press("C-c");
    await terminal.prompts();
    await terminal.clear();
    await terminal.type("./agent start two");
    await terminal.press("Enter");
    await terminal.shows("[y/N]");
    await terminal.type("yes");
    await terminal.press("Enter");
    await until("it is served", said("two"), 60_000);
    const [before] = kept();
    expect(before).toMatchObject({ argv0: "./agent", binary: agent });
    expect(before).not.toHaveProperty("autoAttach"); // that is asked in the clients

    // The terminal is the parent's again: what is typed next is not for cinch.
    await terminal.type("echo for''-the-shell");
    await terminal.press("Enter");
    await terminal.shows("echo for''-the-shell");
    writeFileSync(join(work, "two.over"), "");
    await terminal.shows("for-the-shell");
    const changed = `${agent}.new`;
    copyFileSync(agent, changed);
    appendFileSync(changed, "\n");
    renameSync(changed, agent);
    await terminal.clear();
    await terminal.type("OPENAI_API_KEY=sk-test-0123456789abcdef0123456789abcdef ./agent start three");
    await terminal.press("Enter");
    await terminal.shows("It is not the program that you allowed before: it has changed since.");
    await terminal.shows("[y/N]");
    expect(said("three")()).toBe(false);
    await terminal.type("y");
    await terminal.press("Enter");
    await until("it is served", said("three"), 60_000);
    expect(kept()).toEqual([{ ...before, binarySha256: expect.not.stringMatching(before.binarySha256) }]);
    await terminal.press("C-c");
  },
  LIMIT_MS,
);
