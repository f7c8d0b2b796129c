import { describe, expect, test } from "bun:test";
import { BATCH_MS } from "../../src/providers/http/stream/batch-reader.ts";
import { settle } from "../support/fake-clock.ts";
import type { Fault } from "../support/mock-provider/turn.ts";
import { fails, says } from "../support/mock-provider/turn.ts";
import type { ProviderRig, RigOptions, RigVendor } from "../support/provider-rig.ts";
import { answerOf, failureOf, KEY, openProviderRig, REQUEST } from "../support/provider-rig.ts";
import { until } from "../support/until.ts";

/** One vendor for each wire. */
const WIRES: readonly RigVendor[] = ["anthropic", "openrouter", "openai"];

/** The failure of one answer with one fault. */
async function failureWith(fault: Fault, options: RigOptions = {}): Promise<object> {
  await using rig = openProviderRig({ script: [fails(fault)], ...options });
  return await failureOf(answerOf(rig.provider));
}

const status = (status: number, body: unknown, headers = {}): Fault => ({
  kind: "status",
  status,
  body,
  headers,
});

describe.each(WIRES)("%s", (vendor) => {
  test("[PROV-02] a wrong key is reported with its source, and without the key", async () => {
    await using rig = openProviderRig({ vendor, key: "another", script: [says("hi")] });
    const failure = await failureOf(answerOf(rig.provider));
    const source = `${vendor.toUpperCase()}_API_KEY`;
    expect(failure).toMatchObject({ reason: "ProviderKeyRefused", transient: false });
    expect(failure).toMatchObject({ message: expect.stringContaining(source) });
    expect(JSON.stringify(failure)).not.toContain(KEY);
  });

  test("[PROV-09] a missing key names the variable, and no request is made", async () => {
    await using rig = openProviderRig({ vendor, env: {}, script: [says("hi")] });
    const variable = `${vendor.toUpperCase()}_API_KEY`;
    expect(await failureOf(answerOf(rig.provider))).toMatchObject({
      reason: "ProviderKeyMissing",
      message: `Provider ${vendor} needs a key. Set ${variable} (or keep it: cinch creds add ${vendor}), or pick another model with --model.`,
    });
    expect(rig.mock.requests).toEqual([]);
  });

  test("[PROV-09] an unknown model is reported by its name", async () => {
    await using rig = openProviderRig({ vendor, models: ["another"], script: [says("hi")] });
    const failure = await failureOf(answerOf(rig.provider));
    expect(failure).toMatchObject({ reason: "UnknownModel", transient: false });
    expect(failure).toMatchObject({ message: expect.stringContaining("'mock-model'") });
  });

  test("[PROV-09] a conversation that no longer fits is reported as that", async () => {
    await using rig = openProviderRig({ vendor, contextTokensMax: 10, script: [says("hi")] });
    expect(await failureOf(answerOf(rig.provider))).toMatchObject({
      reason: "ContextOverflow",
      transient: false,
    });
  });

  test("[PROV-09 R07] a stream that is cut ends as a clear error at whatever byte it was cut", async () => {
    for (const atByte of [0, 1, 40, 300]) {
      const failure = await failureWith({ kind: "cut", atByte }, { vendor });
      expect(failure).toMatchObject({ reason: "StreamInterrupted", transient: true });
    }
  });

  test("[PROV-09] a server that hangs up without a word can be tried again", async () => {
    expect(await failureWith({ kind: "hang-up" }, { vendor })).toMatchObject({
      reason: "ProviderUnreachable",
      transient: true,
      message: expect.stringContaining("the connection was closed"),
    });
  });

  test("[PROV-02 PROV-03] an error in the middle of the stream is reported with its cause", async () => {
    const overloaded = { type: "overloaded_error", message: "Overloaded", status: 529 };
    const failure = await failureWith({ kind: "error-event", afterEvents: 2, ...overloaded }, { vendor });
    expect(failure).toMatchObject({ transient: true, message: expect.stringContaining("Overloaded") });
  });

  test("[PROV-10] bytes that are not the protocol are a clear error", async () => {
    const garbage: Fault = { kind: "garbage", afterEvents: 2, text: "data: {{{nonsense\n\n" };
    expect(await failureWith(garbage, { vendor })).toMatchObject({ reason: "StreamMalformed" });
  });

  test("[PROV-10] a line of a megabyte does no harm", async () => {
    await using rig = openProviderRig({
      vendor,
      script: [says("hi", { fault: { kind: "huge-line", bytes: 1e6 } })],
    });
    expect(await answerOf(rig.provider)).toContainEqual({ kind: "text", index: 0, text: "hi" });
  });

  test("[ENG-22 R07] each phase has its own limit, and reaching it frees the connection", async () => {
    const phases = [
      { at: "headers", limit: "headersMsMax", says: "connecting and waiting for its answer to begin" },
      { at: "first-byte", limit: "firstByteMsMax", says: "waiting for the first byte" },
      { at: "mid-event", limit: "silenceMsMax", says: "streaming its answer" },
    ] as const;
    for (const phase of phases) {
      await using rig = openProviderRig({
        vendor,
        limits: { headersMsMax: 1e9, firstByteMsMax: 1e9, silenceMsMax: 1e9, [phase.limit]: 7_000 },
        script: [fails({ kind: "stall", at: phase.at })],
      });
      expect(await stalledFailure(rig)).toEqual({
        reason: "ProviderTimeout",
        transient: true,
        message: `Provider ${vendor} sent nothing for 7s while ${phase.says}. Given up after 1 attempts.`,
      });
      await rig.mock.until(({ connections }) => connections.open === 0);
      expect(rig.world.clock.waiting).toBe(0);
    }
  });

  test("[R07] a stream that stands still after its last event costs the connection, not the answer", async () => {
    await using rig = openProviderRig({
      vendor,
      script: [says("done", { fault: { kind: "stall", at: "end" } })],
    });
    const events: unknown[] = [];
    let isFinished = false;
    const read = async () => {
      for await (const event of rig.provider.chat(REQUEST, AbortSignal.any([]))) {
        events.push(event);
        isFinished ||= event.kind === "finish";
      }
    };
    const reading = read();
    await rig.mock.until(({ stalled }) => stalled === 1);
    // Bytes that follow others closely wait a moment for more.
    for (; !isFinished; await settle()) await rig.world.clock.advance(BATCH_MS);
    await rig.world.clock.advance(250);
    await reading;
    expect(events).toContainEqual({ kind: "text", index: 0, text: "done" });
    await rig.mock.until(({ connections }) => connections.open === 0);
  });
});

/**
 * Moves the clock by the limit until the client gives up. The server stands still before the client has read what it
 * sent: a clock that is moved too early moves within an earlier phase, whose limit is far away.
 */
async function stalledFailure(rig: ProviderRig): Promise<object> {
  let failure: object | undefined;
  const failing = failureOf(answerOf(rig.provider)).then((failed) => {
    failure = failed;
    return failed;
  });
  await rig.mock.until(({ stalled }) => stalled === 1);
  await until("the client gives up", async () => {
    await rig.world.clock.advance(7_000);
    return failure !== undefined;
  });
  return await failing;
}

const OVERFLOWS = [
  status(400, {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 2 > 1" },
  }),
  status(400, { error: { message: "input length and `max_tokens` exceed context limit: 1 + 2 > 2" } }),
  status(400, { error: { code: "context_length_exceeded", message: "Too long" } }),
  status(400, { error: { message: "This endpoint's maximum context length is 131072 tokens.", code: 400 } }),
  status(400, { error: { code: "1261", message: "Prompt exceeds max length" } }),
  status(400, {
    error: {
      code: 400,
      message: "the request exceeds the available context size",
      type: "exceed_context_size_error",
    },
  }),
  status(400, {
    object: "error",
    message: "The decoder prompt (length 9) is longer than the maximum model length of 8.",
  }),
  status(500, { error: "the input length exceeds the context length" }),
  status(413, {
    type: "error",
    error: { type: "request_too_large", message: "Request exceeds the maximum size" },
  }),
];

test("[PROV-09] every provider's words for a full context window are understood", async () => {
  for (const fault of OVERFLOWS) {
    expect(await failureWith(fault)).toMatchObject({ reason: "ContextOverflow", transient: false });
  }
});

const QUOTAS = [
  status(402, { error: { message: "Insufficient credits. Add more.", code: 402 } }),
  status(429, { error: { message: "You exceeded your current quota", code: "insufficient_quota" } }),
  status(400, {
    type: "error",
    error: { type: "invalid_request_error", message: "Your credit balance is too low" },
  }),
  status(429, { error: { code: "1113", message: "Insufficient balance or no resource package." } }),
];

test("[PROV-09 R10] a used-up quota is final, whatever its status", async () => {
  for (const fault of QUOTAS) {
    expect(await failureWith(fault)).toMatchObject({ reason: "ProviderQuotaExceeded", transient: false });
  }
});

test("[PROV-09] Retry-After is read as seconds, as milliseconds, as a date, and not out of garbage", async () => {
  const error = { error: { type: "rate_limit_error", message: "Slow down" } };
  const asked = async (headers: Readonly<Record<string, string>>) =>
    await failureWith(status(429, error, headers));
  // The test world's clock stands at 15 June 2025, 15:06:40 UTC.
  const expected = { reason: "ProviderFailed", transient: true };
  expect(await asked({ "retry-after": "7" })).toMatchObject({ ...expected, retryAfterMs: 7_000 });
  expect(await asked({ "retry-after": "0" })).toMatchObject({ ...expected, retryAfterMs: 0 });
  expect(await asked({ "retry-after-ms": "350", "retry-after": "9" })).toMatchObject({ retryAfterMs: 350 });
  expect(await asked({ "retry-after": "Sun, 15 Jun 2025 15:07:40 GMT" })).toMatchObject({
    retryAfterMs: 60_000,
  });
  expect(await asked({ "retry-after": "Sun, 15 Jun 2025 15:05:40 GMT" })).toMatchObject({ retryAfterMs: 0 });
  for (const garbage of ["soon", "-5", "1e9", "NaN", "", "2 potatoes 2020"]) {
    expect(await asked({ "retry-after": garbage })).not.toHaveProperty("retryAfterMs");
  }
});

test("[PROV-09] statuses that may pass are transient, the others are not, and a provider's word counts", async () => {
  const transient = async (code: number, headers = {}) => {
    const failure = await failureWith(status(code, "sorry", headers));
    return "transient" in failure && failure.transient;
  };
  for (const code of [408, 409, 429, 500, 502, 503, 504, 520, 529]) expect(await transient(code)).toBe(true);
  for (const code of [400, 404, 405, 422, 501]) expect(await transient(code)).toBe(false);
  expect(await transient(500, { "x-should-retry": "false" })).toBe(false);
  expect(await transient(400, { "x-should-retry": "true" })).toBe(true);
});

test("[PROV-03] an upstream's error inside a 200 is reported with the upstream's words", async () => {
  const body = {
    error: {
      code: 502,
      message: "Provider returned error",
      metadata: { provider_name: "Somebody", raw: "worker crashed" },
    },
  };
  expect(await failureWith(status(200, body), { vendor: "openrouter" })).toEqual({
    reason: "ProviderFailed",
    transient: true,
    message: "Provider openrouter failed (502): Provider returned error (Somebody: worker crashed)",
  });
});

test("[PROV-10] a web page instead of an answer is reported as one", async () => {
  const page = "<!doctype html><html><title>Sign in</title>";
  const headers = { "content-type": "text/html" };
  expect(await failureWith(status(200, page, headers))).toMatchObject({ reason: "StreamMalformed" });
  expect(await failureWith(status(502, page, headers))).toMatchObject({
    message: "Provider anthropic failed (502): it answered with a web page: Sign in",
  });
});

describe.each(WIRES)("%s, with a body that is called an event stream and is none", (vendor) => {
  const stream = { "content-type": "text/event-stream" };

  test("[PROV-09 PROV-10] a web page or a text is no model server, and is not tried again", async () => {
    const bodies = [
      ["<!doctype html><html><title>Sign in</title>", "a web page, «Sign in», in place of an event stream"],
      ["<html><body>hi", "a web page in place of an event stream"],
      ["Not here", "«Not here» in place of an event stream"],
    ];
    for (const [body, words = ""] of bodies) {
      const failure = await failureWith(status(200, body, stream), { vendor });
      const message = expect.stringContaining(`${words}. This is no model server`);
      expect(failure).toMatchObject({ reason: "StreamMalformed", transient: false, message });
    }
  });

  test("[PROV-09 PROV-10] an empty body is reported as one", async () => {
    for (const body of ["", "\r\n \n"]) {
      expect(await failureWith(status(200, body, stream), { vendor })).toMatchObject({
        reason: "StreamMalformed",
        transient: true,
        message: expect.stringContaining(
          "an empty answer in place of an event stream. This is no model server",
        ),
      });
    }
  });

  test("[PROV-09 PROV-03] an error object is the error that it names, also where it is called JSON", async () => {
    const body = { error: { type: "invalid_request_error", message: "bad model" } };
    for (const headers of [stream, {}]) {
      expect(await failureWith(status(200, body, headers), { vendor })).toMatchObject({
        reason: "ProviderRefused",
        transient: false,
        message: expect.stringContaining("(400): bad model"),
      });
    }
    const busy = { error: { type: "overloaded_error", message: "Later" } };
    expect(await failureWith(status(200, busy), { vendor })).toMatchObject({ transient: true });
  });

  test("[PROV-10] a stream of nothing but comments, or cut in its first word, broke off", async () => {
    for (const body of [": keep-alive\n\n", "event", "da", "id: 1\n"]) {
      expect(await failureWith(status(200, body, stream), { vendor })).toMatchObject({
        reason: "StreamInterrupted",
        transient: true,
      });
    }
  });
});

test("[PROV-09] a redirect is refused, and the key goes nowhere else", async () => {
  await using elsewhere = openProviderRig({ script: [says("stolen")] });
  const redirect = status(307, "", { location: `${elsewhere.mock.url}/v1/messages` });
  expect(await failureWith(redirect)).toMatchObject({
    reason: "ProviderRefused",
    transient: false,
    message: expect.stringContaining("Redirects are not followed"),
  });
  expect(elsewhere.mock.requests).toEqual([]);
});

test("[PROV-09] a provider that is down is reported with its address; nobody waits for a server of this machine", async () => {
  await using rig = openProviderRig({ baseUrl: "http://127.0.0.1:1/v1" });
  expect(await failureOf(answerOf(rig.provider))).toEqual({
    reason: "ProviderUnreachable",
    transient: false,
    message: "Provider anthropic cannot be reached at http://127.0.0.1:1: nothing listens there",
  });
});

test("[PROV-09] an error body of any size is read up to a limit, and shown without controls and keys", async () => {
  const body = `\u001b[31mbad\u0000 key sk-abcdefghijklmnopqrstuvwx and ${KEY} Bearer abc.def ${"x".repeat(5_000_000)}`;
  const failure = JSON.stringify(await failureWith(status(400, body)));
  expect(failure.length).toBeLessThan(900);
  expect(failure).toContain("bad key «redacted:api-key» and «redacted:api-key» Bearer «redacted:token»");
});

test("[ENG-25] a text stands for an image of the history in the request to a model that takes none", async () => {
  await using rig = openProviderRig({ vendor: "zai", script: [says("I see")] });
  const source = { type: "base64" as const, media_type: "image/png", data: "iVBORw0KGgo=" };
  const messages = [{ role: "user" as const, content: [{ type: "image" as const, source }] }];
  const request = { ...REQUEST, model: "glm-4.6", messages };
  expect(await rig.provider.leavesOut?.(request)).toEqual(["images"]);
  await answerOf(rig.provider, request);
  const body = JSON.stringify(rig.mock.requests[0]?.body);
  expect(body).toContain("[an image of 8 bytes (image/png) was here, which this model cannot take]");
  expect(body).not.toContain(source.data);
});

test("[ENG-25] an image reaches each provider whose model takes one", async () => {
  const source = { type: "base64" as const, media_type: "image/png", data: "iVBORw0KGgo=" };
  const messages = [{ role: "user" as const, content: [{ type: "image" as const, source }] }];
  for (const vendor of WIRES) {
    await using rig = openProviderRig({ vendor, script: [says("I see")] });
    await answerOf(rig.provider, { ...REQUEST, messages });
    expect(JSON.stringify(rig.mock.requests[0]?.body)).toContain("iVBORw0KGgo=");
  }
});

test("[ENG-22] an answer that never ends is ended by its size", async () => {
  await using rig = openProviderRig({
    limits: { answerBytesMax: 50_000 },
    script: [says("and ", { fault: { kind: "endless" } })],
  });
  const failure = await failureOf(answerOf(rig.provider));
  expect(failure).toMatchObject({ reason: "StreamInterrupted" });
  await rig.mock.until(({ connections }) => connections.open === 0);
});
