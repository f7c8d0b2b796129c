import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import {
  asks,
  each,
  ends,
  envelopes,
  gather,
  INFO,
  LOG,
  says,
} from "../../../test/support/transcript-rig.ts";
import { testWorld } from "../../../test/support/world.ts";
import { HarnessError } from "../../base/errors.ts";
import { decode, encode } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { exportJsonl } from "./jsonl.ts";
import { EXPORT_LINE_BYTES_MAX, LineTooLong, readFileLines } from "./lines.ts";
import type { ReadExport } from "./read-export.ts";
import { readExport } from "./read-export.ts";

const EVENTS = envelopes(asks(1, "héllo\u2028 🦀"), says("wor"), says("ds"), ends(1));

test("[SES-10 BUS-02] an export is the envelopes, one a line, and a seal in the same shape; twice the same bytes", async () => {
  const lines = (await exported(EVENTS)).trimEnd().split("\n");
  expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual([...EVENTS]);
  const seal = JSON.parse(lines.at(-1) ?? "");
  expect(seal).toEqual({
    id: 5,
    session: INFO.session,
    ts: EVENTS[3]?.ts,
    kind: "CustomEvent",
    payload: {
      namespace: "cinch",
      kind: "ExportSeal",
      payload: {
        log: LOG,
        events: 4,
        from: 1,
        to: 4,
        sessions: [INFO.session],
        model: "mock:one",
        profile: "default",
        sha256: new Bun.CryptoHasher("sha256").update(`${lines.slice(0, -1).join("\n")}\n`).digest("hex"),
      },
    },
  });
  expect(await exported(EVENTS)).toBe(await exported(EVENTS));
});

test("[SES-10] what was exported is read back as it was, wherever the bytes are cut", async () => {
  const bytes = encode(await exported(EVENTS));
  await holds(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = edges.slice(1).map((to, at) => bytes.slice(edges[at], to));
      const { events, read } = await readBack(chunks);
      expect(events).toEqual([...EVENTS]);
      expect(read).toMatchObject({ events: 4, missing: 0, last: 4, problems: [] });
    }),
  );
});

test.each([
  [
    "cut off at a line",
    (lines: string[]) => lines.slice(0, 2),
    "2",
    "the seal is missing: the file was cut off here",
  ],
  [
    "without its first line",
    (lines: string[]) => lines.slice(1),
    "1",
    "event 2 follows event 0: those between are missing",
  ],
  [
    "with a line less",
    (lines: string[]) => lines.toSpliced(1, 1),
    "2",
    "event 3 follows event 1: those between are missing",
  ],
  [
    "with a line twice",
    (lines: string[]) => lines.toSpliced(1, 0, lines[1] ?? ""),
    "3",
    "event 2 stands after event 2",
  ],
  [
    "with a word changed",
    (lines: string[]) => lines.with(1, (lines[1] ?? "").replace("wor", "war")),
    "5",
    "the lines before are not those that were exported: something was changed",
  ],
  ["with text between", (lines: string[]) => lines.toSpliced(1, 0, "hello"), "2", "it is not JSON"],
  [
    "with a kind that is not known",
    (lines: string[]) => lines.with(1, (lines[1] ?? "").replace("TextDelta", "TextDelight")),
    "2",
    'the kind "TextDelight" is not known here: a newer cinch may',
  ],
  [
    "with a payload of another shape",
    (lines: string[]) => lines.with(1, (lines[1] ?? "").replace('"wor"', "7")),
    "2",
    "it is not an event: TextDelta: payload.text: expected a string, found number",
  ],
  [
    "with a turn that no log has reached there",
    (lines: string[]) => lines.with(0, (lines[0] ?? "").replace('"turn":1', `"turn":${2 ** 53 - 1}`)),
    "1",
    `turn ${2 ** 53 - 1} begins with event 1`,
  ],
  [
    "twice in one file",
    (lines: string[]) => [...lines, ...lines],
    "6",
    "something stands after the seal of the export",
  ],
])("[SES-10 R19] an export %s is refused with its line", async (_what, change, line, problem) => {
  const lines = (await exported(EVENTS)).trimEnd().split("\n");
  expect(await refusal(`${change(lines).join("\n")}\n`)).toEqual({ path: "file", line, problem });
});

test("[SES-10] an export that is cut off anywhere is refused", async () => {
  const bytes = encode(await exported(EVENTS));
  for (let to = 0; to < bytes.length; to++) {
    expect((await refusal(decode(bytes.slice(0, to))))?.["problem"]).toMatch(/cut off here|is missing/);
  }
});

test("[SES-10] an event of a session that the seal does not name is refused", async () => {
  const stranger = testWorld({}, 99).ids.next("sess");
  const [first, ...rest] = (await exported(EVENTS)).trimEnd().split("\n");
  // With the right hash: as whoever writes such a file would have it.
  const forged = [JSON.stringify({ ...JSON.parse(first ?? ""), session: stranger }), ...rest];
  const body = `${forged.slice(0, -1).join("\n")}\n`;
  const sha256 = new Bun.CryptoHasher("sha256").update(body).digest("hex");
  const seal = JSON.parse(forged.at(-1) ?? "");
  seal.payload.payload.sha256 = sha256;
  expect(await refusal(`${body}${JSON.stringify(seal)}\n`)).toEqual({
    path: "file",
    line: "5",
    problem: `the seal does not know the session ${stranger}`,
  });
});

test("[SES-10] unverified, what can be read is read, and what is missing stands in its place", async () => {
  const lines = (await exported(EVENTS)).trimEnd().split("\n");
  const { events, read } = await readBack([encode([lines[0], "hello", lines[3]].join("\n"))], true);
  expect(events.map(({ id, kind }) => [id, kind])).toEqual([[1, "TurnStarted"]]);
  expect(read.problems).toEqual([
    "line 2: it is not JSON",
    "line 3: the line does not end: the file was cut off here",
    "line 3: the seal is missing: the file was cut off here",
  ]);
  const whole = await readBack([encode(`${lines[0]}\n${lines[3]}\n`)], true);
  expect(whole.events.map(({ id, kind }) => [id, kind])).toEqual([
    [1, "TurnStarted"],
    [2, "CustomEvent"],
    [3, "CustomEvent"],
    [4, "TurnEnded"],
  ]);
  expect(whole.read).toMatchObject({ events: 2, missing: 2, last: 4 });
});

test("[SES-10] unverified too, an id that leaps far ahead is refused: nobody fills a gap of 10^15", async () => {
  const leap = JSON.stringify({ ...EVENTS[1], id: 10 ** 15 });
  await expect(readBack([encode(`${leap}\n`)], true)).rejects.toThrow("more than 100000 events are missing");
});

test("[SES-10] whatever bytes stand in a file, reading it ends in events without a gap or in a refusal", async () => {
  const lines = (await exported(EVENTS)).trimEnd().split("\n");
  const part = fc.oneof(
    fc.constantFrom(...lines),
    fc.string({ maxLength: 40 }),
    fc.json(),
    fc
      .record({ line: fc.constantFrom(...lines), at: fc.nat(400), put: fc.string({ maxLength: 3 }) })
      .map(({ line, at, put }) => line.slice(0, at) + put + line.slice(at + put.length)),
  );
  await holds(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.boolean(), async (parts, unverified) => {
      try {
        const { events, read } = await readBack([encode(parts.join("\n"))], unverified);
        expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
        if (!unverified) expect(read.problems).toEqual([]);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(HarnessError);
      }
    }),
  );
});

test("[SES-10] a line without an end is refused before it fills the memory", async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    while (true) yield new Uint8Array(1_000).fill(0x61);
  }
  await expect(gather(readFileLines(endless(), 10_000))).rejects.toBeInstanceOf(LineTooLong);
  expect(EXPORT_LINE_BYTES_MAX).toBe(67_108_864);
});

async function exported(events: readonly Envelope[]): Promise<string> {
  return (await gather(exportJsonl(INFO, each(events)))).join("");
}

async function readBack(
  chunks: readonly Uint8Array[],
  unverified = false,
): Promise<{ readonly events: readonly Envelope[]; readonly read: ReadExport }> {
  const events: Envelope[] = [];
  const reading = readExport(each(chunks), { name: "file", unverified });
  while (true) {
    const step = await reading.next();
    if (step.done === true) return { events, read: step.value };
    events.push(step.value);
  }
}

async function refusal(text: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    await readBack([encode(text)]);
  } catch (thrown) {
    if (thrown instanceof HarnessError && thrown.reason === "ExportInvalid") return { ...thrown.fields };
    throw thrown;
  }
  return undefined;
}
