import type { Provider, ThinkingRequest } from "../provider.ts";

/** Opened model of a session's requests. */
export interface ModelInUse {
  readonly provider: Provider;
  readonly id: string;
  readonly outputTokensMax: number;
  /** Absent: the model is not asked to think. */
  readonly thinking?: ThinkingRequest;
  /** Aborts when the session takes another model or effort in its place. Absent: it is never replaced. */
  readonly replaced?: AbortSignal;
}

/** Reason of `ModelInUse.replaced`: the request may be sent again, to the other model. */
export class ModelReplaced extends Error {
  override readonly name = "ModelReplaced";

  /** @param model `provider:name` of the model that counts now. */
  constructor(model: string) {
    super(`the session goes on with ${model}`);
  }
}
