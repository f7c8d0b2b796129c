import { expect, test } from "bun:test";
import type { FetchInit } from "../base/world.ts";
import type { AuthorizedRequest } from "../providers/authorized-fetch.ts";
import { keyNeeds } from "../providers/vendors.ts";
import { authorizedFetch } from "./authorized-fetch.ts";
import { envKeyRing, KEY_VARIABLES, keyVariables } from "./env-keys.ts";

const KEY = "abcdef-0123456789-not-a-known-prefix";
const OWN = {
  name: "own",
  kind: "openai-compatible",
  baseUrl: "http://127.0.0.1:9/v1",
  apiKeyEnv: "OWN_KEY",
} as const;

const REQUEST: AuthorizedRequest = {
  provider: "openai",
  url: "https://api.openai.com/v1/responses",
  credential: { kind: "header", header: "authorization", prefix: "Bearer " },
  method: "POST",
  body: "{}",
  signal: AbortSignal.any([]),
};

function open(env: Readonly<Record<string, string>>, answer: () => Response = () => new Response("fine")) {
  const sent: FetchInit[] = [];
  const send = authorizedFetch({
    fetch: (_url, init) => {
      sent.push(init);
      return Promise.resolve(answer());
    },
    keys: envKeyRing(env, [OWN]),
    needsOf: (provider) => keyNeeds(provider, [OWN]),
  });
  return { send, sent };
}

test("[CRED-03] the key goes where the provider wants it, and a caller's own credentials go nowhere", async () => {
  const { send, sent } = open({ OPENAI_API_KEY: KEY });
  await send({
    ...REQUEST,
    headers: { Authorization: "Bearer planted", "X-Api-Key": "planted", cookie: "a=b", accept: "x" },
  });
  expect(sent[0]?.headers).toEqual({ accept: "x", authorization: `Bearer ${KEY}` });
  await send({ ...REQUEST, credential: { kind: "none" }, headers: { authorization: "Bearer planted" } });
  expect(sent[1]?.headers).toEqual({});
});

test("[CRED-03] a missing key names its variable, also for a custom provider; an optional one is left out", async () => {
  const { send, sent } = open({ OPENAI_API_KEY: "  " });
  await expect(send(REQUEST)).rejects.toThrow("Provider openai needs a key. Set OPENAI_API_KEY");
  await expect(send({ ...REQUEST, provider: "own" })).rejects.toThrow(
    "Provider own needs a key. Set OWN_KEY",
  );
  await send({
    ...REQUEST,
    credential: { kind: "header", header: "authorization", prefix: "Bearer ", optional: true },
  });
  expect(sent.map(({ headers }) => headers)).toEqual([{}]);
});

test("[CRED-03] an answer that failed is handed on without the key, however it was echoed, and with its source", async () => {
  const { send } = open({ OPENAI_API_KEY: KEY }, () => new Response(`no: ${KEY}, "${KEY}"`, { status: 401 }));
  const response = await send(REQUEST);
  expect(response.status).toBe(401);
  expect(response.headers.get("x-cinch-key-source")).toBe("OPENAI_API_KEY");
  expect(await response.text()).toBe('no: «redacted:api-key», "«redacted:api-key»"');
});

test("[CRED-03] a value that no key can be is refused without being shown or sent", async () => {
  const { send, sent } = open({ OPENAI_API_KEY: "abc\r\nX-Evil: 1" });
  const failure = await send(REQUEST).catch((thrown: unknown) => thrown);
  expect(String(failure)).toContain("Provider openai refused the key from OPENAI_API_KEY");
  expect(String(failure)).not.toContain("Evil");
  expect(sent).toEqual([]);
});

test("[CRED-03] keys print as their kind, and the variables that hold them are known", async () => {
  const ring = envKeyRing({ ANTHROPIC_API_KEY: ` ${KEY}\n`, OWN_KEY: "own-key-value" }, [OWN]);
  const found = await ring.keyFor("anthropic");
  expect(`${JSON.stringify(found)} ${Bun.inspect(found)}`).not.toContain(KEY);
  expect(found?.key.reveal()).toBe(KEY);
  expect(await ring.providers()).toEqual(["own", "anthropic"]);
  expect(keyVariables([OWN])).toEqual([...KEY_VARIABLES, "OWN_KEY"]);
  const vendors = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "ZAI_API_KEY"];
  expect(KEY_VARIABLES).toEqual([...vendors, "COPILOT_GITHUB_TOKEN"]);
});

test.each([200, 400])(
  "[CRED-03] a word that a local server takes for a key is left in its answers (%i)",
  async (status) => {
    const text = '{"stop":"none"}';
    const { send } = open({ OWN_KEY: "none" }, () => new Response(text, { status }));
    const response = await send({ ...REQUEST, provider: "own" });
    expect([response.status, await response.text()]).toEqual([status, text]);
  },
);
