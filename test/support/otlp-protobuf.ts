import { join } from "node:path";
import { Root } from "protobufjs";
import { ROOT } from "./source.ts";

/** The published `.proto` files: the encoder of cinch has no part in them. */
const PROTOS = join(ROOT, "test/data/opentelemetry-proto");
const SIGNALS = {
  traces: ["trace", "ExportTraceServiceRequest"],
  metrics: ["metrics", "ExportMetricsServiceRequest"],
} as const;
const IDS: ReadonlySet<string> = new Set(["traceId", "spanId", "parentSpanId"]);

/**
 * Decodes an export request from protobuf into the JSON mapping of OTLP, by the published `.proto` files.
 *
 * @throws Error for bytes that are no such message, and for fields that the published message does not have.
 */
export async function decodeOtlp(signal: keyof typeof SIGNALS, bytes: Uint8Array): Promise<unknown> {
  const [folder, name] = SIGNALS[signal];
  const root = new Root();
  root.resolvePath = (_origin, target) => join(PROTOS, target);
  const service = `opentelemetry.proto.collector.${folder}.v1`;
  await root.load(`${service.replaceAll(".", "/")}/${folder}_service.proto`);
  const type = root.lookupType(`${service}.${name}`);
  const message = type.decode(bytes);
  // The decoder drops what it does not know: the message would then be shorter.
  const known = type.encode(message).finish().length;
  if (known !== bytes.length) throw new Error(`${bytes.length - known} bytes are of no published field`);
  return withHexIds(type.toObject(message, { longs: String, bytes: String }));
}

/** Ids are hexadecimal in the JSON of OTLP, where protobuf's own mapping has base64. */
function withHexIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withHexIds);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, held]) => [
    key,
    IDS.has(key) ? Buffer.from(String(held), "base64").toString("hex") : withHexIds(held),
  ]);
  return Object.fromEntries(entries);
}
