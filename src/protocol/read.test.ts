import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { schemaOf } from "../../scripts/schemas.ts";
import { fitting } from "../../test/support/arbitrary.ts";
import { holds } from "../../test/support/property.ts";
import { HarnessError, hasReason } from "../base/errors.ts";
import { ID_PREFIXES, isId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import { Command } from "./commands/commands.ts";
import { EnvelopeSchema } from "./events/envelope.ts";
import { readCommand, readEnvelope } from "./read.ts";

const SESSION = "sess_01JQ4ZZZZZ0123456789ABCDEF";
const CALL = "call_01JQ4ZZZZZ0123456789ABCDEF";
const CLIENT = "cli_01JQ4ZZZZZ0123456789ABCDEF";

const commands = fitting(schemaOf(Command)).filter(isObject);
const envelopes = fitting(schemaOf(EnvelopeSchema)).filter(isObject);
const strangeKey = fc.string({ minLength: 1, maxLength: 6 }).map((name) => `x_${name}`);

function overTheWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function refusal(value: unknown): string {
  try {
    readCommand(value);
  } catch (thrown) {
    if (hasReason(thrown, "InvalidCommand")) return thrown.message;
    throw thrown;
  }
  return "accepted";
}

describe("commands", () => {
  test("[BUS-08 BUS-07] thinking is read in its one form, whichever version wrote it", () => {
    const frame = { id: 1, session: "sess_01JZ7Q3V5X8Y9ZABCDEFGHJKMN", ts: "2026-05-23T19:00:00.123Z" };
    const read = (block: unknown) =>
      readEnvelope({ ...frame, kind: "ThinkingDelta", payload: { block } })?.payload;
    const type = "thinking";
    expect(read({ type, family: "f", text: "hm" })).toEqual({ block: { type, family: "f", text: "hm" } });
    expect(read({ type, family: "f", text: "hm", data: 1 })).toEqual({
      block: { type, family: "f", text: "" },
    });
    expect(read("«ttl-expired»")).toEqual({ block: { type, text: "«ttl-expired»" } });
    expect(read(1)).toEqual({ block: { type, text: "" } });
  });

  test("[BUS-04 BUS-06] every command comes back from the wire as it was sent, flat or with a body", async () => {
    await holds(
      fc.property(commands, (command) => {
        const { kind, ...body } = command;
        expect<unknown>(readCommand(overTheWire(command))).toEqual(overTheWire(command));
        expect<unknown>(readCommand(overTheWire({ kind, body }))).toEqual(overTheWire(command));
      }),
      500,
    );
  });

  test("[BUS-04] fields that this version does not know are dropped", async () => {
    await holds(
      fc.property(commands, strangeKey, fc.jsonValue(), (command, key, value) => {
        expect<unknown>(readCommand(overTheWire({ ...command, [key]: value }))).toEqual(overTheWire(command));
      }),
    );
    const block = { type: "text", text: "hi", cache: true };
    expect<unknown>(
      readCommand({ kind: "SendInput", sessionId: SESSION, content: [block], x_trace: 1 }),
    ).toEqual({
      kind: "SendInput",
      sessionId: SESSION,
      content: [{ type: "text", text: "hi" }],
    });
  });

  test("[BUS-06] content of older clients is read: without a type, and nested under its type", () => {
    const older = [
      { text: "typeless" },
      { type: "text", text: { text: "nested" } },
      { type: "image", image: { media_type: "image/png", data: "aGk=" } },
    ];
    expect<unknown>(readCommand({ kind: "SendInput", body: { sessionId: SESSION, content: older } })).toEqual(
      {
        kind: "SendInput",
        sessionId: SESSION,
        content: [
          { type: "text", text: "typeless" },
          { type: "text", text: "nested" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
        ],
      },
    );
  });

  test("[BUS-06] a field named body does not hide a flat command", () => {
    const flat = { kind: "CancelTurn", sessionId: SESSION, body: { sessionId: "sess_other" } };
    expect<unknown>(readCommand(flat)).toEqual({ kind: "CancelTurn", sessionId: SESSION });
  });

  test("[BUS-04] a refused command names the field that is wrong", () => {
    const input = (content: unknown) => refusal({ kind: "SendInput", sessionId: SESSION, content });
    expect(input([{ type: "text", text: 1 }])).toContain(
      "SendInput cannot be carried out: content[0].text: ",
    );
    expect(input([])).toContain("content: ");
    expect(input("hi")).toContain("content: ");
    expect(input([{ type: "video" }])).toContain("content[0].type: ");
    expect(refusal({ kind: "SetModel", sessionId: SESSION })).toContain("model: ");
    expect(refusal({ kind: "CancelTurn", body: {} })).toContain("sessionId: ");
  });

  test("[BUS-04] a kind that is not in the closed union is refused, and cannot drive a terminal", () => {
    expect(refusal({ kind: "Reboot", sessionId: SESSION })).toContain(
      "Reboot cannot be carried out: there is no",
    );
    expect(refusal({ kind: "\u001b]0;gone\u0007" })).toContain("(not a name)");
    expect(refusal({ kind: "__proto__" })).toContain("there is no command of this kind");
    expect(refusal({})).toContain("kind: it must be a string");
    expect(refusal(undefined)).toContain("a command is a JSON object");
  });

  test("[BUS-05] identifiers are checked wherever one comes in", () => {
    for (const bad of [
      "",
      "sess_",
      SESSION.toLowerCase(),
      `${SESSION}0`,
      SESSION.replace("_0", "_8"),
      CALL,
      ` ${SESSION}`,
      `${SESSION}\n`,
    ]) {
      expect(refusal({ kind: "CancelTurn", sessionId: bad })).toContain("sessionId: ");
    }
    const answer = { kind: "AnswerPermission", sessionId: SESSION, decision: "allow" };
    expect(refusal({ ...answer, callId: SESSION })).toContain("callId: ");
    expect(refusal({ ...answer, callId: CALL })).toBe("accepted");
    expect(refusal({ kind: "CreateSession", profile: "default", resume: SESSION })).toContain("resume: ");
  });

  test("[BUS-05] an event id above 2^53 - 1 is refused, not rounded", () => {
    const at = (text: string) =>
      refusal(JSON.parse(`{"kind":"BranchSession","sessionId":"${SESSION}","at":${text}}`));
    expect(at("9007199254740991")).toBe("accepted");
    expect(at("9007199254740993")).toContain("at: ");
    expect(at("0")).toContain("at: ");
    expect(at("1.5")).toContain("at: ");
  });

  test("[BUS-04 REL-06] no JSON value does more than being refused", async () => {
    const near = fc.oneof(
      fc.jsonValue(),
      fc.tuple(commands, fc.jsonValue()).map(([command, value]) => mixed(command, value)),
    );
    await holds(
      fc.property(near, (value) => {
        try {
          readCommand(value);
        } catch (thrown) {
          expect(hasReason(thrown, "InvalidCommand")).toBe(true);
        }
      }),
      500,
    );
  });
});

/** A command in which every second field has become something else. */
function mixed(command: object, value: unknown): unknown {
  return Object.fromEntries(
    Object.entries(command).map(([key, was], at) => [key, at % 2 === 1 ? value : was]),
  );
}

describe("events", () => {
  test("[BUS-02 BUS-04] every envelope comes back from the wire as it was sent, without what is unknown", async () => {
    await holds(
      fc.property(envelopes, strangeKey, fc.jsonValue(), (envelope, key, value) => {
        const payload = { ...(isObject(envelope["payload"]) ? envelope["payload"] : {}), [key]: value };
        const sent = overTheWire({ ...envelope, payload, [key]: value });
        expect<unknown>(readEnvelope(sent)).toEqual(overTheWire(envelope));
      }),
      500,
    );
  });

  test("[BUS-04] an event of a kind that a newer engine sends is skipped, not refused", () => {
    const frame = { id: 1, session: SESSION, ts: "2026-01-01T00:00:00.000Z" };
    expect(readEnvelope({ ...frame, kind: "PaintedBlue", payload: {} })).toBeUndefined();
    expect(readEnvelope({ ...frame, kind: "constructor", payload: {} })).toBeUndefined();
  });

  test("[BUS-07] payloads have the documented fields", () => {
    const payloads = {
      StreamGap: { from: 3, to: 9, reason: "ttl" },
      SessionEnded: { reason: "binary-shutdown" },
      MCPServerDown: { name: "files", reason: "exited", attempts: 3 },
      HookError: { event: "Stop", command: "notify", exit_code: 2 },
      CustomEvent: { namespace: "acme", kind: "Done", payload: [1] },
      TurnStarted: { turn: 1, originator: CLIENT, content: [{ type: "text", text: "go" }] },
    };
    for (const [kind, payload] of Object.entries(payloads)) {
      const sent = {
        id: 7,
        kind,
        session: SESSION,
        originator: CLIENT,
        ts: "2026-01-01T00:00:00.000Z",
        payload,
      };
      expect<unknown>(readEnvelope(sent)).toEqual(sent);
    }
  });

  test("[BUS-05 CTL-14] an id of another length is refused wherever it stands in an event, without quoting it", async () => {
    const tail = "0".repeat(100_000);
    let changed = 0;
    const property = fc.property(envelopes, (envelope) => {
      for (const { path, value } of textsIn(envelope)) {
        if (!ID_PREFIXES.some((prefix) => isId(prefix, value))) continue;
        changed += 1;
        const why = refusedEvent(withTextAt(envelope, path, `${value}${tail}`));
        expect(why).toContain(path.filter((key) => !/^\d+$/.test(key)).at(-1) ?? "");
        expect(why).not.toBe("accepted");
        expect(why.length).toBeLessThan(300);
      }
    });
    await holds(property, 100);
    expect(changed).toBeGreaterThan(100);
  });

  test("[BUS-07] an event that does not fit its schema is refused with the field's name", () => {
    const sent = {
      id: 7,
      kind: "SessionEnded",
      session: SESSION,
      ts: "2026-01-01T00:00:00.000Z",
      payload: { reason: "bored" },
    };
    expect(() => readEnvelope(sent)).toThrow("SessionEnded: payload.reason: ");
    expect(() => readEnvelope({ ...sent, ts: "yesterday" })).toThrow("ts: ");
    expect(() => readEnvelope({ kind: 1 })).toThrow(HarnessError);
    expect(() => readEnvelope(null)).toThrow(HarnessError);
  });
});

interface TextAt {
  readonly path: readonly string[];
  readonly value: string;
}

/** Returns the texts in a JSON value with the keys that lead there. */
function textsIn(value: unknown, path: readonly string[] = []): readonly TextAt[] {
  if (typeof value === "string") return [{ path, value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => textsIn(each, [...path, key]));
}

function withTextAt(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.with(Number(key), withTextAt(value[Number(key)], rest, text));
  const { [key]: inner, ...others } = value as Record<string, unknown>;
  return { ...others, [key]: withTextAt(inner, rest, text) };
}

function refusedEvent(value: unknown): string {
  try {
    readEnvelope(value);
  } catch (thrown) {
    if (hasReason(thrown, "InvalidEvent")) return thrown.message;
    throw thrown;
  }
  return "accepted";
}
