import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { blocksOf } from "../support/documents.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { startOtlpReceiver } from "../support/otlp-receiver.ts";
import { readSource } from "../support/source.ts";

// Telemetry through the program itself: a run that is over in a moment is told whole, and one without a collector
// ends well.

const PAGE = "docs/telemetry.md";

test("[OBS-01 DOC-01] a run with the configuration of docs/telemetry.md is exported to a collector before it ends; without one it ends as well", async () => {
  await using mock = startMockProvider({ script: [says("fine"), says("fine")] });
  using home = cinchHome();
  const receiver = startOtlpReceiver();
  const [shown = ""] = blocksOf(PAGE, readSource(PAGE)).map(({ text }) => text);
  expect(shown).toContain("http://127.0.0.1:4318");
  const path = join(home.path, "config/cinch/config.toml");
  mkdirSync(dirname(path), { recursive: true });
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(path, shown.replace("http://127.0.0.1:4318", receiver.url) + provider);
  const run = () => runCinch(["-p", "hello", "--model", "mock:one"], { home });
  expect(await run()).toMatchObject({ code: 0, stdout: "fine\n", stderr: "" });
  expect(receiver.problems).toEqual([]);
  expect(receiver.spans.map(({ name }) => name)).toEqual(["chat one", "invoke_agent cinch", "session"]);
  await receiver[Symbol.asyncDispose]();
  expect(await run()).toMatchObject({ code: 0, stdout: "fine\n", stderr: "" });
});

test("[OBS-01] an address with the path of a signal is refused, a variable that names no collector is reported, and nothing is sent", async () => {
  await using mock = startMockProvider({ script: [says("one"), says("two")] });
  using home = cinchHome();
  const path = join(home.path, "config/cinch/config.toml");
  mkdirSync(dirname(path), { recursive: true });
  const run = (otlp: string, endpoint?: string) => {
    const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
    writeFileSync(path, `[telemetry]\notlp = "${otlp}"\n${provider}`);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    return runCinch(["-p", "hello", "--model", "mock:one"], { home, env });
  };
  const refused = await run("http://127.0.0.1:4318/v1/traces");
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("is where traces go: leave /v1/traces out, which is added to it"),
  ]);
  const why =
    'cinch: Telemetry is off: config.toml says otlp = "environment", and OTEL_EXPORTER_OTLP_ENDPOINT';
  const [unset, rubbish] = [await run("environment"), await run("environment", "rubbish")];
  expect([unset.code, unset.stdout, unset.stderr]).toEqual([0, "one\n", `${why} is not set.\n`]);
  expect([rubbish.code, rubbish.stdout, rubbish.stderr]).toEqual([
    0,
    "two\n",
    `${why} is not an http or https URL.\n`,
  ]);
});

test("[OBS-02] a standard variable that is not understood is named, and the prompt is answered", async () => {
  await using mock = startMockProvider({ script: [says("one")] });
  await using collector = startOtlpReceiver();
  using home = cinchHome();
  const path = join(home.path, "config/cinch/config.toml");
  mkdirSync(dirname(path), { recursive: true });
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(path, `[telemetry]\notlp = "environment"\n${provider}`);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "grpcc" };
  const { code, stdout, stderr } = await runCinch(["-p", "hello", "--model", "mock:one"], { home, env });
  expect([code, stdout, stderr]).toEqual([
    0,
    "one\n",
    'cinch: OTEL_EXPORTER_OTLP_PROTOCOL is "grpcc", not http/json or http/protobuf: cinch sends http/json.\n',
  ]);
  expect(collector.spans.length).toBeGreaterThan(0);
});
