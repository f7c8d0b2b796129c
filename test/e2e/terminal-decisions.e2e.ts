import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { answerQuestion, sendPrompt, startClient } from "../support/terminal-client.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const ASKED = '[permissions]\nask = ["Bash"]\n';
/** Too long for one row of a wide terminal. */
const WORDS = Array.from({ length: 40 }, (_, at) => `part${at}`);

for (const [columns, rows] of [
  [120, 40],
  [60, 30],
] as const)
  test(
    `[PERM-03 PERM-14 TUI-04 bar Permission bar Decision trace] the whole command and each scope are said, a refusal has a remark, and the transcript has who decided, what and for how long, on ${columns} columns`,
    async () => {
      await using mock = openMockHome(
        [
          calls("Bash", { command: `touch first; echo ${WORDS.join(" ")}` }),
          calls("Bash", { command: "touch made-1" }),
          calls("Bash", { command: "touch made-1 made-2" }),
          calls("Bash", { command: "mkdir folder" }),
          calls("Bash", { command: "rmdir folder" }),
          says("all done"),
        ],
        ASKED,
      );
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      const has = async (text: string) => (await terminal.screen()).includes(text);
      await startClient(terminal);
      await sendPrompt(terminal, "go");
      await terminal.shows("Permission needed: Bash");
      await terminal.type("my draft");
      const screen = (await terminal.screen()).replaceAll(/\s+/g, " ");
      for (const word of WORDS) expect(screen.includes(`${word} `), word).toBe(true);
      await answerQuestion(terminal, "w", () => has("deny, with these words for the model"));
      await terminal.type("use make instead");
      await terminal.press("Enter");
      await terminal.shows("denied by you: use make instead");
      expect(existsSync(join(mock.work, "first"))).toBe(false);

      await terminal.shows("allow for this session: Bash:touch made-1");
      await terminal.shows("allow once");
      await terminal.shows("allow every Bash call for this session");
      await answerQuestion(terminal, "s", () => has("shorter"));
      await terminal.press("Left", "Left");
      await terminal.shows("allow for this session: Bash:touch *");
      await terminal.press("Enter");
      await terminal.shows("allowed by you, Bash:touch * for this session");

      // The next call is like it: nobody is asked. The one behind it is not.
      await terminal.shows("mkdir folder");
      await terminal.shows("Permission needed: Bash");
      expect(existsSync(join(mock.work, "made-2"))).toBe(true);
      await answerQuestion(terminal, "t", async () => !(await has("Permission needed")));
      await terminal.shows("all done");
      await terminal.shows("allowed by you, Bash for this session");
      expect(existsSync(join(mock.work, "folder"))).toBe(false);
      await terminal.shows(/\n> my draft\n/);
      const bodies = JSON.stringify(mock.provider.requests.map(({ body }) => body));
      expect(bodies).toContain("use make instead");
    },
    TIMEOUT_MS,
  );
