import { expect, test } from "bun:test";
import { otelSettings } from "./otel-environment.ts";
import { otelProblems } from "./otel-problems.ts";

const told = (environment: Record<string, string>, usesEndpoints = true) =>
  otelProblems(environment, { usesEndpoints });

const SECRET = "hush-hush-value";

test.each([
  [
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "grpcc",
    'is "grpcc", not http/json or http/protobuf: cinch sends http/json',
  ],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "it sends http/protobuf instead"],
  ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "HTTP/JSON", "not http/json or http/protobuf"],
  ["OTEL_SDK_DISABLED", "1", "not true or false"],
  ["OTEL_TRACES_EXPORTER", "otpl,none", 'names "otpl"'],
  ["OTEL_METRICS_EXPORTER", "prometheus", "cannot send to"],
  ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "collector:4318", "is not an http or https URL"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317", "has port 4317, where collectors take gRPC only"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:4317/v1/traces", "mostly have port 4318"],
  ["OTEL_EXPORTER_OTLP_HEADERS", `a=b,${SECRET}`, "entry 2 is not a header"],
  ["OTEL_EXPORTER_OTLP_HEADERS", `x y=${SECRET}`, "entry 1 is not a header"],
  ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", `x=${SECRET}%0d%0aevil: 1`, "entry 1 is not a header"],
  ["OTEL_RESOURCE_ATTRIBUTES", "team", "entry 1 is not an attribute"],
  ["TRACEPARENT", "00-zz", "is not a W3C traceparent"],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", "does not support OTEL_EXPORTER_OTLP_COMPRESSION"],
])("[OBS-02] %s = %s is named with what happens instead", (name, value, expected) => {
  const [problem, ...more] = told({ [name]: value });
  expect([problem, more]).toEqual([expect.stringContaining(expected), []]);
  expect(problem).toContain(name);
  expect(problem).not.toContain(SECRET);
});

test("[OBS-02] values that are understood, empty or for others say nothing", () => {
  expect(
    told({
      OTEL_SDK_DISABLED: "False",
      OTEL_TRACES_EXPORTER: "none",
      OTEL_METRICS_EXPORTER: "otlp,console",
      OTEL_LOGS_EXPORTER: "anything",
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_PROTOCOL: " http/protobuf ",
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "",
      OTEL_EXPORTER_OTLP_TIMEOUT: "",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b,",
      OTEL_PYTHON_LOG_LEVEL: "x",
      TRACEPARENT: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    }),
  ).toEqual([]);
  expect(told({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "nowhere" }, false)).toEqual([]);
  expect(told({ OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_PROTOCOL: "x" })).toEqual([]);
});

test("[OBS-02] headers and addresses that cannot be sent are left out", () => {
  const { traces, metrics } = otelSettings(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://c",
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "nowhere",
      OTEL_EXPORTER_OTLP_HEADERS: "x y=1,z=2,w=%0d%0a",
    },
    undefined,
  );
  expect([traces?.headers, metrics]).toEqual([{ z: "2" }, undefined]);
});
