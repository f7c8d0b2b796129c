import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome } from "../support/cinch.ts";
import type { MockOptions } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { processesWith, signalIfRunning, someChildWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const READY = "/help lists commands\n>";
const TIMEOUT_MS = 300_000;

test(
  "[CLI-01 PERM-03] at a terminal: type, answer a permission prompt with a shortened rule, watch the turn",
  async () => {
    const script = [
      calls("Bash", { command: "touch made" }),
      calls("Bash", { command: "touch again" }),
      says("Both made."),
    ];
    await using rig = await openRig({ script });
    await rig.terminal.type("make them");
    await rig.terminal.press("Enter");
    await rig.terminal.shows("1-4 >");
    expect(await rig.terminal.screen()).toContain("Permission needed: Bash\n| touch made\n");
    await rig.answer("2", "rule >");
    await rig.answer("touch", "Both made.");
    await rig.terminal.shows("-- rounds: 3");
    expect(await rig.terminal.screen()).toContain("  allowed by you (Bash:touch *)\n");
    expect([existsSync(join(rig.work, "made")), existsSync(join(rig.work, "again"))]).toEqual([true, true]);
    await rig.answer("/permissions", "Allowed for this session:\n  1  Bash:touch *");
    await rig.answer("/quit", "code 0");
    await rig.expectSameModes();
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 CLI-01] at a terminal !command runs in the session for the model too, !!command for the person alone, and Ctrl-C stops one",
  async () => {
    await using rig = await openRig({ script: [says("Seen."), says("Again.")] });
    await rig.answer("!printf for-%s both", "| for-both");
    expect(await rig.terminal.screen()).toContain("\n! printf for-%s both\n");
    await rig.answer("!!printf mi%s ne", "| mine");
    await rig.answer("!touch made", /touch made\n(?:.*\n)+1-4 >$/);
    await rig.answer("1", "| (no output)");
    expect(existsSync(join(rig.work, "made"))).toBe(true);
    await rig.answer("!", "Write the command behind the !");
    await rig.answer(" !not a command", "Seen.");
    const sent = JSON.stringify(rig.mock.requests.at(-1)?.body);
    expect(sent.split("for-both").length - 1).toBe(1);
    expect(sent).not.toContain("mine");
    expect(sent).toContain(" !not a command");
    await rig.answer("!sleep 600", /^! sleep 600$/m);
    await rig.terminal.press("C-c");
    await rig.terminal.shows("| cancelled: stopped by the user");
    const [, after] = (await rig.terminal.screen()).split("\n! sleep 600\n");
    const line =
      "| cancelled: stopped by the user; it may have taken effect in part; files possibly affected: none seen";
    expect(after?.replaceAll("\n", "").startsWith(`${line}>`)).toBe(true); // the terminal breaks it
    await rig.answer("!touch affected; sleep 600", /touch affected.*\n(?:.*\n)+1-4 >$/);
    await rig.answer("1", /^! touch affected; sleep 600$/m);
    await until("it runs", () => existsSync(join(rig.work, "affected")));
    await rig.terminal.press("C-c");
    await rig.terminal.shows(/files possibly affected: affecte\n?d$/m);
    await rig.answer("still here", "Again.");
    await rig.answer("/quit", "code 0");
    await rig.expectSameModes();
  },
  TIMEOUT_MS,
);

test(
  "[CLI-01] a turn that takes long shows what runs and for how long, and what is typed meanwhile stays",
  async () => {
    const waits = Promise.withResolvers<void>();
    const script = [
      calls("Bash", { command: "sleep 5; echo slept" }),
      says("First line.\nSecond line.", { deltaChars: 12, hold: waits.promise }),
    ];
    await using rig = await openRig({ script });
    await rig.answer("do it", "s Bash >");
    await rig.terminal.type("typed meanwhile");
    await rig.terminal.shows(/^\d+s Bash > typed meanwhile$/m);
    await rig.terminal.shows(/^\d+s model > typed meanwhile$/m);
    waits.resolve();
    await rig.terminal.shows(/^-- rounds: 2.*\n> typed meanwhile$/m);
    for (let at = 0; at < "typed meanwhile".length; at++) await rig.terminal.press("BSpace");
    await rig.answer("/quit", "code 0");
    await rig.expectSameModes();
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 CLI-01] Tab completes a file behind an at sign, by some of its letters, and the commands",
  async () => {
    await using rig = await openRig({ script: [says("Read.")] });
    mkdirSync(join(rig.work, "src/widgets"), { recursive: true });
    writeFileSync(join(rig.work, "src/widgets/button.ts"), "export const button = 1;\n");
    writeFileSync(join(rig.work, "src/widgets/slider.ts"), "export const slider = 1;\n");
    await rig.terminal.type("look at @wbutt");
    await rig.terminal.press("Tab");
    await rig.terminal.shows("> look at @src/widgets/button.ts");
    await rig.terminal.press("Enter");
    await rig.terminal.shows("Read.");
    expect(JSON.stringify(rig.mock.requests.at(-1)?.body)).toContain("export const button = 1;");
    await rig.terminal.type("@widgets");
    await rig.terminal.press("Tab");
    await rig.terminal.shows("> @src/widgets/");
    // The list comes with the second press behind an answer.
    await until("the candidates are listed", async () => {
      await rig.terminal.press("Tab");
      return /@src\/widgets\/button\.ts[^\n]*@src\/widgets\/slider\.ts/.test(await rig.terminal.screen());
    });
    for (let at = 0; at < 30; at++) await rig.terminal.press("BSpace");
    await rig.answer("/quit", "code 0");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 CMD-01] at a terminal a session is renamed, archived and listed again",
  async () => {
    await using rig = await openRig({ script: [says("Hello.")] });
    await rig.answer("first words", "Hello.");
    await rig.answer("/rename A better title", "Renamed.");
    await rig.answer("/sessions:list", "A better title");
    await rig.answer("/sessions:archive", "is archived.");
    await rig.answer("/clear", ">");
    await rig.answer("/sessions:list", "There are none.");
    await rig.answer("/sessions:unarchive", "is listed again.");
    await rig.answer("/rename", "Renamed.");
    await rig.answer(`/rename ${"x".repeat(201)}`, "title: it has more than 200 characters");
    await rig.answer("/level Foo", "level: expected one of ReadOnly, WorkspaceWrite, DangerFullAccess");
    await rig.answer("/sessions:export --format foo", "format: expected one of jsonl, markdown");
    await rig.answer("/clear", ">");
    await rig.answer("/sessions:list", "first words");
    await rig.answer("/quit", "code 0");
  },
  TIMEOUT_MS,
);

test(
  "[PERM-06 PERM-14] at a terminal the prompt shows the change as a diff, and stays open while a person is there",
  async () => {
    const script = [
      calls("Read", { file_path: "a.txt" }),
      calls("Edit", { file_path: "a.txt", old_string: "two", new_string: "2\u001b[2J" }),
      says("Done."),
    ];
    await using rig = await openRig({ script });
    writeFileSync(join(rig.work, "a.txt"), "one\ntwo\nthree\n");
    await rig.answer("edit it", "1-4 >");
    const screen = await rig.terminal.screen();
    expect(screen).toContain("| Edit:");
    expect(screen).toContain("| @@ -1,3 +1,3 @@\n|  one\n| -two\n| +2\u241b[2J\n|  three\n");
    expect(screen).toContain("  4: WORDS  deny, and tell the model what to do instead\n1-4 >");
    expect(screen).toContain("to stop asking: ");
    await rig.answer("1", "Done.");
    expect(readFileSync(join(rig.work, "a.txt"), "utf8")).toBe("one\n2\u001b[2J\nthree\n");
    await rig.answer("/exit", "code 0");
  },
  TIMEOUT_MS,
);

test(
  "[CLI-01 PERM-03] Ctrl-D at a permission prompt denies it and leaves as at any prompt",
  async () => {
    await using rig = await openRig({ script: [calls("Bash", { command: "touch made" }), says("never")] });
    await rig.answer("make it", "1-4 >");
    await rig.terminal.press("C-d");
    await rig.terminal.shows("code 0");
    expect(await rig.terminal.screen()).toContain("  denied by you\n");
    expect(existsSync(join(rig.work, "made"))).toBe(false);
    await rig.expectSameModes();
  },
  TIMEOUT_MS,
);

test(
  "[SES-07] in a session that continues, what was asked before stands there as asked by you",
  async () => {
    await using rig = await openRig({ script: [says("first answer"), says("second answer")] });
    await rig.answer("remember the heron", "first answer");
    await rig.answer("/quit", "code 0");
    await rig.expectSameModes();
    await rig.terminal.type('clear; "$CINCH" --plain --model mock:one --continue');
    await rig.answer("", "you asked:");
    await rig.terminal.shows("first answer");
    const screen = await rig.terminal.screen();
    expect(screen).toContain("you asked:\n| remember the heron\n");
    expect(screen).not.toContain("cli_");
    await rig.answer("/exit", "bash-");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-03 R39] Ctrl-C cancels the turn, twice within two seconds leaves, and the terminal is as it was",
  async () => {
    await using rig = await openRig({ script: [fails({ kind: "stall", at: "mid-event" })] });
    await rig.terminal.type("go");
    await rig.terminal.press("Enter");
    await rig.mock.until((mock) => mock.stalled > 0);
    await rig.terminal.press("C-c");
    await rig.terminal.shows("Press Ctrl-C again within 2s to exit.");
    await rig.terminal.shows("-- cancelled;");
    await rig.leaves(() => rig.terminal.press("C-c"));
    await rig.expectSameModes();
  },
  TIMEOUT_MS,
);

for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
  test(
    `[LIFE-02 R39] ${signal} at the prompt ends it and leaves the terminal as it was`,
    async () => {
      await using rig = await openRig({ script: [] });
      await rig.terminal.type("half a line");
      await rig.terminal.shows("> half a line");
      const pid = Number(readFileSync(join(rig.work, "pid"), "utf8"));
      signalIfRunning(pid, signal);
      if (signal === "SIGINT") {
        // Ctrl-C by another way: the first press asks, the second leaves.
        await rig.terminal.shows("Press Ctrl-C again within 2s to exit.");
        await rig.leaves(async () => signalIfRunning(pid, signal));
      }
      await rig.terminal.shows("code 130");
      await rig.expectSameModes();
    },
    TIMEOUT_MS,
  );
}

test(
  "[CLI-01] what is typed while text streams is not lost, and what was sent meanwhile waits and runs next",
  async () => {
    const waits = Promise.withResolvers<void>();
    const long = says("one two three four five six seven eight nine ten eleven twelve.", {
      deltaChars: 4,
      hold: waits.promise,
    });
    await using rig = await openRig({ script: [long, says("second answer")] });
    await rig.terminal.type("first");
    await rig.terminal.press("Enter");
    await rig.terminal.shows("one two");
    await rig.terminal.type("typed meanwhile");
    await rig.terminal.press("Enter");
    await rig.terminal.shows("waiting [1] for its turn: typed meanwhile");
    waits.resolve();
    await rig.terminal.shows("now: typed meanwhile");
    await rig.terminal.shows("second answer");
    await rig.answer("/quit", "code 0");
  },
  TIMEOUT_MS,
);

test(
  "[CLI-01 TUI-07] a terminal that can only print works, and hostile text does not drive it",
  async () => {
    const hostile = "a\u001b[2J\u001b]0;title\u0007b\u009b1mc\u202ed";
    await using rig = await openRig({ script: [says(hostile)] }, "dumb");
    await rig.answer("hello", "abc<U+202E>d");
    await rig.answer("/quit", "code 0");
    await rig.expectSameModes();
  },
  TIMEOUT_MS,
);

test(
  "[TUI-07] errors and reasons that are wider than the terminal break between words",
  async () => {
    const words = Array.from({ length: 12 }, (_, at) => `discombobulated${at}`);
    const refused = fails({
      kind: "status",
      status: 400,
      body: { error: { message: words.join(" "), type: "invalid_request_error" } },
    });
    await using rig = await openRig({
      script: [calls("Bash", { command: "touch made" }), says("no"), refused],
    });
    await rig.answer("make it", "1-4 >");
    const asked = await rig.terminal.screen();
    expect(asked).toMatch(/^because: .*(?:\n {2}\S.*)*\nto stop asking: .*\n {2}\S.*\n {2}1 {2}allow once$/m);
    await rig.answer("4", "\nno\n");
    await rig.answer("again", "discombobulated11");
    const lines = (await rig.terminal.screen()).split("\n");
    const told = lines.filter((line) => line.includes("discombobulated"));
    expect(told.length).toBeGreaterThan(2);
    for (const line of told) expect(line).toMatch(/discombobulated\d+\S*$/);
    for (const line of told.slice(1)) expect(line).toMatch(/^ {2}discombobulated/);
  },
  TIMEOUT_MS,
);

test(
  "[CRED-03 REL-03 R39] kill -9 of the process that the shell waits for leaves the terminal to the shell, without a word of an engine",
  async () => {
    await using rig = await openRig({ script: [] });
    await rig.answer("/quit", "code 0");
    await rig.expectSameModes();
    const pid = join(rig.work, "second-pid");
    await rig.terminal.type(
      `clear; ZAI_API_KEY=none sh -c 'echo $$ >second-pid; exec "$CINCH" --plain --model mock:one --cwd "$PWD"'; echo co""de $?`,
    );
    await rig.terminal.press("Enter");
    // Until then the screen is the first run's, which was ready too.
    await until("the screen is cleared", () => existsSync(pid) && readFileSync(pid, "utf8").endsWith("\n"));
    await rig.terminal.shows(READY);
    signalIfRunning(Number(readFileSync(pid, "utf8")), "SIGKILL");
    await rig.terminal.shows("code 137");
    await until("the engine has ended", () => processesWith(rig.work).length === 0);
    const seen = await rig.terminal.screen();
    await rig.answer('echo us""able', "usable");
    await rig.answer("stty -a >after; cmp before after && echo same again", "\nsame again");
    expect(seen + (await rig.terminal.screen())).not.toMatch(/bug|errno|setRawMode|Error|cinch:/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 REL-03] kill -9 of a client whose wrapper ends with it leaves cooked modes to the script around them",
  async () => {
    await using rig = await openRig({ script: [] });
    await rig.answer("/quit", "code 0");
    const pid = join(rig.work, "wrapped-pid");
    writeFileSync(
      join(rig.work, "inner.sh"),
      `echo $$ >wrapped-pid; exec "$CINCH" --plain --model mock:one\n`,
    );
    writeFileSync(join(rig.work, "wrapper.sh"), "sh inner.sh; exit 3\n");
    // No shell with job control is between: nothing but the guard sets the terminal right.
    const lines = [
      "clear",
      "sh wrapper.sh",
      "until stty -a | grep -q ' icanon'; do :; done",
      "echo modes are ba''ck",
    ];
    writeFileSync(join(rig.work, "outer.sh"), `${lines.join("\n")}\n`);
    await rig.terminal.type("sh outer.sh");
    await rig.terminal.press("Enter");
    await until("the client runs", () => existsSync(pid) && readFileSync(pid, "utf8").endsWith("\n"));
    await rig.terminal.shows(READY);
    const client = Number(readFileSync(pid, "utf8"));
    await someChildWith(client, "cinch-watchdog"); // a kill in the first 100 ms leaves the terminal as it is
    signalIfRunning(client, "SIGKILL");
    await rig.terminal.shows("modes are back");
  },
  TIMEOUT_MS,
);

async function openRig(options: MockOptions, term?: string) {
  const mock = startMockProvider(options);
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  const terminal = await openTerminal({ home, cwd: work, ...(term === undefined ? {} : { term }) });
  // The words that tests wait for are not in the command itself, or its echo would do.
  const cinch = `sh -c 'echo $$ >pid; exec "$CINCH" --plain --model mock:one --level ReadOnly'`;
  await terminal.type(
    `clear; stty -a >before; ${cinch}; echo code $?; stty -a >after; cmp before after && echo same"" modes`,
  );
  await terminal.press("Enter");
  await terminal.shows(READY);
  return {
    mock,
    home,
    work,
    terminal,
    async answer(line: string, shows: string | RegExp) {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
    },
    /**
     * Presses again what leaves when it comes twice within two seconds; a busy machine may take longer, and it
     * asks anew.
     */
    async leaves(press: () => Promise<void>) {
      const asked = (screen: string) => screen.split("Press Ctrl-C again").length;
      const hasLeft = (screen: string) => screen.includes("code 130");
      for (let screen = await terminal.screen(); !hasLeft(screen); screen = await terminal.screen()) {
        await press(); // one too many would be the shell's
        await until("it has left, or asks again", async () => {
          const next = await terminal.screen();
          return hasLeft(next) || asked(next) > asked(screen);
        });
      }
    },
    expectSameModes: () => terminal.shows("\nsame modes"),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
