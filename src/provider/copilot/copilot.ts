import { hasReason } from "../../base/errors.ts";
import type { CredentialUse } from "../authorized-fetch.ts";
import { anthropicMessages } from "../dialect/anthropic-messages.ts";
import { ANTHROPIC_VERSION_HEADER } from "../dialect/anthropic-version.ts";
import type { ProviderPort, Vendor } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat.ts";
import { openaiResponses } from "../dialect/openai-responses.ts";
import { ProviderError } from "../error.ts";
import type { Model, ModelEvent, ModelRequest, Provider, Silence } from "../provider.ts";
import type { CopilotSettings } from "../vendor-settings.ts";
import { COPILOT_EDITOR, COPILOT_INTEGRATION, copilotPlaces } from "../vendor-settings.ts";

/** A token of half an hour: whoever holds the GitHub token exchanges that for it, and knows where it is good. */
const TOKEN: CredentialUse = { kind: "header", header: "authorization", prefix: "Bearer " };

/**
 * GitHub Copilot (PROV-06). Models that its catalogue offers may be refused all the same, by subscription or by an
 * organisation's policy. Each is asked as a chat completion, unless the catalogue says that it takes only another wire.
 *
 * It names no prices: what a call costs is unknown here.
 */
export function copilot(settings: CopilotSettings, port: ProviderPort): Provider {
  const vendor: Omit<Vendor, "dialect" | "family"> = {
    name: "copilot",
    baseUrl: copilotPlaces(settings).baseUrl,
    credential: TOKEN,
    headers: headersOf(settings),
    requestHeaders,
    // It has no prices; it is asked for the sizes of models, and for the wires that they take.
    pricesInCatalogue: true,
  };
  // What one wire wants back of a model's thinking is nothing to the others: each has a family of its own.
  const chat = dialectProvider({ ...vendor, family: "copilot", dialect: openaiChat }, port);
  const responses = () =>
    dialectProvider({ ...vendor, family: "copilot-responses", dialect: openaiResponses }, port);
  const messages = () =>
    dialectProvider(
      {
        ...vendor,
        family: "copilot-messages",
        dialect: anthropicMessages,
        headers: { ...vendor.headers, ...ANTHROPIC_VERSION_HEADER },
        pathOf: () => "/v1/messages",
      },
      port,
    );
  let opened: { responses?: Provider; messages?: Provider } = {};

  async function wireFor(model: string, signal: AbortSignal): Promise<Provider> {
    const endpoints = await endpointsOf(model, signal);
    if (endpoints.length === 0 || endpoints.includes("/chat/completions")) return chat;
    if (endpoints.includes("/responses")) {
      opened = { ...opened, responses: opened.responses ?? responses() };
      return opened.responses ?? chat;
    }
    if (!endpoints.includes("/v1/messages")) return chat;
    opened = { ...opened, messages: opened.messages ?? messages() };
    return opened.messages ?? chat;
  }

  /** Empty where the catalogue does not say, or cannot be had: then the model itself will tell. */
  async function endpointsOf(model: string, signal: AbortSignal): Promise<readonly string[]> {
    return (await catalogue(signal)).find(({ id }) => id === model)?.endpoints ?? [];
  }

  async function catalogue(signal: AbortSignal): Promise<readonly Model[]> {
    try {
      return await chat.models(signal);
    } catch {
      signal.throwIfAborted();
      return [];
    }
  }

  async function* ask(
    request: ModelRequest,
    signal: AbortSignal,
    onSilence?: (silence: Silence) => void,
  ): AsyncGenerator<ModelEvent> {
    const wire = await wireFor(request.model, signal);
    try {
      yield* wire.chat(request, signal, onSilence);
    } catch (thrown) {
      if (!hasReason(thrown, "UnknownModel")) throw thrown;
      if (!(await catalogue(signal)).some(({ id }) => id === request.model)) throw thrown;
      const { provider, model, detail } = thrown.fields;
      const status = thrown instanceof ProviderError ? thrown.status : undefined;
      const traits = { status, cause: thrown };
      throw new ProviderError("ModelUnavailable", { provider, model, detail: sentence(detail) }, traits);
    }
  }

  return { ...chat, chat: ask };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function headersOf({ editorVersion, integrationId }: CopilotSettings): Readonly<Record<string, string>> {
  const editor = editorVersion ?? COPILOT_EDITOR;
  return {
    "editor-version": editor,
    "editor-plugin-version": COPILOT_EDITOR,
    "copilot-integration-id": integrationId ?? COPILOT_INTEGRATION,
    "openai-intent": "conversation-agent",
    "user-agent": COPILOT_EDITOR,
  };
}

/** Who the request is of: a person who said something, or an agent that goes on by itself, which is counted otherwise. */
function requestHeaders({ messages }: ModelRequest): Readonly<Record<string, string>> {
  const last = messages.at(-1)?.content ?? [];
  const isUsers = messages.at(-1)?.role === "user" && last.some(({ type }) => type !== "tool_result");
  const hasImage = messages.some(({ content }) =>
    content.some(
      (block) =>
        block.type === "image" ||
        (block.type === "tool_result" && block.content.some(({ type }) => type === "image")),
    ),
  );
  return {
    "x-initiator": isUsers ? "user" : "agent",
    ...(hasImage ? { "copilot-vision-request": "true" } : {}),
  };
}
