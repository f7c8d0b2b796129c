import { expect, test } from "bun:test";
import type { Envelope, EnvelopeOf } from "../src/protocol/events/envelope.ts";
import { TAIL_BYTES_MAX, TAIL_LINES_MAX } from "../src/protocol/events/progress-limits.ts";
import { NEW_SESSION, sessionAfter } from "../src/view/session/session-view.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "./support/place.ts";

/** For hangs. */
const SLOW_MS = 60_000;

const KEY = `sk-ant-api03-${"a1B2c3D4".repeat(12)}AA`;

function reports(events: readonly Envelope[]): readonly EnvelopeOf<"ToolCallProgress">["payload"][] {
  return events.flatMap((event) => (event.kind === "ToolCallProgress" ? [event.payload] : []));
}

test(
  "[CTL-19 TOOL-02 SES-05] clients see the last lines of a running command with its numbers, redacted, and the log keeps each line once",
  async () => {
    const command = [
      'for at in $(seq 60); do echo "line $at"; done',
      // Its end would be the beginning of the last 8 KiB.
      `read -t 0.6 <> <(:); printf '%s ' ${KEY}; head -c 8100 /dev/zero | tr '\\0' x; echo`,
      "read -t 0.6 <> <(:)",
      "for at in $(seq 3); do echo more; read -t 0.3 <> <(:); done",
      "yes | head -c 200000",
      "exit 0",
    ].join("; ");
    await using place = openPlace(calls("Bash", { command }), says("done"));
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const events = await turn(harness, "go");
    const told = reports(events);
    const commands = told.flatMap((each) => (each.tail === undefined ? [] : [each]));
    expect(commands.length).toBeGreaterThan(2);
    for (const { tail = "" } of told) {
      expect(tail.split("\n").length).toBeLessThanOrEqual(TAIL_LINES_MAX + 1);
      expect(new TextEncoder().encode(tail).length).toBeLessThanOrEqual(TAIL_BYTES_MAX);
    }
    expect(JSON.stringify(told).includes(KEY.slice(60, 80))).toBe(false);
    expect(commands.some(({ tail }) => tail?.includes("«redacted:"))).toBe(true);
    const numbers = commands.map(({ bytes = 0, lines = 0, elapsedMs = 0 }) => [bytes, lines, elapsedMs]);
    expect(numbers).toEqual(numbers.toSorted(([one = 0], [other = 0]) => one - other));
    expect(commands.at(-1)?.bytes).toBeGreaterThan(200_000);
    expect(commands.at(-1)?.lines).toBeGreaterThan(100_000);
    expect(commands.at(-1)?.elapsedMs).toBeGreaterThan(600);

    // A client that comes later reads the log: the same pieces, without the events that repeat them.
    const stop = new AbortController();
    const later: Envelope[] = [];
    const connection = await connect(harness);
    for await (const event of connection.subscribe(harness.session, { since: 1, signal: stop.signal })) {
      later.push(event);
      if (event.kind === "TurnEnded") break;
    }
    expect(reports(later)).toEqual(told.filter(({ tail }) => tail === undefined));
  },
  SLOW_MS,
);

test(
  "[CTL-19] a view shows the newest lines and numbers of a command, and forgets them with its call",
  async () => {
    const command = 'for at in $(seq 50); do echo "line $at"; done; read -t 0.4 <> <(:); echo end';
    await using place = openPlace(calls("Bash", { command }), says("done"));
    await using harness = await place.open({ wishes: { autoApprove: true } });
    let view = NEW_SESSION;
    const shown: (string | undefined)[] = [];
    for (const event of await turn(harness, "go")) {
      view = sessionAfter(view, event);
      const [call] = view.run?.calls.values() ?? [];
      if (event.kind === "ToolCallProgress" && event.payload.tail !== undefined) {
        expect(call?.command?.tail).toBe(event.payload.tail);
        shown.push(call?.command?.tail);
      }
    }
    expect(shown.at(-1)).toEndWith("line 50\nend\n");
    expect(view.run?.calls.size).toBe(0);
  },
  SLOW_MS,
);
