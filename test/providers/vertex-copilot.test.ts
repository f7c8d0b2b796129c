import { describe, expect, test } from "bun:test";
import type { CallId } from "../../src/base/ids.ts";
import { hostFetch } from "../../src/platform/sockets/fetch.ts";
import type { ContentBlock } from "../../src/protocol/content.ts";
import { copilotProvider } from "../../src/providers/copilot/copilot.ts";
import { withOpenRouterFallback } from "../../src/providers/copilot/openrouter-fallback.ts";
import { anthropicMessages } from "../../src/providers/dialect/anthropic-messages/anthropic-messages.ts";
import { openaiChat } from "../../src/providers/dialect/openai-chat/openai-chat.ts";
import { ProviderError } from "../../src/providers/error.ts";
import type { ModelEvent, ModelRequest, Provider } from "../../src/providers/provider.ts";
import { vertexHost, vertexLocation } from "../../src/providers/vendor-settings.ts";
import { vertexProvider } from "../../src/providers/vertex/vertex.ts";
import type { CloudDouble, CloudRoutes } from "../support/cloud-double.ts";
import { spoken, startCloudDouble, streamed } from "../support/cloud-double.ts";
import { says } from "../support/mock-provider/turn.ts";
import { answerOf, failureOf, NEVER, REQUEST, textOf } from "../support/provider-rig.ts";
import { readAnswer, recordings } from "../support/recordings.ts";
import { testWorld } from "../support/world.ts";

const CALL = "call_01JABCDEFGHJKMNPQRSTVWXYZ0" as CallId;
const ALL = recordings();

interface Rig extends AsyncDisposable {
  readonly cloud: CloudDouble;
  readonly provider: Provider;
}

/** An adapter in front of a cloud's server, with a token that nobody exchanges here. */
function openRig(
  routes: CloudRoutes,
  open: (url: string, port: Parameters<typeof vertexProvider>[1]) => Provider,
): Rig {
  const cloud = startCloudDouble(routes);
  const fetch = hostFetch();
  const send: Parameters<typeof vertexProvider>[1]["send"] = ({ url, credential, provider: _, ...init }) => {
    const authorization =
      credential.kind === "header" ? { [credential.header]: `${credential.prefix}t` } : {};
    return fetch(url, { ...init, headers: { ...init.headers, ...authorization } });
  };
  const provider = open(cloud.url, { world: testWorld({ fetch }), send });
  return { cloud, provider, [Symbol.asyncDispose]: () => cloud[Symbol.asyncDispose]() };
}

const openVertex = (routes: CloudRoutes, region = "europe-west1") =>
  openRig(routes, (url, port) =>
    vertexProvider({ project: "my-project", region, baseUrl: `${url}/v1` }, port),
  );
const openCopilot = (routes: CloudRoutes) =>
  openRig(routes, (url, port) => copilotProvider({ baseUrl: url }, port));

describe("vertex", () => {
  test("[PROV-14] Claude is asked at the address of its project, region and model, with the version in the body", async () => {
    await using rig = openVertex({ streamRawPredict: (request) => spoken("anthropic", request, says("hi")) });
    const request = { ...REQUEST, model: "claude-sonnet-4-5@20250929" };
    expect(textOf(await answerOf(rig.provider, request))).toBe("hi");
    const [asked] = rig.cloud.requests;
    expect([asked?.method, asked?.path, asked?.headers["authorization"]]).toEqual([
      "POST",
      "/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
      "Bearer t",
    ]);
    expect(asked?.body).toEqual({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 1_000,
      stream: true,
      messages: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
    });
    await answerOf(rig.provider, { ...REQUEST, model: "../../evil?x" });
    expect(rig.cloud.requests[1]?.path).toEndWith("/models/..%2F..%2Fevil%3Fx:streamRawPredict");
  });

  test("[PROV-14 PROV-10] every recorded answer of Claude comes through as it does from Anthropic", async () => {
    const recorded = ALL.filter(({ dialect }) => dialect === "anthropic-messages");
    let at = 0;
    await using rig = openVertex({ streamRawPredict: () => streamed(recorded[at]?.bytes ?? "") });
    for (at = 0; at < recorded.length; at++) {
      const straight = await readAnswer(anthropicMessages, [recorded[at]?.bytes ?? new Uint8Array()]);
      const { events, thrown } = await heardFrom(rig.provider, { ...REQUEST, model: "claude-sonnet-5-5" });
      expect(familyless(events)).toEqual(familyless(straight.events));
      expect(thrown === undefined).toBe(straight.thrown === undefined);
    }
    expect(at).toBeGreaterThan(10);
  });

  test("[PROV-14 PROV-11] tokens are counted by Vertex, and a regional endpoint costs its tenth more since the 4.5 models", async () => {
    await using rig = openVertex({ "count-tokens": () => Response.json({ input_tokens: 42 }) });
    expect(await rig.provider.tokenCount(REQUEST.messages, NEVER)).toBe(42);
    const priceIn = async (region: string, id: string) => {
      await using there = openVertex({}, region);
      return (await there.provider.models(NEVER)).find((model) => model.id === id)?.price;
    };
    expect(await priceIn("global", "claude-sonnet-4-5@20250929")).toMatchObject({ input: 3, output: 15 });
    expect(await priceIn("us-east5", "claude-sonnet-4-5@20250929")).toEqual({
      input: 3.3,
      output: 16.5,
      cacheRead: 0.33,
      cacheWrite: 4.125,
    });
    expect(await priceIn("us-east5", "claude-sonnet-4@20250514")).toMatchObject({ input: 3, output: 15 });
    expect(await priceIn("us-east5", "claude-haiku-5-5")).toMatchObject({ longInput: { input: 0.55 } });
  });

  test("[PROV-14 PROV-10] a refusal by Google is reported with its meaning", async () => {
    const google = (code: number, status: string, message: string) =>
      Response.json([{ error: { code, status, message } }], { status: code });
    const answers: readonly (readonly [Response, object])[] = [
      [
        google(
          404,
          "NOT_FOUND",
          "Publisher Model `projects/p/x` was not found or your project does not have access.",
        ),
        { reason: "UnknownModel", transient: false },
      ],
      [
        google(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource"),
        { reason: "ProviderKeyRefused", transient: false },
      ],
      [
        google(
          429,
          "RESOURCE_EXHAUSTED",
          "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests",
        ),
        { reason: "ProviderFailed", transient: true },
      ],
      [google(503, "UNAVAILABLE", "try again"), { reason: "ProviderFailed", transient: true }],
      [
        Response.json({ error: { message: "prompt is too long: 9 tokens > 8 maximum" } }, { status: 400 }),
        { reason: "ContextOverflow" },
      ],
      [
        new Response(null, { status: 302, headers: { location: "https://a.b" } }),
        { reason: "ProviderRefused" },
      ],
    ];
    await using rig = openVertex({
      streamRawPredict: (_, count) => answers[count - 1]?.[0] ?? new Response(),
    });
    for (const [, told] of answers) expect(await failureOf(answerOf(rig.provider))).toMatchObject(told);
  });

  test("[PROV-14] project and region come from the configuration, then the usual variables; what is missing or odd is named", () => {
    const variables = {
      ANTHROPIC_VERTEX_PROJECT_ID: "one",
      GOOGLE_CLOUD_PROJECT: "two",
      CLOUD_ML_REGION: "global",
    };
    expect(vertexLocation(variables)).toEqual({ project: "one", region: "global" });
    expect(vertexLocation(variables, { project: "own", region: "eu" })).toEqual({
      project: "own",
      region: "eu",
    });
    const usual = {
      GOOGLE_CLOUD_PROJECT: "two",
      ANTHROPIC_VERTEX_PROJECT_ID: " ",
      GOOGLE_CLOUD_LOCATION: "us-east5",
    };
    expect(vertexLocation(usual)).toEqual({ project: "two", region: "us-east5" });
    expect(() => vertexLocation({})).toThrow(
      "Vertex AI cannot be asked: no project is named. Set ANTHROPIC_VERTEX_PROJECT_ID (or GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT), or project in [vertex] of config.toml.",
    );
    expect(() => vertexLocation({ GCLOUD_PROJECT: "p" })).toThrow("no region is named. Set CLOUD_ML_REGION");
    for (const region of ["eu/../x", "evil.example", "a@b", "US"])
      expect(() => vertexLocation(variables, { region })).toThrow("is not a region");
    for (const project of ["a/b", "..", "a?b", "x:y@z"])
      expect(() => vertexLocation(variables, { project })).toThrow("is not an id of a project");
    expect(["global", "eu", "us-east5"].map(vertexHost)).toEqual([
      "https://aiplatform.googleapis.com/v1",
      "https://aiplatform.eu.rep.googleapis.com/v1",
      "https://us-east5-aiplatform.googleapis.com/v1",
    ]);
  });
});

const CATALOGUE = {
  data: [
    {
      id: "gpt-5-mini",
      name: "GPT-5 mini",
      capabilities: {
        type: "chat",
        limits: { max_context_window_tokens: 264_000, max_output_tokens: 64_000 },
        supports: { vision: true },
      },
    },
    { id: "gpt-5-codex", supported_endpoints: ["/responses"], capabilities: { type: "chat" } },
    { id: "claude-x", supported_endpoints: ["/v1/messages"], capabilities: { type: "chat" } },
    { id: "claude-y", supported_endpoints: ["/v1/messages", "/chat/completions"] },
    { id: "withdrawn", capabilities: { type: "chat", supports: { vision: false } } },
    { id: "text-embedding-3", capabilities: { type: "embeddings" } },
  ],
};
const SPEAKS: CloudRoutes = {
  "/models": () => Response.json(CATALOGUE),
  "/chat/completions": (request) => spoken("chat", request, says("by chat")),
  "/responses": (request) => spoken("responses", request, says("by responses")),
  "/v1/messages": (request) => spoken("anthropic", request, says("by messages")),
};

describe("copilot", () => {
  test("[PROV-06] a model is asked as a chat completion, unless the catalogue says that it takes only another wire", async () => {
    await using rig = openCopilot(SPEAKS);
    const said: string[] = [];
    for (const model of ["gpt-5-mini", "gpt-5-codex", "claude-x", "claude-y", "of another day"])
      said.push(textOf(await answerOf(rig.provider, { ...REQUEST, model })));
    expect(said).toEqual(["by chat", "by responses", "by messages", "by chat", "by chat"]);
    expect(rig.cloud.to("/models").length).toBe(1);
    await answerOf(rig.provider, { ...REQUEST, model: "gpt-5-mini", outputTokensMax: 100_000 });
    expect(rig.cloud.requests.at(-1)?.body).toMatchObject({ max_tokens: 64_000 }); // no more than it takes
    expect(rig.cloud.to("/v1/messages")[0]?.headers).toMatchObject({ "anthropic-version": "2023-06-01" });
    expect((await rig.provider.models(NEVER)).map(({ id }) => id)).not.toContain("text-embedding-3");
    expect((await rig.provider.models(NEVER))[0]).toEqual({
      id: "gpt-5-mini",
      name: "GPT-5 mini",
      contextTokens: 264_000,
      outputTokensMax: 64_000,
      takes: ["image"],
    });
    await using without = openCopilot({ ...SPEAKS, "/models": () => new Response("no", { status: 500 }) });
    expect(textOf(await answerOf(without.provider))).toBe("by chat");
  });

  test("[PROV-06] the request says who asks: a person, or an agent that continues; and that an image comes along", async () => {
    await using rig = openCopilot(SPEAKS);
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    } as const;
    const call = { type: "tool_use", id: CALL, name: "Read", input: {} } as const;
    const result = {
      type: "tool_result" as const,
      tool_use_id: CALL,
      content: [image],
    } satisfies ContentBlock;
    const rounds: readonly ModelRequest["messages"][] = [
      REQUEST.messages,
      [...REQUEST.messages, { role: "assistant", content: [call] }, { role: "user", content: [result] }],
      [{ role: "user", content: [{ type: "text", text: "Look." }, image] }],
    ];
    for (const messages of rounds)
      await answerOf(rig.provider, { ...REQUEST, model: "gpt-5-mini", messages });
    expect(
      rig.cloud.to("/chat").map(({ headers }) => [headers["x-initiator"], headers["copilot-vision-request"]]),
    ).toEqual([
      ["user", undefined],
      ["agent", "true"],
      ["user", "true"],
    ]);
    expect(rig.cloud.to("/chat")[0]?.headers).toMatchObject({
      "editor-version": "cinch/0.1.0",
      "copilot-integration-id": "vscode-chat",
    });
    const blind = { ...REQUEST, model: "withdrawn", messages: rounds[2] ?? [] };
    expect(await rig.provider.leavesOut?.(blind)).toEqual(["images"]);
    await failureOf(answerOf(rig.provider, blind));
    expect(JSON.stringify(rig.cloud.to("/chat").at(-1))).not.toContain("iVBORw0KGgo=");
  });

  test("[PROV-06 PROV-10] every recorded answer of Copilot comes through its server as it was sent", async () => {
    const recorded = ALL.filter(({ name }) => name.startsWith("copilot/"));
    let at = 0;
    await using rig = openCopilot({
      ...SPEAKS,
      "/chat/completions": () => streamed(recorded[at]?.bytes ?? ""),
    });
    for (at = 0; at < recorded.length; at++) {
      const straight = await readAnswer(openaiChat, [recorded[at]?.bytes ?? new Uint8Array()]);
      const { events, thrown } = await heardFrom(rig.provider, REQUEST);
      expect(familyless(events)).toEqual(familyless(straight.events));
      expect(thrown === undefined).toBe(straight.thrown === undefined);
    }
    expect(at).toBe(21);
  });

  test("[PROV-06] a model that is listed and still refused is reported as that; one that is not listed as unknown", async () => {
    const refusal = {
      error: { message: "The requested model is not supported.", code: "model_not_supported" },
    };
    await using rig = openCopilot({
      ...SPEAKS,
      "/chat/completions": () => Response.json(refusal, { status: 400 }),
    });
    expect(await failureOf(answerOf(rig.provider, { ...REQUEST, model: "withdrawn" }))).toEqual({
      reason: "ModelUnavailable",
      transient: false,
      message:
        "Provider copilot lists the model 'withdrawn' and refuses it to this account: The requested model is not supported. Its subscription or a policy of its organisation may not have it. Take another: cinch models",
    });
    await using refusing = openCopilot({
      ...SPEAKS,
      "/chat/completions": () => new Response("token expired\n", { status: 401 }),
    });
    expect(await failureOf(answerOf(refusing.provider))).toMatchObject({
      reason: "ProviderKeyRefused",
      message:
        "Provider copilot refused the key from the configuration: token expired. Log in again: cinch creds login copilot",
    });
    const unknown = answerOf(rig.provider, { ...REQUEST, model: "gpt-0" });
    expect(await failureOf(unknown)).toMatchObject({ reason: "UnknownModel" });
  });

  test("[PROV-06] OpenRouter stands behind it for the same model, and takes over after a refused login or model alone", async () => {
    const own = { name: "copilot" } as Provider;
    const other = { name: "openrouter" } as Provider;
    const routeOf = async (model: string, standIn: Provider | undefined = other) => {
      const about = { model, role: "main", inputTokens: 1, spentUsd: 0 } as const;
      return await withOpenRouterFallback(own, async () => standIn).route?.(about, NEVER);
    };
    const names: string[] = [];
    for (const model of ["claude-sonnet-4.5", "gpt-4.1", "o4-mini", "gemini-2.5-pro", "grok-code-fast-1"]) {
      const executors = (await routeOf(model)) ?? [];
      names.push(executors.map(({ provider, model: name }) => `${provider.name}:${name}`).join(" "));
    }
    expect(names).toEqual([
      "copilot:claude-sonnet-4.5 openrouter:anthropic/claude-sonnet-4.5",
      "copilot:gpt-4.1 openrouter:openai/gpt-4.1",
      "copilot:o4-mini openrouter:openai/o4-mini",
      "copilot:gemini-2.5-pro openrouter:google/gemini-2.5-pro",
      "copilot:grok-code-fast-1 openrouter:x-ai/grok-code-fast-1",
    ]);
    expect(await routeOf("raptor-mini")).toEqual([{ provider: own, model: "raptor-mini" }]);
    expect(
      await withOpenRouterFallback(own, async () => undefined).route?.(
        { model: "gpt-4.1", role: "main", inputTokens: 1, spentUsd: 0 },
        NEVER,
      ),
    ).toEqual([{ provider: own, model: "gpt-4.1" }]);

    const takesOver = (await routeOf("gpt-4.1"))?.[1]?.takesOver;
    const fields = { provider: "copilot", source: "creds.enc", detail: "no" };
    const failed = { provider: "copilot", status: "500", detail: "no" };
    const failures: readonly (readonly [Error, boolean])[] = [
      [new ProviderError("ProviderKeyRefused", fields, { status: 401 }), true],
      [new ProviderError("ProviderKeyRefused", fields, { status: 403 }), false],
      [new ProviderError("UnknownModel", { provider: "copilot", model: "m", detail: "no" }), true],
      [new ProviderError("ModelUnavailable", { provider: "copilot", model: "m", detail: "no" }), true],
      [new ProviderError("ProviderFailed", failed, { status: 500, transient: true }), false],
      [
        new ProviderError("ProviderQuotaExceeded", { provider: "copilot", detail: "no" }, { status: 402 }),
        false,
      ],
      [new Error("x"), false],
    ];
    expect(failures.map(([failure]) => takesOver?.(failure))).toEqual(
      failures.map(([, expected]) => expected),
    );
  });
});

async function heardFrom(provider: Provider, request: ModelRequest) {
  const events: ModelEvent[] = [];
  try {
    for await (const event of provider.chat(request, NEVER)) events.push(event);
    return { events, thrown: undefined };
  } catch (thrown) {
    return { events, thrown };
  }
}

/** Deltas joined, and without whose thinking it is: a server cuts bytes where it likes. */
function familyless(events: readonly ModelEvent[]): unknown {
  const blocks = events.filter(({ kind }) => kind !== "text" && kind !== "thinking");
  const text = events.map((event) => (event.kind === "text" ? event.text : "")).join("");
  return JSON.parse(JSON.stringify([text, blocks]).replaceAll(/"family":"[^"]*"/g, '"family":""'));
}
