import { expect, test } from "bun:test";
import { settle } from "../../../test/support/fake-clock.ts";
import type { Turn } from "../../../test/support/mock-provider/turn.ts";
import { fails, says } from "../../../test/support/mock-provider/turn.ts";
import type { ProviderRig } from "../../../test/support/provider-rig.ts";
import { openProviderRig, REQUEST, textOf } from "../../../test/support/provider-rig.ts";
import { NO_HISTORY } from "../../../test/support/request-context.ts";
import { seededRandom } from "../../../test/support/world.ts";
import type { ClientId, SessionId } from "../../base/ids.ts";
import type { Event } from "../../protocol/events/events.ts";
import { ProviderError } from "../error.ts";
import type { RequestContext } from "../middleware.ts";
import type { ModelEvent } from "../provider.ts";
import { providerPauses } from "./provider-pauses.ts";
import type { RetryOptions } from "./retry.ts";
import { RETRY_LIMITS, retry } from "./retry.ts";

interface Told {
  readonly reason: string;
  readonly retryInMs: number;
  readonly attempt: number;
}

interface RunOptions extends RetryOptions {
  /** Model of the request. */
  readonly model?: string;
}

interface Run {
  readonly done: Promise<{ readonly text: string } | { readonly failed: unknown }>;
  readonly told: readonly Told[];
  readonly messages: readonly string[];
  readonly seen: readonly ModelEvent[];
  readonly cancel: AbortController;
  readonly replaced: AbortController;
}

/** Runs one request through the middleware to the mock behind the rig. */
function run(rig: ProviderRig, { model = REQUEST.model, ...options }: RunOptions = {}, seed = 1): Run {
  const told: Told[] = [];
  const messages: string[] = [];
  const seen: ModelEvent[] = [];
  const cancel = new AbortController();
  const replaced = new AbortController();
  const context: RequestContext = {
    world: { ...rig.world, random: seededRandom(seed) },
    signal: cancel.signal,
    modelReplaced: replaced.signal,
    session: "sess_01JABCDEFGHJKMNPQRSTVWXYZ0" as SessionId,
    originator: "cli_01JABCDEFGHJKMNPQRSTVWXYZ0" as ClientId,
    provider: rig.provider,
    turn: 1,
    round: 1,
    history: NO_HISTORY,
    emit(event: Event) {
      if (event.kind !== "Error") return;
      const { reason, message, details } = event.payload;
      told.push({ reason, retryInMs: Number(details?.["retryInMs"]), attempt: Number(details?.["attempt"]) });
      messages.push(message);
    },
    spent: () => undefined,
  };
  const handler = (request: typeof REQUEST, { signal }: RequestContext) => rig.provider.chat(request, signal);
  async function read(): Promise<{ readonly text: string }> {
    for await (const event of retry(options)({ ...REQUEST, model }, context, handler)) seen.push(event);
    return { text: textOf(seen) };
  }
  const done = read().catch((failed: unknown) => ({ failed }));
  return { done, told, messages, seen, cancel, replaced };
}

/** Moves the clock through each wait as it is told, until the run has ended. */
async function through(rig: ProviderRig, started: Run): ReturnType<() => Run["done"]> {
  let ended = false;
  let handled = 0;
  const finish = async () => {
    await started.done;
    ended = true;
  };
  const finished = finish();
  while (!ended) {
    await settle();
    const next = started.told[handled];
    if (next === undefined) continue;
    handled += 1;
    await rig.world.clock.advance(next.retryInMs);
  }
  await finished;
  return await started.done;
}

function limited(status: number, headers: Readonly<Record<string, string>> = {}): Turn {
  const body = { type: "error", error: { type: "error", message: "Not now" } };
  return { parts: [], fault: { kind: "status", status, headers, body } };
}

test("[PROV-09] a rate limit is reported with the wait before it begins, and the answer comes after it", async () => {
  await using rig = openProviderRig({ script: [limited(429, { "retry-after": "7" }), says("here I am")] });
  const started = run(rig);
  expect(await through(rig, started)).toEqual({ text: "here I am" });
  const [told] = started.told;
  expect(started.told).toEqual([{ reason: "RateLimited", retryInMs: expect.any(Number), attempt: 2 }]);
  expect(told?.retryInMs).toBeGreaterThanOrEqual(7_000 + RETRY_LIMITS.waitMsMin);
  expect(started.messages[0]).toMatch(
    /^Provider anthropic rate-limited the request\. Retrying in \d+s… \(Ctrl-C to cancel, \/model to switch\)\.$/,
  );
});

test("[PROV-09] another temporary failure is reported with its own reason", async () => {
  await using rig = openProviderRig({ script: [limited(529), says("here I am")] });
  const started = run(rig);
  expect(await through(rig, started)).toEqual({ text: "here I am" });
  expect(started.told).toEqual([{ reason: "ProviderFailed", retryInMs: expect.any(Number), attempt: 2 }]);
  expect(started.messages[0]).toMatch(
    /^Provider anthropic failed \(529\): Not now\. Trying again in \d+ s \(attempt 2\)\.$/,
  );
});

test("[PROV-09] an answer that breaks off and is tried again does not ask to be sent again", async () => {
  await using rig = openProviderRig({ script: [fails({ kind: "cut", atByte: 1 }), says("here I am")] });
  const started = run(rig);
  expect(await through(rig, started)).toEqual({ text: "here I am" });
  expect(started.messages[0]).toMatch(
    /^The answer of provider anthropic broke off: [^.]+\. Trying again in \d+ s \(attempt 2\)\.$/,
  );
});

test.each(["0", "1", "soon"])(
  "[R10] a Retry-After of %s burns no attempts: the waits grow above a floor, and ten attempts are all",
  async (asked) => {
    await using rig = openProviderRig({ script: () => limited(429, { "retry-after": asked }) });
    const started = run(rig);
    const outcome = await through(rig, started);
    expect(outcome).toMatchObject({ failed: { reason: "ProviderFailed", transient: true } });
    expect(rig.mock.requests).toHaveLength(RETRY_LIMITS.attemptsMax);
    const waits = started.told.map(({ retryInMs }) => retryInMs);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(RETRY_LIMITS.waitMsMin);
    const sum = waits.reduce((ms, wait) => ms + wait, 0);
    expect(sum).toBeGreaterThan(30_000);
    expect(sum).toBeLessThanOrEqual(RETRY_LIMITS.waitingMsMax);
  },
);

test("[R10] a provider that asks for more than two minutes is not waited for, and the answer says so", async () => {
  await using rig = openProviderRig({ script: () => limited(429, { "retry-after": "121" }) });
  const started = run(rig);
  const outcome = await through(rig, started);
  expect(started.told).toEqual([]);
  expect(outcome).toMatchObject({
    failed: {
      message:
        "Provider anthropic failed (429): Not now (given up after attempt 1, and it asked to wait 121 s)",
    },
  });
});

test("[R10] all waits of one call together have a limit", async () => {
  await using rig = openProviderRig({ script: () => limited(429, { "retry-after": "100" }) });
  const started = run(rig);
  await through(rig, started);
  expect(started.told).toHaveLength(2); // a third wait would go above 300 s
});

test("[R10] a used-up quota, a refused key and a wrong request are not tried again", async () => {
  for (const status of [402, 401, 400]) {
    await using rig = openProviderRig({ script: () => limited(status) });
    const started = run(rig);
    await through(rig, started);
    expect(rig.mock.requests).toHaveLength(1);
    expect(started.told).toEqual([]);
  }
});

test("[PROV-09] a stream that dies before anything was shown is tried again", async () => {
  await using rig = openProviderRig({
    script: [says("lost", { fault: { kind: "cut", atByte: 10 } }), says("here I am")],
  });
  expect(await through(rig, run(rig))).toEqual({ text: "here I am" });
});

test("[PROV-09] a stream that dies after something was shown ends as a clear error and repeats nothing", async () => {
  const broken = says("one two three four", {
    deltaChars: 4,
    fault: { kind: "error-event", afterEvents: 6, type: "overloaded_error", message: "Overloaded" },
  });
  await using rig = openProviderRig({ script: [broken, says("again")] });
  const started = run(rig);
  const outcome = await through(rig, started);
  expect(outcome).toMatchObject({ failed: { reason: "StreamInterrupted" } });
  expect(outcome).toMatchObject({ failed: { message: expect.stringContaining("Overloaded") } });
  expect(textOf(started.seen)).toStartWith("one ");
  expect(rig.mock.requests).toHaveLength(1);
});

test("[PROV-09] a cancel ends the wait at once, with its reason", async () => {
  await using rig = openProviderRig({ script: [limited(429, { "retry-after": "60" })] });
  const started = run(rig);
  while (started.told.length === 0) await settle();
  const reason = new Error("the user pressed Ctrl-C");
  started.cancel.abort(reason);
  expect(await started.done).toEqual({ failed: reason });
  expect(rig.world.clock.waiting).toBe(0);
});

test("[PROV-09 CTL-19] another model of the session ends the wait at once, and so it does between two attempts", async () => {
  await using rig = openProviderRig({
    script: [limited(429, { "retry-after": "60" }), limited(529), says("late")],
  });
  const reason = new Error("the session has taken another model");
  const waiting = run(rig);
  while (waiting.told.length === 0) await settle();
  waiting.replaced.abort(reason);
  expect(await waiting.done).toEqual({ failed: reason });
  expect(rig.world.clock.waiting).toBe(0);
  const failing = run(rig);
  failing.replaced.abort(reason); // while the first attempt is under way: nothing is waited for
  expect(await failing.done).toEqual({ failed: reason });
  expect([failing.told, rig.mock.requests.length]).toEqual([[], 2]);
});

test("[R10 CTL-19] a wait that one model asked for does not delay another model of its provider", async () => {
  await using rig = openProviderRig({ script: [limited(429, { "retry-after": "60" }), says("here I am")] });
  const pauses = providerPauses();
  const limitedRun = run(rig, { pauses });
  while (limitedRun.told.length === 0) await settle();
  expect(await run(rig, { pauses, model: "another-model" }).done).toEqual({ text: "here I am" });
  limitedRun.cancel.abort(new Error("over"));
  await limitedRun.done;
});

test("[ENG-22] a provider that falls silent is tried three times, and the error counts them", async () => {
  await using rig = openProviderRig({ script: [] });
  const timeout = new ProviderError(
    "ProviderTimeout",
    { provider: "anthropic", seconds: "60", phase: "connecting", attempts: "1" },
    { transient: true },
  );
  const silent: ProviderRig = {
    ...rig,
    provider: {
      ...rig.provider,
      chat() {
        throw timeout;
      },
    },
  };
  const outcome = await through(silent, run(silent));
  expect(outcome).toMatchObject({
    failed: {
      message: "Provider anthropic sent nothing for 60s while connecting. Given up after 3 attempts.",
    },
  });
});

test("[R10 PROV-09] what sends empty answers is tried three times, and what is no model server once", async () => {
  const headers = { "content-type": "text/event-stream" };
  const answers = (body: string): Turn[] =>
    Array.from({ length: 10 }, () => ({ parts: [], fault: { kind: "status", status: 200, headers, body } }));
  for (const [body, requests] of [
    ["", 3],
    ["<html>Sign in", 1],
    // Seen red: each was sent seven times in 30 seconds, as a stream that broke off.
    ["data: <html>Sign in\n\n", 1],
    ["data: <html>\n\ndata: Sign in\n\ndata: </html>\n\n", 1],
    ["event: ping\n\n", 3],
    ["data: \n\ndata: null\n\n", 3],
    ['{"error":{"type":"invalid_request_error","message":"bad model"}}', 1],
  ] as const) {
    await using rig = openProviderRig({ script: answers(body) });
    const { failed } = (await through(rig, run(rig))) as { readonly failed?: Error };
    expect([body, rig.mock.requests.length, failed?.message]).toEqual([
      body,
      requests,
      expect.stringContaining(body.includes("bad model") ? "bad model" : "This is no model server"),
    ]);
  }
});

test("[R10] a hundred sessions that are limited together come back apart, and none before its time", async () => {
  let refused = 0;
  await using rig = openProviderRig({
    script: () => (refused++ < 100 ? limited(429, { "retry-after": "5" }) : says("here I am")),
  });
  const pauses = providerPauses();
  const runs = Array.from({ length: 100 }, (_, i) => run(rig, { pauses }, (i + 1) * 0x9e3779b1));
  await rig.mock.until(({ requests }) => requests.length === 100);
  while (runs.some(({ told }) => told.length === 0)) await settle();
  const waits = runs.map(({ told }) => told[0]?.retryInMs ?? 0);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(5_000);
  expect(new Set(waits).size).toBeGreaterThan(50);
  const late = run(rig, { pauses }, 7);
  while (late.told.length === 0) await settle();
  expect(late.told).toEqual([{ reason: "RateLimited", retryInMs: expect.any(Number), attempt: 1 }]);
  expect(rig.mock.requests).toHaveLength(100); // the newcomer waits too, before its first attempt
  for (const { cancel } of [...runs, late]) cancel.abort(new Error("over"));
  await Promise.all([...runs, late].map(({ done }) => done));
});
