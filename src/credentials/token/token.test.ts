import { expect, test } from "bun:test";
import { fakeClock, settle } from "../../../test/support/fake-clock.ts";
import { Secret } from "../../base/brand.ts";
import type { Fetch, FetchInit } from "../../base/world.ts";
import { authorizedFetch } from "../authorized-fetch.ts";
import { envKeyRing } from "../env-keys.ts";
import { cachedToken, EXCHANGE_MS_MAX } from "./cached-token.ts";
import { requestToken, TOKEN_ANSWER_BYTES_MAX } from "./request-token.ts";
import type { ExchangeResult, TokenSource } from "./token-source.ts";

const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;
const REFUSED: ExchangeResult = { kind: "refused", status: 503, detail: "it is down" };

function tokenOf(text: string, endsAfterMs = HOUR_MS): ExchangeResult {
  const token = { value: new Secret("api-key", text) };
  return { kind: "token", token, renewAfterMs: endsAfterMs - 300_000, endsAfterMs };
}

interface Rig {
  readonly clock: ReturnType<typeof fakeClock>;
  readonly source: TokenSource;
  readonly exchanges: number;
  /** The text of the token that is good now, or the status of the refusal. */
  now(): Promise<string | number>;
}

function openRig(
  answer: (count: number, signal: AbortSignal) => ExchangeResult | Promise<ExchangeResult>,
): Rig {
  const clock = fakeClock();
  let exchanges = 0;
  const source = cachedToken({
    source: "creds.enc",
    baseUrl: "https://a.example/v1",
    clock,
    exchange: async (limit) => {
      exchanges += 1;
      return await answer(exchanges, limit);
    },
  });
  return {
    clock,
    source,
    get exchanges() {
      return exchanges;
    },
    async now() {
      const found = await source.current(signal);
      return "kind" in found ? found.status : found.value.reveal();
    },
  };
}

test("[PROV-06 PROV-14] a hundred requests at once make one exchange, and so do all that follow until it is renewed before its end", async () => {
  const rig = openRig((count) => tokenOf(`token-${count}`));
  const all = await Promise.all(Array.from({ length: 100 }, () => rig.now()));
  expect([new Set(all), rig.exchanges]).toEqual([new Set(["token-1"]), 1]);
  await rig.clock.advance(HOUR_MS - 300_001);
  expect(await rig.now()).toBe("token-1");
  await rig.clock.advance(1);
  expect([await rig.now(), rig.exchanges]).toEqual(["token-2", 2]);
});

test("[PROV-06 PROV-14] while a renewal fails, the old token continues until its end, and no longer", async () => {
  const rig = openRig((count) => (count === 1 ? tokenOf("token-1") : REFUSED));
  expect(await rig.now()).toBe("token-1");
  await rig.clock.advance(HOUR_MS - 1);
  expect(await rig.now()).toBe("token-1");
  await rig.clock.advance(1);
  expect(await rig.now()).toBe(503);
});

test("[PROV-06 PROV-14] a refused token is never handed out again, not even if there is no other", async () => {
  const rig = openRig((count) => (count === 1 ? tokenOf("token-1") : REFUSED));
  const first = await rig.source.current(signal);
  if (!("kind" in first)) rig.source.drop(first);
  expect(await rig.now()).toBe(503);
});

test("[PROV-06 PROV-14 ENG-09] who leaves ends no exchange that others wait for; one without an answer ends in 30 s", async () => {
  const answer = Promise.withResolvers<ExchangeResult>();
  const rig = openRig(() => answer.promise);
  const leaving = new AbortController();
  const left = rig.source.current(leaving.signal).catch((thrown: unknown) => thrown);
  const stayed = rig.now();
  leaving.abort(new Error("left"));
  expect(String(await left)).toBe("Error: left");
  answer.resolve(tokenOf("token-1"));
  expect([await stayed, rig.exchanges]).toEqual(["token-1", 1]);

  const stuck = openRig(() => new Promise(() => undefined));
  const waiting = stuck.now();
  await settle();
  await stuck.clock.advance(EXCHANGE_MS_MAX);
  expect(await waiting).toBe(504);
});

/** A way to a provider whose token is exchanged; `answers` are its answers in their order. */
function openSend(exchange: (count: number) => ExchangeResult, answers: readonly Response[]) {
  const rig = openRig(exchange);
  const sent: { readonly url: string; readonly init: FetchInit }[] = [];
  const fetch: Fetch = (url, init) => {
    sent.push({ url, init });
    return Promise.resolve(answers[sent.length - 1] ?? new Response("no more", { status: 500 }));
  };
  const send = authorizedFetch({
    fetch,
    keys: envKeyRing({}),
    needsOf: () => undefined,
    tokens: async () => rig.source,
  });
  const request = {
    provider: "copilot",
    url: "https://a.example/v1/chat",
    credential: { kind: "header", header: "authorization", prefix: "Bearer " },
    method: "POST",
    body: "{}",
    headers: { Authorization: "Bearer planted", a: "b" },
    signal,
  } as const;
  return { rig, sent, send: () => send(request) };
}

test("[PROV-06 PROV-14 CRED-03] a request that is refused with 401 is sent once more with a new token, and the caller's own credential never", async () => {
  const { sent, send, rig } = openSend(
    (count) => tokenOf(`token-of-the-test-${count}`),
    [new Response("expired", { status: 401 }), new Response("fine")],
  );
  expect(await (await send()).text()).toBe("fine");
  const headers = sent.map(({ init }) => init.headers);
  expect(headers).toEqual([
    { a: "b", authorization: "Bearer token-of-the-test-1" },
    { a: "b", authorization: "Bearer token-of-the-test-2" },
  ]);
  expect([sent.map(({ init }) => init.body), rig.exchanges]).toEqual([["{}", "{}"], 2]);

  const twice = openSend(
    (count) => tokenOf(`token-of-the-test-${count}`),
    [new Response("no", { status: 401 }), new Response("no: token-of-the-test-2", { status: 401 })],
  );
  const refused = await twice.send();
  expect([refused.status, refused.headers.get("x-cinch-key-source"), await refused.text()]).toEqual([
    401,
    "creds.enc",
    "no: «redacted:api-key»",
  ]);
  expect(twice.sent.length).toBe(2);
});

test("[PROV-06 CRED-03] a token goes where it says, with what it says, and nowhere else", async () => {
  const token = {
    value: new Secret("api-key", "token-of-the-test"),
    baseUrl: "https://moved.example/b",
    headers: { "x-goog-user-project": "p" },
  };
  const moved: ExchangeResult = { kind: "token", token, renewAfterMs: 1_000, endsAfterMs: 2_000 };
  const { sent, send } = openSend(() => moved, [new Response("fine")]);
  await send();
  expect(sent.map(({ url, init }) => [url, init.headers])).toEqual([
    [
      "https://moved.example/b/chat",
      { a: "b", "x-goog-user-project": "p", authorization: "Bearer token-of-the-test" },
    ],
  ]);
});

test("[PROV-06 PROV-14] an exchange that is refused is answered as the provider's own refusal, with its Retry-After", async () => {
  const refused: ExchangeResult = { kind: "refused", status: 429, detail: "slow down", retryAfter: "7" };
  const { sent, send } = openSend(() => refused, []);
  const response = await send();
  expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
    429,
    "7",
    { error: { message: "slow down" } },
  ]);
  expect(sent).toEqual([]);
  const final = openSend(() => ({ kind: "refused", status: 502, detail: "nonsense", isFinal: true }), []);
  expect((await final.send()).headers.get("x-should-retry")).toBe("false"); // it would be nonsense again
});

test("[PROV-06 PROV-14] what a token endpoint answers is a refusal unless it is a JSON object, and shows nothing of what was sent", async () => {
  const url = "https://tokens.example/token?secret=1";
  const ask = (answer: () => Response | Promise<Response>) =>
    requestToken(async () => await answer(), url, { body: "secret", signal });
  const place = "https://tokens.example/token";
  const told: readonly (readonly [answer: () => Response | Promise<Response>, refusal: object])[] = [
    [
      () => new Response("<html>"),
      { status: 502, detail: `${place} answered with something that is not a JSON object`, isFinal: true },
    ],
    [
      () => new Response("[1]"),
      { status: 502, detail: `${place} answered with something that is not a JSON object`, isFinal: true },
    ],
    [() => new Response("oops", { status: 500 }), { status: 500, detail: `${place} answered 500` }],
    [
      () => new Response(null, { status: 302, headers: { location: "https://evil.example" } }),
      {
        status: 502,
        detail: `${place} answered with a redirect, which is not followed, since the credentials would go along`,
        isFinal: true,
      },
    ],
    [
      () => new Response("x".repeat(TOKEN_ANSWER_BYTES_MAX + 1)),
      {
        status: 502,
        detail: `${place} answered with more than ${TOKEN_ANSWER_BYTES_MAX} bytes`,
        isFinal: true,
      },
    ],
    [
      () => Promise.reject(Object.assign(new Error("connect secret"), { code: "ECONNREFUSED" })),
      { status: 503, detail: `${place} cannot be reached: nothing listens there` },
    ],
    [
      () => new Response("later", { status: 429, headers: { "retry-after": "9" } }),
      { status: 429, detail: `${place} answered 429`, retryAfter: "9" },
    ],
  ];
  for (const [answer, refusal] of told)
    expect<object>(await ask(answer)).toEqual({ kind: "refused", ...refusal });
});
