import { hasReason } from "../../base/errors.ts";
import { sentence } from "../../base/text/text.ts";
import type { CredentialUse } from "../authorized-fetch.ts";
import { anthropicMessages } from "../dialect/anthropic-messages/anthropic-messages.ts";
import { ANTHROPIC_VERSION_HEADER } from "../dialect/anthropic-messages/anthropic-version.ts";
import type { ProviderDependencies, Vendor } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat/openai-chat.ts";
import { openaiResponses } from "../dialect/openai-responses/openai-responses.ts";
import { ProviderError } from "../error.ts";
import type { ArgumentsListener, Model, ModelEvent, ModelRequest, Provider, Silence } from "../provider.ts";
import type { CopilotSettings } from "../vendor-settings.ts";
import { COPILOT_EDITOR, COPILOT_INTEGRATION, copilotAddresses } from "../vendor-settings.ts";

const LOG_IN = "Log in again: cinch creds login copilot";

/** A token of half an hour. The key owner exchanges the GitHub token for it and knows which host accepts it. */
const TOKEN: CredentialUse = { kind: "header", header: "authorization", prefix: "Bearer " };

/**
 * Returns the GitHub Copilot provider (PROV-06). Subscription or organisation policy may refuse models that its
 * catalogue offers. Each model is called as a chat completion, unless the catalogue says that it accepts another
 * dialect only.
 *
 * It publishes no prices, so the cost of a call is unknown.
 */
export function copilotProvider(settings: CopilotSettings, dependencies: ProviderDependencies): Provider {
  const vendor: Omit<Vendor, "dialect" | "family"> = {
    name: "copilot",
    baseUrl: copilotAddresses(settings).baseUrl,
    credential: TOKEN,
    headers: headersOf(settings),
    requestHeaders,
    // The catalogue has no prices; it is fetched for model sizes and the dialects that models accept.
    pricesInCatalogue: true,
  };
  // Thinking that one dialect wants back means nothing to the others: each has a family of its own.
  const chat = dialectProvider({ ...vendor, family: "copilot", dialect: openaiChat }, dependencies);
  const responses = () =>
    dialectProvider({ ...vendor, family: "copilot-responses", dialect: openaiResponses }, dependencies);
  const messages = () =>
    dialectProvider(
      {
        ...vendor,
        family: "copilot-messages",
        dialect: anthropicMessages,
        headers: { ...vendor.headers, ...ANTHROPIC_VERSION_HEADER },
        pathOf: () => "/v1/messages",
      },
      dependencies,
    );
  let onResponses: Provider | undefined;
  let onMessages: Provider | undefined;

  function wireFor({ endpoints = [] }: Pick<Model, "endpoints">): Provider {
    if (endpoints.length === 0 || endpoints.includes("/chat/completions")) return chat;
    if (endpoints.includes("/responses")) {
      onResponses ??= responses();
      return onResponses;
    }
    if (!endpoints.includes("/v1/messages")) return chat;
    onMessages ??= messages();
    return onMessages;
  }

  /** Returns undefined if the catalogue lacks the model or cannot be fetched; then the model's own answer decides. */
  async function listed(model: string, signal: AbortSignal): Promise<Model | undefined> {
    try {
      return (await chat.models(signal)).find(({ id }) => id === model);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  async function* ask(
    request: ModelRequest,
    signal: AbortSignal,
    onSilence?: (silence: Silence) => void,
    listener?: ArgumentsListener,
  ): AsyncGenerator<ModelEvent> {
    const known = await listed(request.model, signal);
    const outputTokensMax = Math.min(
      request.outputTokensMax,
      known?.outputTokensMax ?? request.outputTokensMax,
    );
    try {
      yield* wireFor(known ?? {}).chat({ ...request, outputTokensMax }, signal, onSilence, listener);
    } catch (thrown) {
      throw copilotError(thrown, known !== undefined);
    }
  }

  return {
    ...chat,
    chat: ask,
    async leavesOut(request) {
      const known = (await chat.known?.())?.find(({ id }) => id === request.model);
      return (await wireFor(known ?? {}).leavesOut?.(request)) ?? [];
    },
  };
}

/**
 * Corrects the reason of a refusal: a listed model has no wrong name, and a refused login needs a new login, not a
 * new key.
 */
function copilotError(thrown: unknown, isListed: boolean): unknown {
  const status = thrown instanceof ProviderError ? thrown.status : undefined;
  const traits = { status, cause: thrown };
  if (isListed && hasReason(thrown, "UnknownModel")) {
    const { provider, model, detail } = thrown.fields;
    return new ProviderError("ModelUnavailable", { provider, model, detail: sentence(detail) }, traits);
  }
  if (status !== 401 || !hasReason(thrown, "ProviderKeyRefused")) return thrown;
  const { detail } = thrown.fields;
  if (detail.toLowerCase().includes(LOG_IN.toLowerCase())) return thrown;
  const fields = { ...thrown.fields, detail: `${sentence(detail)} ${LOG_IN}` };
  return new ProviderError("ProviderKeyRefused", fields, traits);
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

/**
 * Returns who started the request: a person who sent input, or an agent that continues by itself. Copilot counts the
 * two differently.
 */
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
