import { whileAlive } from "../../../base/async/deadline.ts";
import { customError, HarnessError } from "../../../base/errors.ts";
import type { RequestHandler, RequestMiddleware } from "../../../providers/middleware.ts";
import type { ModelEvent } from "../../../providers/provider.ts";
import type { PluginMiddlewareOptions, PluginRequestMiddleware } from "../registration/plugin.ts";
import { PluginError } from "../registration/raised.ts";
import type { Contained } from "./containment.ts";
import { OFF } from "./containment.ts";
import { OwnTime } from "./own-time.ts";
import type { PluginSession } from "./session.ts";
import { MIDDLEWARE_MS_MAX } from "./tool-middleware.ts";

const WHERE = "its request middleware";

/**
 * A plugin's request middleware as the engine's own. Where it fails before it has sent anything, the request goes on
 * without it, or is refused where it guards; later the answer is in its hands, and the turn ends with an error that names
 * it. A failure of the provider that it lets through is the provider's. An error that it throws itself refuses: the turn ends with it.
 */
export function pluginRequestMiddleware(
  { run, guards = false }: PluginMiddlewareOptions & { readonly run: PluginRequestMiddleware },
  contained: Contained,
  { error }: Pick<PluginSession, "error">,
): RequestMiddleware {
  const failed = (what: string, cause?: unknown) =>
    new HarnessError("PluginFailed", { plugin: contained.plugin, where: WHERE, what }, { cause });
  return async function* plugin(request, context, next) {
    if (contained.tellIfOff()) {
      if (guards) throw failed(OFF);
      return yield* next(request, context);
    }
    using time = new OwnTime(context.world.clock, MIDDLEWARE_MS_MAX);
    const signal = AbortSignal.any([context.signal, time.signal]);
    const seen = new Set<unknown>();
    let isBegun = false;
    const watched: RequestHandler = (changed) => {
      isBegun = true;
      return watch(next(changed, context), time, (thrown) => seen.add(thrown));
    };
    let own: AsyncIterator<ModelEvent> | undefined;
    try {
      while (true) {
        const step = await whileAlive(
          (async () => {
            own ??= (await run(request, { ...context, error }, watched))[Symbol.asyncIterator]();
            return await own.next();
          })(),
          signal,
        );
        if (step.done === true) return;
        const { value } = step;
        isBegun = true;
        yield* timeOut(value);
      }
    } catch (thrown) {
      if (context.signal.aborted) throw context.signal.reason;
      if (seen.has(thrown)) throw thrown;
      if (thrown instanceof PluginError) throw customError(thrown);
      const { why } = contained.failed(WHERE, time.signal.aborted ? time.signal.reason : thrown);
      if (isBegun || guards) throw failed(why, thrown);
    } finally {
      leave(own);
    }
    yield* next(request, context);

    /** The engine takes its time with an event, and that is not the plugin's. */
    async function* timeOut(event: ModelEvent): AsyncGenerator<ModelEvent> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const away = time.away(() => promise);
      try {
        yield event;
      } finally {
        resolve();
        await away;
      }
    }
  };
}

async function* watch(
  events: AsyncIterable<ModelEvent>,
  time: OwnTime,
  onThrown: (thrown: unknown) => void,
): AsyncGenerator<ModelEvent> {
  const source = events[Symbol.asyncIterator]();
  try {
    while (true) {
      const step = await time.away(() => source.next());
      if (step.done === true) return;
      yield step.value;
    }
  } catch (thrown) {
    onThrown(thrown);
    throw thrown;
  } finally {
    await source.return?.();
  }
}

/** Not awaited: what it still holds is freed by the signals that it was given, and it may never end. */
function leave(own: AsyncIterator<ModelEvent> | undefined): void {
  own?.return?.()?.then(undefined, () => undefined);
}
