import { hasReason } from "../../base/errors.ts";
import { ProviderError } from "../error.ts";
import type { Provider } from "../provider.ts";

/**
 * Wraps Copilot ([A] § v0.2 GitHub Copilot, PROV-06). OpenRouter answers for the same model if Copilot refuses the
 * user (401) or the model for this call. No other failure spends money elsewhere.
 *
 * @param openFallback returns undefined if OpenRouter has no key; then the original refusal is thrown.
 */
export function withOpenRouterFallback(
  copilot: Provider,
  openStandIn: () => Promise<Provider | undefined>,
): Provider {
  return {
    ...copilot,
    async route({ model }) {
      const copilotModel = { provider: copilot, model };
      const name = nameAtOpenRouter(model);
      const standIn = name === undefined ? undefined : await openStandIn();
      if (name === undefined || standIn === undefined) return [copilotModel];
      return [copilotModel, { provider: standIn, model: name, takesOver: isRefusedHere }];
    },
  };
}

const REFUSED = ["ModelUnavailable", "UnknownModel"] as const;

function isRefusedHere(failure: Error): boolean {
  return (
    (failure instanceof ProviderError && failure.status === 401) ||
    REFUSED.some((reason) => hasReason(failure, reason))
  );
}

const MAKERS: readonly (readonly [name: RegExp, maker: string])[] = [
  [/^claude-/, "anthropic"],
  [/^(?:gpt-|o\d|chatgpt-)/, "openai"],
  [/^gemini-/, "google"],
  [/^grok-/, "x-ai"],
];

/** Returns the model's name at OpenRouter, which prefixes it with its maker. */
function nameAtOpenRouter(model: string): string | undefined {
  const maker = MAKERS.find(([name]) => name.test(model))?.[1];
  return maker === undefined ? undefined : `${maker}/${model}`;
}
