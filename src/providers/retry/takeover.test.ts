import { expect, test } from "bun:test";
import { NO_HISTORY } from "../../../test/support/request-context.ts";
import { testWorld } from "../../../test/support/world.ts";
import { HarnessError } from "../../base/errors.ts";
import type { ClientId, SessionId } from "../../base/ids.ts";
import { CANONICAL_FORM_VERSION } from "../../protocol/version.ts";
import { ProviderError } from "../error.ts";
import type { RequestContext } from "../middleware.ts";
import type { Executor, ModelEvent, ModelRequest, Provider, RequestTraits } from "../provider.ts";
import { PASSED_OVER_MS, takeover } from "./takeover.ts";

const REQUEST: ModelRequest = {
  model: "mixed",
  system: [],
  messages: [],
  tools: [],
  outputTokensMax: 16_384,
  cache: { prefix: false, messages: [] },
};

type Answer = readonly (ModelEvent | Error)[];

const said = (text: string): Answer => [
  { kind: "text", index: 0, text },
  { kind: "finish", reason: "stop", raw: "stop" },
];
const unreachable = (provider: string) =>
  new ProviderError("ProviderUnreachable", { provider, url: "http://x", detail: "refused" });
const refused = new ProviderError("ProviderRefused", { provider: "a", status: "400", detail: "no" });

/** A model of each name with its answers in order, behind one composed provider. */
function openRig(answers: Readonly<Record<string, Answer[]>>, takesOver?: Executor["takesOver"]) {
  const world = testWorld();
  const asked: { provider: string; model: string; hasSuccessor: boolean; outputTokensMax: number }[] = [];
  const routedBy: RequestTraits[] = [];
  const told: string[] = [];
  const executors = Object.keys(answers).map((name): Executor => {
    const [provider = "", model = ""] = name.split(":");
    const own = takesOver === undefined ? {} : { takesOver };
    return { provider: providerOf(provider), model, ...own };
  });
  const composed: Provider = {
    ...providerOf("routing"),
    route: async (about) => {
      routedBy.push(about);
      return executors;
    },
  };
  const context: RequestContext = {
    world,
    signal: new AbortController().signal,
    session: "sess_01JABCDEFGHJKMNPQRSTVWXYZ0" as SessionId,
    originator: "cli_01JABCDEFGHJKMNPQRSTVWXYZ0" as ClientId,
    provider: composed,
    turn: 1,
    round: 1,
    history: NO_HISTORY,
    emit: (event) => void (event.kind === "Error" && told.push(event.payload.message)),
    spent: () => undefined,
  };
  const middleware = takeover({ estimate: () => 1_234, spentUsd: () => 0.5 });
  async function ask(more: Partial<RequestContext> = {}): Promise<string> {
    let text = "";
    const stream = middleware(
      REQUEST,
      { ...context, ...more },
      (request, { provider, hasSuccessor = false }) => {
        const { model, outputTokensMax } = request;
        asked.push({ provider: provider.name, model, hasSuccessor, outputTokensMax });
        return play(answers[`${provider.name}:${model}`]?.shift() ?? []);
      },
    );
    for await (const event of stream) if (event.kind === "text") text += event.text;
    return text;
  }
  return { ask, asked, told, routedBy, world };
}

function providerOf(name: string): Provider {
  return {
    name,
    family: name,
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    chat: () => play([]),
    models: async () => [],
    tokenCount: async () => 0,
  };
}

async function* play(answer: Answer): AsyncGenerator<ModelEvent> {
  for (const each of answer) {
    if (each instanceof Error) throw each;
    yield each;
  }
}

test("[PROV-07] the first of a route sends a request as itself, with its own limits, and knows that it has successors", async () => {
  const rig = openRig({ "anthropic:claude-3-haiku-20240307": [said("one")], "zai:glm-4.6": [] });
  expect(await rig.ask()).toBe("one");
  expect(rig.asked).toEqual([
    { provider: "anthropic", model: "claude-3-haiku-20240307", hasSuccessor: true, outputTokensMax: 4_096 },
  ]);
  expect(rig.routedBy).toEqual([{ model: "mixed", role: "main", inputTokens: 1_234, spentUsd: 0.5 }]);
  expect(rig.told).toEqual([]);
});

test("[PROV-07] the route gets the purpose of a request: a summary, a sub-agent's", async () => {
  const rig = openRig({ "a:m": [said("1"), said("2")] });
  await rig.ask({ purpose: "summary" });
  await rig.ask({ parentCall: rig.world.ids.next("call") });
  expect(rig.routedBy.map(({ role }) => role)).toEqual(["summary", "sub-agent"]);
});

test("[PROV-07] the next one takes over from an unavailable one, which is reported once, and skipped for five minutes", async () => {
  const rig = openRig({ "a:m": [[unreachable("a")], said("a again")], "b:n": [said("b"), said("b again")] });
  expect(await rig.ask()).toBe("b");
  expect(rig.told).toEqual([
    "a:m cannot be used now: Provider a cannot be reached at http://x: refused. b:n takes over.",
  ]);
  expect(await rig.ask()).toBe("b again");
  await rig.world.clock.advance(PASSED_OVER_MS);
  expect(await rig.ask()).toBe("a again");
  expect(rig.asked.map(({ provider }) => provider)).toEqual(["a", "b", "b", "a"]);
  expect(rig.told).toHaveLength(1);
});

test("[PROV-07] where all of them fail the last failure is the answer, and each is tried again with the next request", async () => {
  const rig = openRig({ "a:m": [[unreachable("a")], said("a")], "b:n": [[unreachable("b")]] });
  await expect(rig.ask()).rejects.toMatchObject({ fields: { provider: "b" } });
  expect(rig.asked.map(({ hasSuccessor }) => hasSuccessor)).toEqual([true, false]);
});

test("[PROV-07 PROV-09] nobody takes over a request that is refused, one that was answered in part, and one whose executor says no", async () => {
  const whole = openRig({ "a:m": [[refused]], "b:n": [said("b")] });
  await expect(whole.ask()).rejects.toBe(refused);
  const partly = openRig({
    "a:m": [[{ kind: "text", index: 0, text: "half" }, unreachable("a")]],
    "b:n": [],
  });
  await expect(partly.ask()).rejects.toMatchObject({ reason: "ProviderUnreachable" });
  const picky = openRig({ "a:m": [[unreachable("a")]], "b:n": [said("b")] }, () => false);
  await expect(picky.ask()).rejects.toMatchObject({ reason: "ProviderUnreachable" });
  // It may not take over what goes by, so that is waited for as if nobody stood behind.
  expect(picky.asked.map(({ hasSuccessor }) => hasSuccessor)).toEqual([false]);
});

test("[PROV-07 ENG-13] under a cap, a model without a price is passed over where one with a price stands behind it", async () => {
  const unpriced = new HarnessError("CostUnknown", { cap: "$0.50", model: "m" });
  const rig = openRig({ "a:m": [[unpriced]], "b:n": [said("b")] });
  expect(await rig.ask()).toBe("b");
  expect(rig.told).toHaveLength(1);
});

test("[PROV-07] a cancel is no failure: nobody takes over", async () => {
  const stop = new AbortController();
  const rig = openRig({ "a:m": [[unreachable("a")]], "b:n": [said("b")] });
  stop.abort(new Error("stopped"));
  await expect(rig.ask({ signal: stop.signal })).rejects.toThrow("stopped");
  expect(rig.asked).toHaveLength(1);
});
