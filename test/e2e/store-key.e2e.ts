import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";

const TIMEOUT_MS = 240_000;
const KEY = "kk-Zc81Qn5RwPd27LxUe0YbTf94Ma";

/** An engine whose user has a provider `keyed` that demands a key, beside `mock`, which takes none. */
async function openKeyed(script: readonly Turn[], { key = KEY, listens = false } = {}) {
  await using undo = new AsyncDisposableStack();
  const keyed = undo.use(startMockProvider({ script, key, models: ["one"] }));
  const config = `[providers.keyed]\nkind = "openai-compatible"\nbase_url = "${keyed.url}/v1"\napi_key_env = "KEYED_KEY"\n`;
  const served = undo.use(await openServed({ script: [], config, listens }));
  const token = await served.token();
  const session = await served.session(token);
  const rest = undo.move();
  return { keyed, served, token, session, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked;
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

function store(served: Served, token: string, key: string, provider = "keyed"): Promise<Answer> {
  return answerOf(served.ask(`/v1/providers/${provider}/key`, token, { key }));
}

function say(served: Served, token: string, session: string, text: string): Promise<Answer> {
  const body = { content: [{ type: "text", text }] };
  return answerOf(served.ask(`/v1/sessions/${session}/input?wait=turn`, token, body));
}

test(
  "[CTL-19 CRED-01 CRED-03] a key that is stored over the Unix socket is used by the next turn of a running session",
  async () => {
    await using rig = await openKeyed([says("Heard with the key.")]);
    const { served, token, session } = rig;
    const model = await answerOf(served.ask(`/v1/sessions/${session}/model`, token, { model: "keyed:one" }));
    console.log(model);
    console.log(await say(served, token, session, "first"));
    console.log(await store(served, token, KEY));
    console.log(await answerOf(served.ask(`/v1/sessions/${session}/model`, token, { model: "keyed:one" })));
    console.log(await say(served, token, session, "second"));
  },
  TIMEOUT_MS,
);
