import { HarnessError } from "../base/errors.ts";
import type { Reason } from "../base/reasons.ts";
import type { HarnessOptions } from "../harness/options.ts";
import type { OpenEngine, OpenHarness } from "../harness.ts";
import { openEngine } from "../harness.ts";

/** An engine that serves, with its first session where one could be begun. */
export interface BegunServing extends OpenEngine, Partial<Pick<OpenHarness, "session" | "notices">> {
  /** Why it has no first session. */
  readonly unbegun?: HarnessError;
}

/** What a session lacks and an engine does not need: a model, and a person who has read the project's files. */
const OF_A_SESSION: ReadonlySet<string> = new Set<Reason>([
  "NoModel",
  "ProviderKeyMissing",
  "NonInteractiveAckRefused",
  "TrustRefused",
]);

/**
 * Starts an engine with a session of its own, or without one where the folder or the configuration lacks what a session
 * needs: clients may work elsewhere, and are told of it by the session that they ask for.
 * @throws HarnessError as `openHarness` does, for every other reason.
 */
export async function begunServing(options: HarnessOptions, signal: AbortSignal): Promise<BegunServing> {
  await using undo = new AsyncDisposableStack();
  const engine = undo.use(await openEngine(options, signal));
  const first = await firstOf(engine);
  signal.throwIfAborted();
  const opened = undo.move();
  return {
    ...first,
    attach: engine.attach,
    port: engine.port,
    openUnattended: engine.openUnattended,
    get busy() {
      return engine.busy;
    },
    people: engine.people,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function firstOf(
  engine: Awaited<ReturnType<typeof openEngine>>,
): Promise<Pick<BegunServing, "session" | "notices" | "unbegun">> {
  try {
    const { session, notices } = await engine.openFirst();
    return { session, notices };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError) || !OF_A_SESSION.has(thrown.reason)) throw thrown;
    return { unbegun: thrown };
  }
}
