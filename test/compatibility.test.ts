import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedFiles } from "../scripts/schemas.ts";
import { isObject, objectAt, parseJson } from "../src/base/json.ts";
import { isReason } from "../src/base/reasons.ts";
import { parseThinkingPiece } from "../src/protocol/events/thinking-piece.ts";
import { readCommand, readEnvelope } from "../src/protocol/read.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { answerHandshake } from "../src/session/access/handshake.ts";
import type { Reader } from "./support/schema-changes.ts";
import { breakingChanges, reservedNames } from "./support/schema-changes.ts";
import { ROOT } from "./support/source.ts";

// What was published once, and what clients and logs of then hold. docs/protocol/compatibility.md says what they may
// rely on.

const RECORDED = join(ROOT, "test/data/protocol");
const SCHEMAS: readonly (readonly [file: string, reader: Reader])[] = [
  ["commands", "server"],
  ["accepted", "client"],
  ["events", "client"],
  ["handshake", "client"],
  ["message", "client"],
];
/** Before anything was released; a later one is a decision, written down here and told in the release. */
const KNOWN = [
  "Asked.payload.about: the value rewind is new",
  "TurnEnded.payload.reason: the value time_limit is new",
  "StreamGap.payload.reason: the value crash is new",
  // It had no schema before 0.3.
  "ThinkingDelta.payload.block.type: required now",
  "ThinkingDelta.payload.block.text: required now",
];

function recorded(path: string): string {
  return readFileSync(join(RECORDED, path), "utf8");
}

function lines(path: string): readonly unknown[] {
  return recorded(path)
    .trimEnd()
    .split("\n")
    .map((line) => parseJson(line)?.value);
}

function published(name: string): unknown {
  return JSON.parse(publishedFiles().get(`docs/protocol/${name}.schema.json`) ?? "null");
}

test("[BUS-08] the schemas take away nothing that was published: no kind, no field, no value", () => {
  const broken = ["first", "0.2.0"].flatMap((version) =>
    SCHEMAS.flatMap(([name, reader]) =>
      breakingChanges(JSON.parse(recorded(`${version}/${name}.schema.json`)), published(name), reader),
    ),
  );
  expect(broken.filter((change) => !KNOWN.includes(change))).toEqual([]);
});

test("[BUS-08] the version that is not released yet may grow, and nothing of it that was recorded is gone or another", () => {
  const broken = SCHEMAS.flatMap(([name, reader]) =>
    breakingChanges(JSON.parse(recorded(`${PROTOCOL_VERSION}/${name}.schema.json`)), published(name), reader),
  );
  expect(broken).toEqual([]);
});

test("[BUS-08 CTL-15] the queries of the version that is not released yet may grow, and no recorded field is gone", () => {
  const kinds = (schema: unknown) => objectAt(schema, "queries") ?? {};
  const [older, newer] = [
    JSON.parse(recorded(`${PROTOCOL_VERSION}/queries.schema.json`)),
    published("queries"),
  ];
  const broken = Object.entries(kinds(older)).flatMap(([kind, query]) => {
    const now = kinds(newer)[kind];
    return [
      ...breakingChanges(objectAt(query, "params"), objectAt(now, "params"), "server"),
      ...breakingChanges(objectAt(query, "result"), objectAt(now, "result"), "client"),
    ];
  });
  expect(broken).toEqual([]);
});

describe("a change that breaks others", () => {
  const commands = recorded("0.2.0/commands.schema.json");
  const events = recorded("0.2.0/events.schema.json");
  const changed = (text: string, change: (schema: never) => void): unknown => {
    const schema = JSON.parse(text);
    change(schema as never);
    return schema;
  };
  type Kinds = { readonly oneOf: { readonly properties: Record<string, unknown>; required: string[] }[] };
  const kindAt = ({ oneOf }: Kinds, kind: string) => {
    const found = oneOf.find(({ properties }) => (properties["kind"] as { const: string }).const === kind);
    if (found === undefined) throw new Error(`no ${kind}`);
    return found;
  };
  const payloadOf = (schema: Kinds, kind: string) =>
    kindAt(schema, kind).properties["payload"] as never as {
      readonly properties: Record<string, Record<string, unknown>>;
      required: string[];
    };

  const fieldOf = ({ properties }: ReturnType<typeof payloadOf>, name: string) => {
    const field = properties[name];
    if (field === undefined) throw new Error(`no ${name}`);
    return field;
  };

  test("[BUS-08] would be caught in commands", () => {
    const cases: readonly (readonly [string, (schema: Kinds) => unknown])[] = [
      ["CancelTurn: gone", ({ oneOf }) => oneOf.splice(1, 1)],
      [
        "SetModel: gone",
        (schema) => Object.assign(kindAt(schema, "SetModel").properties, { kind: { const: "UseModel" } }),
      ],
      ["SendInput.delivery: gone", (schema) => delete kindAt(schema, "SendInput").properties["delivery"]],
      ["SetModel.effort: required now", (schema) => kindAt(schema, "SetModel").required.push("effort")],
      [
        "SetModel.model: other type",
        (schema) =>
          Object.assign(kindAt(schema, "SetModel").properties["model"] as object, { type: "object" }),
      ],
      [
        "SetModel.model: other pattern",
        (schema) =>
          Object.assign(kindAt(schema, "SetModel").properties["model"] as object, { pattern: "^a" }),
      ],
      [
        "SetModel.model: other minLength",
        (schema) => Object.assign(kindAt(schema, "SetModel").properties["model"] as object, { minLength: 3 }),
      ],
      [
        "SendInput.delivery: the value queue is gone",
        (schema) =>
          Object.assign(kindAt(schema, "SendInput").properties["delivery"] as object, {
            enum: ["reject", "steer"],
          }),
      ],
    ];
    for (const [told, change] of cases)
      expect(breakingChanges(JSON.parse(commands), changed(commands, change as never), "server")).toEqual([
        told,
      ]);
  });

  test("[BUS-08] would be caught in events, and so would a value that clients do not know", () => {
    const cases: readonly (readonly [string, (schema: Kinds) => unknown])[] = [
      ["TextDelta: gone", ({ oneOf }) => oneOf.splice(0, 1)],
      ["TextDelta.payload.text: gone", (schema) => delete payloadOf(schema, "TextDelta").properties["text"]],
      [
        "TextDelta.payload.lang: required now",
        (schema) => payloadOf(schema, "TextDelta").required.push("lang"),
      ],
      [
        "TextDelta.payload.text: not always there any more",
        (schema) => payloadOf(schema, "TextDelta").required.pop(),
      ],
      [
        "TurnEnded.payload.reason: the value asleep is new",
        (schema) => (fieldOf(payloadOf(schema, "TurnEnded"), "reason")["enum"] as string[]).push("asleep"),
      ],
      [
        "TurnEnded.payload.turn: other minimum",
        (schema) =>
          Object.assign(payloadOf(schema, "TurnEnded").properties["turn"] as object, { minimum: 0 }),
      ],
    ];
    for (const [told, change] of cases)
      expect(breakingChanges(JSON.parse(events), changed(events, change as never), "client")).toEqual([told]);
  });

  test("[BUS-08] is none where a kind, a field or a value that is taken comes to the others", () => {
    const more = changed(commands, (schema: Kinds) => {
      schema.oneOf.push({ properties: { kind: { const: "NewCommand" } }, required: ["kind"] });
      Object.assign(kindAt(schema, "SetModel").properties, { effort: { type: "string" } });
      (kindAt(schema, "SendInput").properties["delivery"] as { enum: string[] }).enum.push("later");
    });
    expect(breakingChanges(JSON.parse(commands), more, "server")).toEqual([]);
    const told = changed(events, (schema: Kinds) => {
      schema.oneOf.push({ properties: { kind: { const: "NewEvent" } }, required: ["kind"] });
      Object.assign(payloadOf(schema, "TextDelta").properties, { lang: { type: "string" } });
    });
    expect(breakingChanges(JSON.parse(events), told, "client")).toEqual([]);
  });
});

test("[BUS-08] no address and no reason that was published is gone", () => {
  const { paths } = JSON.parse(publishedFiles().get("docs/protocol/openapi.json") ?? "{}") as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const now = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  for (const version of ["0.2.0", PROTOCOL_VERSION]) {
    const { routes, reasons } = JSON.parse(recorded(`${version}/names.json`)) as Readonly<
      Record<string, readonly string[]>
    >;
    expect(routes?.filter((route) => !now.includes(route))).toEqual([]);
    expect(reasons?.filter((reason) => !isReason(reason))).toEqual([]);
  }
});

test("[BUS-08] no field of ours has a name that is kept for extensions, or for what never leaves the engine", () => {
  expect(SCHEMAS.flatMap(([name]) => reservedNames(published(name)))).toEqual([]);
  expect(reservedNames({ properties: { a: { items: { properties: { _b: {}, x_c: {} } } } } })).toEqual([
    "_b",
    "x_c",
  ]);
});

test("[BUS-08 BUS-06] every command that older clients are known to send is read as it was meant", () => {
  for (const line of lines("0.1.0/commands.jsonl")) {
    const { sent, read } = line as { readonly sent: unknown; readonly read: unknown };
    expect<unknown>(readCommand(sent)).toEqual(read);
  }
  for (const version of ["first", "0.2.0", "0.3.0"])
    for (const command of lines(`${version}/commands.jsonl`))
      expect<unknown>(readCommand(command)).toEqual(command);
});

test("[BUS-08 BUS-04] a command of a newer client loses only what is not known here", () => {
  for (const command of lines("0.2.0/commands.jsonl")) {
    const newer = { ...(command as object), x_vendor: { a: 1 }, laterField: [true] };
    expect<unknown>(readCommand(newer)).toEqual(command);
  }
});

test("[BUS-08] every event of older logs is read, with all that it holds; and one of a kind to come is passed over", () => {
  for (const version of ["first", "0.2.0", "0.3.0"])
    for (const event of lines(`${version}/events.jsonl`))
      expect<unknown>(readEnvelope(event)).toEqual(inOneForm(event));
  const [event] = lines("0.2.0/events.jsonl");
  expect(
    readEnvelope({ ...(event as object), kind: "EventOfTomorrow", payload: { anything: 1 } }),
  ).toBeUndefined();
  expect<unknown>(readEnvelope({ ...(event as object), laterField: 1 })).toEqual(event);
});

/** Thinking had no schema before 0.3: what was recorded of it is anything. */
function inOneForm(event: unknown): unknown {
  if (!isObject(event) || event["kind"] !== "ThinkingDelta") return event;
  const payload = objectAt(event, "payload");
  return { ...event, payload: { ...payload, block: parseThinkingPiece(payload?.["block"]) } };
}

test("[BUS-08 CTL-04] clients of every version that was published are let in", () => {
  const served = { commands: [], events: [], features: [] };
  for (const version of ["0.1.0", "0.2.0", "0.3.0"])
    expect(answerHandshake(version, served).protocol_version).toBe(PROTOCOL_VERSION);
});

test("[BUS-08] what is published now is recorded under its version, so that the next change is held to it", () => {
  expect(lines(`${PROTOCOL_VERSION}/commands.jsonl`).length).toBeGreaterThan(0);
  expect(JSON.parse(recorded(`${PROTOCOL_VERSION}/events.schema.json`))).toMatchObject({
    "x-protocol-version": PROTOCOL_VERSION,
  });
});
