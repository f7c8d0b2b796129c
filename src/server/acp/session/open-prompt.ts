import type { PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { HarnessError } from "../../../base/errors.ts";
import type { InputTurn } from "../../../view/follow-turn.ts";
import type { TurnResult } from "../../../view/turn-result.ts";
import { promptEnd } from "./prompt-end.ts";

export const CANCELLED: PromptResponse = { stopReason: "cancelled" };

/** A prompt of an editor that has no answer yet. */
export class OpenPrompt {
  readonly #settled = Promise.withResolvers<PromptResponse>();
  readonly cancelled = new AbortController();
  /** Undefined until its turn starts. */
  turn: InputTurn;
  /** True from the moment at which the engine may know it. */
  isSent = false;

  constructor() {
    this.#settled.promise.catch(() => undefined); // it may be refused, and then nobody waits for this
  }

  /**
   * Resolves when its turn has ended.
   * @throws HarnessError if the turn has failed; the error that ended the session.
   */
  get answer(): Promise<PromptResponse> {
    return this.#settled.promise;
  }

  end(result: TurnResult): void {
    const end = promptEnd(result);
    if (end instanceof HarnessError) this.fail(end);
    else this.#settled.resolve(end);
  }

  fail(thrown: unknown): void {
    this.#settled.reject(thrown);
  }
}
