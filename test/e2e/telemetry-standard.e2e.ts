import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { startOtlpReceiver } from "../support/otlp-receiver.ts";

// The standard variables of OpenTelemetry through the program itself, and what a collector reads of the spans.

const PARENT = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" };
const MODEL = "one-2026-11-01";
/** Dollars for a million tokens: the mock tells 100 of input and 20 of output. */
const PRICE = `[prices."mock:one"]\ninput = 3.0\noutput = 15.0\n`;
const COST = (100 * 3 + 20 * 15) / 1_000_000;

interface Wanted {
  readonly env: (collector: string) => Readonly<Record<string, string>>;
  readonly config?: string;
  readonly kind?: string;
}

async function prompt({ env, config = PRICE, kind = "openai-compatible" }: Wanted) {
  await using mock = startMockProvider({ script: [says("fine", { model: MODEL })] });
  using home = cinchHome();
  await using collector = startOtlpReceiver();
  const path = join(home.path, "config/cinch/config.toml");
  mkdirSync(dirname(path), { recursive: true });
  const telemetry = '[telemetry]\notlp = "environment"\n';
  const provider = `[providers.mock]\nkind = "${kind}"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(path, telemetry + provider + config);
  const options = { home, env: env(collector.url) };
  const { code, stdout, stderr } = await runCinch(["-p", "hello", "--model", "mock:one"], options);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "fine\n", stderr: "" });
  expect(collector.problems).toEqual([]);
  return { ...collector, port: Number(new URL(mock.url).port) };
}

const chatOf = ({ spans }: Awaited<ReturnType<typeof prompt>>) =>
  spans.find(({ name }) => name === "chat one")?.attributes;

for (const [protocol, contentType] of [
  ["http/protobuf", "application/x-protobuf"],
  ["http/json", "application/json"],
] as const)
  test(`[OBS-02] over ${protocol}, headers, resource, service name and the span above reach the collector`, async () => {
    const seen = await prompt({
      env: (url) => ({
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=blue%20team,x-other=2",
        OTEL_SERVICE_NAME: "night-run",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=loses",
        TRACEPARENT: `00-${PARENT.trace}-${PARENT.span}-01`,
      }),
    });
    expect(seen.posts.map(({ path }) => path).sort()).toEqual(["/v1/metrics", "/v1/traces"]);
    for (const { contentType: sent, headers } of seen.posts) {
      expect(sent).toBe(contentType);
      expect(headers).toMatchObject({ "x-tenant": "blue team", "x-other": "2" });
    }
    expect(seen.resource).toMatchObject({
      "service.name": "night-run",
      "deployment.environment.name": "test",
    });
    const session = seen.spans.find(({ name }) => name === "session");
    expect(session).toMatchObject({ trace: PARENT.trace, parent: PARENT.span });
    expect(seen.spans.map(({ name }) => name)).toEqual(["chat one", "invoke_agent cinch", "session"]);
    expect(new Set(seen.spans.map(({ trace }) => trace))).toEqual(new Set([PARENT.trace]));
    expect(seen.metrics.map(({ name }) => name)).toContain("gen_ai.client.token.usage");
  });

for (const kind of ["openai-compatible", "openai-responses", "anthropic"])
  test(`[OBS-01 OBS-02] a chat span of kind ${kind} names the model that answered, the server and the cost`, async () => {
    const seen = await prompt({ kind, env: (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }) });
    const known = {
      "gen_ai.request.model": "one",
      "gen_ai.response.model": MODEL,
      "server.address": "127.0.0.1",
      "server.port": seen.port,
    };
    expect(chatOf(seen)).toMatchObject({ ...known, "cinch.cost_usd": expect.closeTo(COST, 12) });
    const tokens = seen.metrics.find(({ name }) => name === "gen_ai.client.token.usage");
    expect(tokens?.points.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining(known),
      expect.objectContaining(known),
    ]);
  });

test("[OBS-01 PROV-11] a chat span without a known price has no cost", async () => {
  const seen = await prompt({ config: "", env: (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }) });
  const attributes = chatOf(seen);
  expect(attributes).toMatchObject({ "gen_ai.response.model": MODEL });
  expect(attributes).not.toHaveProperty("cinch.cost_usd");
});

test("[OBS-02] the endpoint of one signal is used as it is, and that of all is not needed", async () => {
  const seen = await prompt({
    env: (url) => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/tenant/7/traces` }),
  });
  expect(seen.posts.map(({ path }) => path)).toEqual(["/tenant/7/traces"]);
});

test("[OBS-02] a disabled SDK and invalid exporters send nothing, and an invalid one does not affect the other", async () => {
  const posts = async (more: Readonly<Record<string, string>>) => {
    const seen = await prompt({ env: (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more }) });
    return seen.posts.map(({ path }) => path);
  };
  expect(await posts({ OTEL_SDK_DISABLED: "true" })).toEqual([]);
  expect(await posts({ OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" })).toEqual([]);
  expect(await posts({ OTEL_METRICS_EXPORTER: "none" })).toEqual(["/v1/traces"]);
  expect(await posts({ OTEL_TRACES_EXPORTER: "none" })).toEqual(["/v1/metrics"]);
});
