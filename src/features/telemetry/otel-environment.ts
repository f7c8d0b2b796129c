import { defined } from "../../base/defined.ts";
import type { Attributes, SpanContext } from "./otlp.ts";

/** Environment of a program, by name. */
type Environment = Readonly<Record<string, string | undefined>>;

export type Encoding = "json" | "protobuf";

/** Collector of one signal. */
export interface Destination {
  readonly url: string;
  readonly encoding: Encoding;
  readonly headers: Readonly<Record<string, string>>;
}

/** Settings of the standard variables of OpenTelemetry (OBS-02). */
export interface OtelSettings {
  /** Destination of traces; absent if they are not exported. */
  readonly traces?: Destination;
  readonly metrics?: Destination;
  /** Attributes of the resource, with `service.name` if one is set. */
  readonly resource: Attributes;
  /** Span of the program that started this one. */
  readonly parent?: SpanContext;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A header's value after percent-decoding: printable characters and tabs. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const SIGNALS = ["traces", "metrics"] as const;
type Signal = (typeof SIGNALS)[number];

/**
 * Reads the standard `OTEL_*` variables and TRACEPARENT.
 *
 * @param endpoint collector of config.toml; undefined if the variables name it. It precedes the endpoints of
 * variables; protocol, headers, resource and the switches to disable apply in both cases.
 */
export function otelSettings(environment: Environment, endpoint: string | undefined): OtelSettings {
  const resource = resourceOf(environment);
  if (isTrue(environment["OTEL_SDK_DISABLED"])) return { resource };
  const parent = parentOf(environment["TRACEPARENT"]);
  const found: { -readonly [S in Signal]?: Destination } = {};
  for (const signal of SIGNALS) {
    const destination = destinationOf(signal, environment, endpoint);
    if (destination !== undefined) found[signal] = destination;
  }
  return { ...found, resource, ...defined({ parent }) };
}

function destinationOf(
  signal: Signal,
  environment: Environment,
  endpoint: string | undefined,
): Destination | undefined {
  const upper = signal.toUpperCase();
  /** The variable of this signal precedes the general one. An empty one counts as unset. */
  const settingOf = (name: string) =>
    nonEmpty(environment[`OTEL_EXPORTER_OTLP_${upper}_${name}`]) ??
    nonEmpty(environment[`OTEL_EXPORTER_OTLP_${name}`]);
  const exporters = (nonEmpty(environment[`OTEL_${upper}_EXPORTER`]) ?? "otlp")
    .split(",")
    .map((each) => each.trim());
  if (!exporters.includes("otlp")) return undefined;
  const signalUrl =
    endpoint === undefined ? nonEmpty(environment[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`]) : undefined;
  const base = endpoint ?? nonEmpty(environment["OTEL_EXPORTER_OTLP_ENDPOINT"]);
  const url = signalUrl ?? (base === undefined ? undefined : `${base.replace(/\/+$/, "")}/v1/${signal}`);
  if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return undefined;
  return {
    url,
    encoding: encodingOf(settingOf("PROTOCOL")),
    headers: pairsIn(settingOf("HEADERS"), isHeader),
  };
}

/** Returns JSON unless protobuf is requested. gRPC is not supported: protobuf over HTTP is closest. */
function encodingOf(protocol: string | undefined): Encoding {
  return protocol === "http/protobuf" || protocol === "grpc" ? "protobuf" : "json";
}

function resourceOf(environment: Environment): Attributes {
  const name = nonEmpty(environment["OTEL_SERVICE_NAME"]);
  return {
    ...pairsIn(nonEmpty(environment["OTEL_RESOURCE_ATTRIBUTES"])),
    ...defined({ "service.name": name }),
  };
}

/** Parses percent-encoded `key=value` pairs separated by commas; skips invalid ones. */
function pairsIn(
  text = "",
  isUsable: (key: string, value: string) => boolean = () => true,
): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    const [key, value] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
    return key === "" || !isUsable(key, value) ? [] : [[decoded(key), decoded(value)] as const];
  });
  return Object.fromEntries(pairs);
}

/** True if a percent-encoded pair can be sent as a header of HTTP. */
export function isHeader(key: string, value: string): boolean {
  return HEADER_NAME.test(decoded(key)) && HEADER_VALUE.test(decoded(value));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that stands for itself
  }
}

/** Returns the span that a W3C `traceparent` names; undefined if it is invalid. */
function parentOf(text = ""): SpanContext | undefined {
  const [, version, traceId = "", id = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(text.trim()) ?? [];
  if (version === undefined || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(id)) return undefined;
  return { traceId, id };
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === "true";
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
