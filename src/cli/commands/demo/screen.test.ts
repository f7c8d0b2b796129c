import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { NO_COST } from "../../../view/costs/cost.ts";
import { palette } from "./palette.ts";
import { changesIn, FIX, layOut, runCheck } from "./project.ts";
import { RESULT_LINES_MAX, Screen } from "./screen.ts";
import { setStage } from "./stage.ts";
import { closingText } from "./texts.ts";
import { Wrap, wrapped } from "./wrap.ts";

const PLAIN = { columns: 80, palette: palette(false) };
const NEVER = new AbortController().signal;

test("[PROV-08] text is broken between words, however it arrives, and no word is lost", async () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é") }), { maxLength: 40 });
  await holds(
    fc.property(texts, fc.integer({ min: 3, max: 20 }), (pieces, columns) => {
      const whole = pieces.join("");
      const wrap = new Wrap(columns);
      const shown = pieces.map((piece) => wrap.push(piece)).join("") + wrap.end();
      expect(shown).toBe(wrapped(whole, columns));
      expect(shown.split(/\s+/)).toEqual(`${whole.trimEnd()}${shown === "" ? "" : "\n"}`.split(/\s+/));
      const tooLong = shown.split("\n").filter((line) => line.length > columns && /\S\s+\S/.test(line));
      expect(tooLong).toEqual([]);
    }),
    300,
  );
});

test("[PROV-08 TUI-07] nothing that a command prints drives the terminal, and a long result is shown by its end", () => {
  const screen = new Screen(80, palette(true));
  const lines = Array.from({ length: RESULT_LINES_MAX + 2 }, (_, at) => `\x1b]0;title\x07line ${at}\rover`);
  const shown = show(screen, [
    event("ToolCallStarted", {
      callId: "call_1",
      tool: "Bash",
      toolKind: "execute",
      args: { command: "x\x1b[2J" },
      mutating: true,
    }),
    event("ToolResult", { callId: "call_1", content: [{ type: "text", text: lines.join("\n") }] }),
  ]);
  // Colours of ours are all that is left of control sequences.
  expect(shown.replaceAll(/\x1b\[\d+m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  expect(shown).toContain(`(${(RESULT_LINES_MAX + 2) * 2 - RESULT_LINES_MAX} lines before)`);
  expect(shown).toContain(`line ${RESULT_LINES_MAX + 1}`);
});

test("[PROV-08] the example project fails at first, passes with the fix, and the change is reported", async () => {
  await using folder = temporaryDirectory();
  const world = testWorld();
  const check = () => runCheck(world, folder.path, { path: "/usr/bin:/bin", signal: NEVER });
  await layOut(world, folder.path, { fixed: false });
  expect(await changesIn(world, folder.path)).toEqual([]);
  expect(await check()).toMatchObject({ passed: false, output: expect.stringContaining("FAIL 3725") });
  await layOut(world, folder.path, { fixed: true });
  expect(await check()).toMatchObject({ passed: true });
  const [change, ...others] = await changesIn(world, folder.path);
  expect(others).toEqual([]);
  expect(change?.after).toBe(change?.before.replace(FIX.before, () => FIX.after) ?? "");
});

test("[PROV-08] a demo whose tests fail in the end says so, and says where its session is", async () => {
  await using folder = temporaryDirectory();
  const stage = await setStage(testWorld(), folder.path, { fixed: false });
  const check = { passed: false, output: "one\ntwo\nthree\nfour\n" };
  const ending = { changes: [], check, cost: NO_COST, session: "sess_x", stage, ownStore: "/tmp/store" };
  expect(closingText(ending, PLAIN).replaceAll(folder.path, "FOLDER")).toBe(
    `
What changed
  nothing

sh test/run.sh, run once more by this demo itself
  two
  three
  four

  Tests    they fail
  Cost     $0.00 now; recorded: about 0 tokens in, 0 out, 0 calls
  Session  sess_x
           in /tmp/store, for want of a store that can be used
  Folder   FOLDER/project (left for you to look at)
  Remove   rm -r FOLDER

The model's words were recorded beforehand; the tools, the permissions, the
session log and all the rest were real.
`,
  );
});

function show(screen: Screen, events: readonly Envelope[]): string {
  return events.map((each) => screen.print(each)).join("");
}

function event(kind: string, payload: object): Envelope {
  return { id: 1, kind, payload } as unknown as Envelope;
}
