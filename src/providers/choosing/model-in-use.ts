import type { Provider, ThinkingRequest } from "../provider.ts";

/** Opened model of a session's requests. */
export interface ModelInUse {
  readonly provider: Provider;
  readonly id: string;
  readonly outputTokensMax: number;
  /** Absent: the model is not asked to think. */
  readonly thinking?: ThinkingRequest;
}
