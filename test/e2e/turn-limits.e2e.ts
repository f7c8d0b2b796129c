import { expect, test } from "bun:test";
import { openMockHome } from "../support/mock-home.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { noneWith } from "../support/processes.ts";

const TIMEOUT_MS = 240_000;
const LIMIT_EXIT = 4;

test(
  "[ENG-29 ENG-05] a cap on rounds holds for the turn with all its sub-agents, however deep",
  async () => {
    const script = Array.from({ length: 40 }, (_, at) =>
      calls("Agent", { prompt: `go ${at}`, description: `d${at}` }),
    );
    await using place = openMockHome(script);
    const { code, stderr } = await place.run(["-p", "go", "--max-turns", "6"]);
    expect([code, place.provider.requests.length]).toEqual([LIMIT_EXIT, 6]);
    expect(stderr).toContain("limit of rounds (6");
  },
  TIMEOUT_MS,
);

test(
  "[ENG-29 ENG-23] a cap on rounds holds for tasks that are handed on to sessions of their own",
  async () => {
    const look = calls("Ls", { path: "." });
    const script = [calls("Delegate", { prompt: "go" }), ...Array.from({ length: 20 }, () => look)];
    await using place = openMockHome(script, '[delegate]\nmodel = "mock:one"\n');
    const { code } = await place.run(["-p", "go", "--max-turns", "4"]);
    expect([code, place.provider.requests.length]).toEqual([LIMIT_EXIT, 4]);
  },
  TIMEOUT_MS,
);

test(
  "[ENG-29] the time limit ends a run whatever it waits for: an answer, a command, a sub-agent, a retry, its input",
  async () => {
    const own = `600.${Math.floor(Math.random() * 1e9)}`;
    const stalls = fails({ kind: "stall", at: "first-byte" });
    const waits = [
      [stalls],
      [calls("Bash", { command: `sleep ${own}` })],
      [calls("Agent", { prompt: "go", description: "d" }), stalls],
      Array.from({ length: 30 }, () => fails({ kind: "status", status: 529 })),
    ];
    for (const script of waits) {
      await using place = openMockHome(script, '[sandbox]\nbackend = "none"\n');
      const args = ["-p", "go", "--auto-approve", "--max-time", "4s", "--output-format", "stream-json"];
      const { code, stdout, stderr } = await place.run(args);
      expect([code, stderr]).toEqual([LIMIT_EXIT, expect.stringContaining("time limit (4s)")]);
      const kinds = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(
        kinds.findLast(({ kind, parentCall }) => kind === "TurnEnded" && parentCall === undefined),
      ).toMatchObject({
        payload: { reason: "time_limit" },
      });
    }
    await noneWith(own);

    await using place = openMockHome([says("never")]);
    await using running = place.start(["-p", "--max-time", "2s"]); // its input stays open
    expect([await running.exited, await running.stderr]).toEqual([
      LIMIT_EXIT,
      expect.stringContaining("TimeLimitReached"),
    ]);
  },
  TIMEOUT_MS,
);

test(
  "[ENG-29 CLI-01] a time limit stands in the configuration and in a profile too; a bare number is refused",
  async () => {
    const stalls = fails({ kind: "stall", at: "first-byte" });
    await using place = openMockHome([stalls], 'max_time = "2s"\n');
    expect((await place.run(["-p", "go"])).code).toBe(LIMIT_EXIT);
    const shown = await place.run(["profile", "show"]);
    expect(shown.stdout).toMatch(/limits\.time\s+"?2s/);
    const bare = await place.run(["-p", "go", "--max-time", "5"]);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("such as 90s, 10m or 2h")]);
  },
  TIMEOUT_MS,
);
