import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

const TIMEOUT_MS = 300_000;

test(
  "[CLI-02] cinch PROMPT begins a conversation with it, a single word behind -- and a slash command too",
  async () => {
    await using place = openMockHome([says("It is a heron."), says("Hello.")]);
    const first = await place.run(["what bird is this?"]);
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("It is a heron.")]);
    const word = await place.run(["--", "models"]);
    expect(word.stdout).toContain("Hello.");
    const asked = place.provider.requests.map(({ body }) => JSON.stringify(body["messages"]));
    expect(asked).toEqual([
      expect.stringContaining("what bird is this?"),
      expect.stringContaining('"models"'),
    ]);
    expect((await place.run(["/cost"])).stdout).toContain("this session:");
    const typo = await place.run(["modles"]);
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining("did you mean cinch models?")]);
    expect(place.provider.requests).toHaveLength(2);
  },
  TIMEOUT_MS,
);

test(
  "[CMD-01 CTL-19] /context says what fills the window, /new begins another session, /init asks for an AGENTS.md",
  async () => {
    await using place = openMockHome([says("one"), says("two"), says("written")]);
    const lines = ["/context", "remember the heron", "/context", "/copy", "/new", "go", "/init in Welsh"];
    const { stdout } = await place.run([], { stdin: `${lines.join("\n")}\n` });
    expect(stdout).toContain("Nothing was sent to a model yet.");
    expect(stdout).toMatch(/mock:one: [\d,]+ tokens; its window is unknown\n/);
    expect(stdout).toMatch(/\n {2}\d+ tools +[\d,]+ {2}#+\n/);
    expect(stdout).toMatch(/\n {2}messages: prompts +[\d,]+/);
    expect(stdout).toContain("There is no terminal here whose clipboard could take it.");
    const [first, second, third] = place.provider.requests.map(({ body }) =>
      JSON.stringify((body["messages"] as readonly object[]).slice(1)),
    );
    expect(first).toContain("remember the heron");
    expect(second).not.toContain("heron");
    expect(third).toContain("AGENTS.md");
    expect(third).toContain("in Welsh");
  },
  TIMEOUT_MS,
);

test(
  "[CTX-01 CLI-02] a CLAUDE.md without an AGENTS.md is mentioned once, and how to use it",
  async () => {
    await using place = openMockHome([says("one"), says("two"), says("three")]);
    writeFileSync(join(place.work, "CLAUDE.md"), "Use tabs.\n");
    const mentioned = async () => (await place.run([], { stdin: "go\n" })).stdout.includes("CLAUDE.md");
    expect([await mentioned(), await mentioned()]).toEqual([true, false]);
    for (const { body } of place.provider.requests) expect(JSON.stringify(body)).not.toContain("Use tabs.");
  },
  TIMEOUT_MS,
);

test(
  "[CLI-02 CTL-19] a file that is written over unasked shows what has changed in it, not all of it",
  async () => {
    const text = (middle: string) => `one\ntwo\n${middle}\nfour\nfive\n`;
    await using place = openMockHome([
      calls("Read", { file_path: "a.txt" }),
      calls("Write", { file_path: "a.txt", content: text("tres") }),
      says("written"),
    ]);
    writeFileSync(join(place.work, "a.txt"), text("three"));
    const { stdout } = await place.run(["--auto-approve"], { stdin: "go\n" });
    const change = ["@@ -1,5 +1,5 @@", " one", " two", "-three", "+tres", " four", " five"];
    const quoted = change.map((line) => `  | ${line}\n`).join("");
    expect(stdout).toContain(`  Write ok: +1 -1\n${quoted}`);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 SES-15] /diff shows what the session, a turn or a file of it changed, line by line",
  async () => {
    const write = (name: string, content: string) => calls("Write", { file_path: name, content });
    await using place = openMockHome([
      write("a.txt", "one\ntwo\n"),
      says("first"),
      write("b.txt", "three\n"),
      says("second"),
    ]);
    const lines = ["/diff", "go", "go", "/diff", "/diff 2", "/diff a.txt", "/diff 9", "/diff a b"];
    const { stdout } = await place.run(["--auto-approve"], { stdin: `${lines.join("\n")}\n` });
    expect(stdout).toContain("No file was changed.");
    const a = "A a.txt  +2 -0\n| @@ -0,0 +1,2 @@\n| +one\n| +two\n";
    const b = "A b.txt  +1 -0\n| @@ -0,0 +1,1 @@\n| +three\n";
    expect(stdout).toContain(a + b);
    expect(stdout.split(a)).toHaveLength(3);
    expect(stdout.split(b)).toHaveLength(3);
    expect(stdout).toContain("Write /diff [TURN | PATH].");
  },
  TIMEOUT_MS,
);
