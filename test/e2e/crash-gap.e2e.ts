import { expect } from "bun:test";
import { startEngineIn } from "../support/both-ways.ts";
import { openMockHome } from "../support/mock-home.ts";
import { fails, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";

// A session whose engine was killed in the middle of an answer, and what its next reader learns of that.

const TIMEOUT_MS = 300_000;
const test = requireProgram("bash");
const FORMAT = ["--output-format", "stream-json"];

for (const way of ["a process of its own", "a running engine"]) {
  test(
    `[SES-17 -p --resume shows the gap of the crash before its turn (${way})`,
    async () => {
      const stalls = fails({ kind: "stall", at: "mid-event" });
      await using place = openMockHome([{ ...stalls, deltaChars: 4 }, says("Here I am.")]);
      await using killed = place.start(["-p", "go", ...FORMAT]);
      killed.closeStdin();
      const before: string[] = [];
      for await (const text of killed.stdout) {
        before.push(text);
        if (before.join("").includes("TextDelta")) break;
      }
      killed.kill("SIGKILL");
      await killed.exited;
      const session: string = JSON.parse(before.join("").split("\n")[0] ?? "").session;
      await using _engine = way === "a running engine" ? await startEngineIn(place) : undefined;
      const { code, stdout, stderr } = await place.run(["-p", "go on", "--resume", session, ...FORMAT]);
      expect(code).toBe(0);
      const events = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(events.map(({ kind }) => kind).slice(0, 4)).toEqual([
        "StreamGap",
        "Error",
        "TurnEnded",
        "TurnStarted",
      ]);
      expect(events[0].payload.reason).toBe("crash");
      expect(events[0].payload.from).toBeGreaterThan(1);
      expect(events.filter(({ kind }) => kind === "StreamGap")).toHaveLength(1);
      expect(stderr).toContain("(TurnInterrupted)");
    },
    TIMEOUT_MS,
  );
}
