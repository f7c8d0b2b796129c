/**
 * One node of the tree of cancellable work: turn → tool calls → child engines (ENG-09).
 *
 * Cancelling a node cancels everything below it; parent and siblings continue. Disposing a node removes it from
 * the tree.
 */
export class CancelNode implements Disposable {
  readonly #controller = new AbortController();
  readonly #unlink: () => void;

  constructor(parent?: AbortSignal) {
    if (parent === undefined) {
      this.#unlink = () => undefined;
      return;
    }
    const follow = () => this.#controller.abort(parent.reason);
    if (parent.aborted) follow();
    else parent.addEventListener("abort", follow, { once: true });
    this.#unlink = () => parent.removeEventListener("abort", follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Reason of the cancel; undefined if it was not cancelled. */
  get cause(): unknown {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  child(): CancelNode {
    return new CancelNode(this.signal);
  }

  cancel(cause: Error): void {
    this.#controller.abort(cause);
  }

  [Symbol.dispose](): void {
    this.#unlink();
  }
}
