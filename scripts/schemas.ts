import * as z from "zod";
import type { JsonSchema } from "../src/base/json.ts";
import { TEXTS } from "../src/base/reasons.ts";
import { Accepted, Command } from "../src/protocol/commands.ts";
import { EnvelopeSchema } from "../src/protocol/envelope.ts";
import { Handshake } from "../src/protocol/handshake.ts";
import { Message } from "../src/protocol/message.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";

/** The published form of the protocol: path below the root, and the text that must stand there. */
export function publishedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/protocol/commands.schema.json", schemaText("Command", Command)],
    ["docs/protocol/accepted.schema.json", schemaText("Accepted", Accepted)],
    ["docs/protocol/events.schema.json", schemaText("Envelope", EnvelopeSchema)],
    ["docs/protocol/handshake.schema.json", schemaText("Handshake", Handshake)],
    ["docs/protocol/message.schema.json", schemaText("Message", Message)],
    ["docs/protocol/reasons.json", jsonText(TEXTS)],
  ]);
}

/** JSON Schema, draft 2020-12, of what a reader must accept: fields it does not know are allowed and ignored. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function schemaText(title: string, schema: z.ZodType): string {
  return jsonText({ title, "x-protocol-version": PROTOCOL_VERSION, ...schemaOf(schema) });
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
