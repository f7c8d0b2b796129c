import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../../test/support/mock-provider/turn.ts";
import { openPlace, turn } from "../../../../test/support/place.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";

/** For hangs. */
const SLOW_MS = 60_000;

const PARALLEL = 'name = "p"\ntool_execution = "parallel-read-only"\n';

function happened(events: readonly Envelope[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind === "ToolCallStarted") return [`${event.payload.tool} begins`];
    return event.kind === "ToolResult" ? [event.payload.isError ? "refused" : "ends"] : [];
  });
}

test(
  "[ENG-20] a profile that opts in reads files at the same time; what would ask or change runs alone",
  async () => {
    await using place = openPlace(
      {
        parts: [
          { tool: "Read", input: { file_path: "one.txt" } },
          { tool: "Grep", input: { pattern: "two" } },
          { tool: "Bash", input: { command: "true" } },
          { tool: "Read", input: { file_path: "one.txt", limit: 1 } },
          { tool: "Read", input: { file_path: "/etc/hostname" } },
          { tool: "Read", input: { file_path: "two.txt" } },
        ],
      },
      says("done"),
    );
    place.write("one.txt", "one\n");
    place.write("two.txt", "two\n");
    mkdirSync(join(place.root, "config/profiles"), { recursive: true });
    writeFileSync(join(place.root, "config/profiles/p.toml"), PARALLEL);
    await using harness = await place.open({ profile: "p" });
    const events = await turn(harness, "read all");
    expect(happened(events).slice(0, 2)).toEqual(["Read begins", "Grep begins"]);
    expect(happened(events).slice(4, 9)).toEqual([
      ...["Bash begins", "ends", "Read begins", "ends", "Read begins"],
    ]);
    expect(happened(events).at(-1)).toBe("refused"); // nobody can be asked, and nothing after it runs
    expect(harness.notices).toEqual([]);
  },
  SLOW_MS,
);

test(
  "[ENG-20 ENG-04] a profile that does not opt in runs one call after the other",
  async () => {
    const read = { tool: "Read", input: { file_path: "one.txt" } };
    await using place = openPlace(
      { parts: [read, { tool: "Grep", input: { pattern: "one" } }] },
      calls("Ls", {}),
      says("done"),
    );
    place.write("one.txt", "one\n");
    mkdirSync(join(place.root, "config/profiles"), { recursive: true });
    writeFileSync(join(place.root, "config/profiles/p.toml"), 'name = "p"\n');
    await using harness = await place.open({ profile: "p" });
    const [first] = [happened(await turn(harness, "read all"))];
    expect(first).toEqual(["Read begins", "ends", "Grep begins", "ends", "Ls begins", "ends"]);
  },
  SLOW_MS,
);

const FOUR_READS = ["one.txt", "nope.txt", "one.txt", "one.txt"].map((file_path, at) => ({
  tool: "Read",
  input: { file_path, offset: at === 0 ? 0 : 1, limit: at + 1 },
}));

test(
  "[ENG-20 PROF-01] under the default profile one of four reads fails, and the other three are read in the same round",
  async () => {
    await using place = openPlace({ parts: FOUR_READS }, says("done"));
    place.write("one.txt", "one\n");
    await using harness = await place.open();
    const told = happened(await turn(harness, "read all"));
    expect(told.slice(0, 4)).toEqual(FOUR_READS.map(() => "Read begins"));
    expect(told.slice(4).sort()).toEqual(["ends", "ends", "ends", "refused"]);
    expect(JSON.stringify(place.mock.requests.at(-1)?.body)).not.toContain("not executed");
  },
  SLOW_MS,
);

// Seen red: the commands were not executed, since a Read had failed before them.
test(
  "[ENG-20 ENG-04] a command that is known to only read continues beside a failed read, and its own failure stops none; any other stops there",
  async () => {
    const bash = (command: string) => ({ tool: "Bash", input: { command } });
    const reads = FOUR_READS.slice(0, 2);
    await using place = openPlace(
      { parts: [...reads, bash("echo hi"), bash("ls nowhere"), ...reads.slice(0, 1), bash("touch made")] },
      says("done"),
    );
    place.write("one.txt", "one\n");
    await using harness = await place.open();
    const told = happened(await turn(harness, "read all"));
    expect(told.slice(4)).toEqual([
      ...["Bash begins", "ends", "Bash begins", "refused"],
      ...["Read begins", "ends"],
    ]);
    const body = JSON.stringify(place.mock.requests.at(-1)?.body);
    expect(body.match(/not executed: Bash failed before it/gu)).toHaveLength(1);
  },
  SLOW_MS,
);

test(
  "[ENG-04 LIB-06] the session of the minimal server runs one call after the other, and the first failure stops the rest",
  async () => {
    await using place = openPlace({ parts: FOUR_READS }, says("done"));
    place.write("one.txt", "one\n");
    await using harness = await place.open({ listeners: () => ["unix:///somewhere"] });
    expect(happened(await turn(harness, "read all"))).toEqual([
      "Read begins",
      "ends",
      "Read begins",
      "refused",
    ]);
    const body = JSON.stringify(place.mock.requests.at(-1)?.body);
    expect(body.match(/not executed: Read failed before it/gu)).toHaveLength(2);
  },
  SLOW_MS,
);
