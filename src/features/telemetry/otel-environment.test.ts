import { expect, test } from "bun:test";
import { otelSettings } from "./otel-environment.ts";

const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/base/" };
const at = (url: string) => ({ url, encoding: "json", headers: {} }) as const;

test("[OBS-02] the endpoint of all signals gets their paths, and that of one signal is taken as it is", () => {
  expect(otelSettings(BASE, undefined)).toEqual({
    traces: at("http://c:4318/base/v1/traces"),
    metrics: at("http://c:4318/base/v1/metrics"),
    resource: {},
  });
  const own = { ...BASE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t/x" };
  expect(otelSettings(own, undefined).traces).toEqual(at("http://t/x"));
  expect(otelSettings(own, "http://config").traces).toEqual(at("http://config/v1/traces"));
});

test("[OBS-02] what is disabled or exported to none is not sent", () => {
  expect(otelSettings({ ...BASE, OTEL_SDK_DISABLED: "TRUE" }, undefined)).toEqual({ resource: {} });
  expect(otelSettings({ OTEL_SDK_DISABLED: "true" }, "http://config")).toEqual({ resource: {} });
  const none = otelSettings({ ...BASE, OTEL_TRACES_EXPORTER: "none" }, undefined);
  expect([none.traces, none.metrics?.url]).toEqual([undefined, "http://c:4318/base/v1/metrics"]);
  expect(otelSettings({ ...BASE, OTEL_METRICS_EXPORTER: "console" }, undefined).metrics).toBeUndefined();
});

test("[OBS-02] headers, protocol, service name and resource are read, those of one signal first", () => {
  const settings = otelSettings(
    {
      ...BASE,
      OTEL_EXPORTER_OTLP_HEADERS: "x-k=v%20w, api-key = a=b,broken,=none",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "x-m=1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=from-resource,team=a%2Cb",
      OTEL_SERVICE_NAME: "mine",
    },
    undefined,
  );
  expect(settings.traces).toMatchObject({
    encoding: "protobuf",
    headers: { "x-k": "v w", "api-key": "a=b" },
  });
  expect(settings.metrics).toMatchObject({ encoding: "json", headers: { "x-m": "1" } });
  expect(settings.resource).toEqual({ "service.name": "mine", team: "a,b" });
});

test("[OBS-02] TRACEPARENT names the parent span, and an invalid value is ignored", () => {
  const [trace, span] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const parentOf = (TRACEPARENT: string) => otelSettings({ ...BASE, TRACEPARENT }, undefined).parent;
  expect(parentOf(`00-${trace}-${span}-01`)).toEqual({ traceId: trace, id: span });
  for (const text of ["", "x", `ff-${trace}-${span}-01`, `00-${"0".repeat(32)}-${span}-01`, `00-${trace}-01`])
    expect(parentOf(text)).toBeUndefined();
});
