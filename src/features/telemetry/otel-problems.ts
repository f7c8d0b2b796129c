import { isHeader } from "./otel-environment.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const OTLP = "OTEL_EXPORTER_OTLP_";
/** IANA's port of OTLP over gRPC. */
const GRPC_PORT = "4317";
const PROTOCOLS = ["http/json", "http/protobuf"];
/** Exporters of the specification that send nothing over OTLP. */
const OTHER_EXPORTERS = ["none", "console", "logging"];
/** Endings of the variables that are read, after `OTEL_EXPORTER_OTLP_` and the name of a signal. */
const READ = ["ENDPOINT", "PROTOCOL", "HEADERS"];
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/**
 * Returns one sentence for each standard variable with an unsupported value, with the effect (OBS-02).
 *
 * Values of headers and resource attributes are never quoted: they may be secrets.
 * @param usesEndpoints false if config.toml names the collector, so that endpoints in variables do not count.
 */
export function otelProblems(
  environment: Environment,
  { usesEndpoints }: { readonly usesEndpoints: boolean },
) {
  const set = (name: string) => environment[name]?.trim() ?? "";
  const problems: string[] = [];
  const isDisabled = set("OTEL_SDK_DISABLED").toLowerCase();
  if (isDisabled === "true") return problems;
  if (isDisabled !== "" && isDisabled !== "false")
    problems.push(`OTEL_SDK_DISABLED is "${isDisabled}", not true or false: telemetry stays on.`);
  for (const name of ["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"])
    problems.push(...exporterProblems(name, set(name)));
  for (const part of ["", "TRACES_", "METRICS_"]) {
    const [protocol, headers] = [`${OTLP}${part}PROTOCOL`, `${OTLP}${part}HEADERS`];
    problems.push(...protocolProblems(protocol, set(protocol)), ...pairProblems(headers, set(headers), true));
    const endpoint = `${OTLP}${part}ENDPOINT`;
    if (usesEndpoints && part !== "") problems.push(...addressProblems(endpoint, set(endpoint)));
    if (usesEndpoints) problems.push(...portProblems(endpoint, set(endpoint)));
  }
  problems.push(...pairProblems("OTEL_RESOURCE_ATTRIBUTES", set("OTEL_RESOURCE_ATTRIBUTES"), false));
  const parent = set("TRACEPARENT");
  if (parent !== "" && !TRACEPARENT.test(parent))
    problems.push("TRACEPARENT is not a W3C traceparent: the session starts another trace.");
  return [...problems, ...unread(environment)];
}

function exporterProblems(name: string, value: string): readonly string[] {
  const unknown = value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && each !== "otlp" && !OTHER_EXPORTERS.includes(each));
  if (unknown.length === 0) return [];
  return [`${name} names "${unknown.join('", "')}", which cinch cannot send to; known: otlp and none.`];
}

function protocolProblems(name: string, value: string): readonly string[] {
  if (value === "" || PROTOCOLS.includes(value)) return [];
  if (value === "grpc")
    return [`${name} is grpc, which cinch does not speak: it sends http/protobuf instead.`];
  return [`${name} is "${value}", not ${PROTOCOLS.join(" or ")}: cinch sends http/json.`];
}

function addressProblems(name: string, value: string): readonly string[] {
  if (value === "" || /^https?:$/.test(URL.parse(value)?.protocol ?? "")) return [];
  return [`${name} is not an http or https URL: that signal is not sent.`];
}

function portProblems(name: string, value: string): readonly string[] {
  if (URL.parse(value)?.port !== GRPC_PORT) return [];
  return [
    `${name} has port ${GRPC_PORT}, where collectors take gRPC only: cinch speaks HTTP, for which collectors mostly have port 4318.`,
  ];
}

/** Names each faulty pair by its position, since its text may be a secret. */
function pairProblems(name: string, value: string, areHeaders: boolean): readonly string[] {
  if (value === "") return [];
  return value.split(",").flatMap((pair, index) => {
    const at = pair.indexOf("=");
    const [key, text] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
    const isPair = key !== "" && (!areHeaders || isHeader(key, text));
    const what = areHeaders ? "a header as name=value" : "an attribute as name=value";
    return isPair || pair.trim() === ""
      ? []
      : [`${name}: entry ${index + 1} is not ${what}: it is left out.`];
  });
}

function unread(environment: Environment): readonly string[] {
  const names = Object.keys(environment).filter((name) => {
    const [, ending] = /^OTEL_EXPORTER_OTLP_(?:TRACES_|METRICS_)?(.+)$/.exec(name) ?? [];
    const isSet = environment[name]?.trim() !== "";
    return isSet && ending !== undefined && !ending.startsWith("LOGS_") && !READ.includes(ending);
  });
  return names.length === 0 ? [] : [`cinch does not support ${names.sort().join(", ")}: ignored.`];
}
