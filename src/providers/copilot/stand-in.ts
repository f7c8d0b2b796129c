import { hasReason } from "../../base/errors.ts";
import { ProviderError } from "../error.ts";
import type { Provider } from "../provider.ts";

/**
 * Copilot, with OpenRouter behind it for the same model, where Copilot refuses who asks (401) or the model for this call
 * ([A] § v0.2 GitHub Copilot, PROV-06). Nothing else is a reason to spend money elsewhere.
 *
 * @param openStandIn none where OpenRouter has no key: then the refusal is told as it is.
 */
export function withStandIn(copilot: Provider, openStandIn: () => Promise<Provider | undefined>): Provider {
  return {
    ...copilot,
    async route({ model }) {
      const own = { provider: copilot, model };
      const name = nameAtOpenRouter(model);
      const standIn = name === undefined ? undefined : await openStandIn();
      if (name === undefined || standIn === undefined) return [own];
      return [own, { provider: standIn, model: name, takesOver: isRefusedHere }];
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

/** The same name there: it stands behind that of its maker. */
function nameAtOpenRouter(model: string): string | undefined {
  const maker = MAKERS.find(([name]) => name.test(model))?.[1];
  return maker === undefined ? undefined : `${maker}/${model}`;
}
