import { whileAlive } from "../../../base/async/deadline.ts";
import { customError, HarnessError } from "../../../base/errors.ts";
import type { RequestHandler, RequestMiddleware } from "../../../providers/middleware.ts";
import type { ModelEvent } from "../../../providers/provider.ts";
import type { PluginMiddlewareOptions, PluginRequestMiddleware } from "../../../session/plugins/plugin.ts";
import type { PluginSession } from "../../../session/plugins/plugin-session.ts";
import { PluginError } from "../registration/plugin-error.ts";
import type { PluginContainment } from "./containment.ts";
import { SWITCHED_OFF } from "./containment.ts";
import { PausableDeadline } from "./pausable-deadline.ts";
import { MIDDLEWARE_MS_MAX } from "./tool-middleware.ts";

const WHERE = "its request middleware";

/**
 * Adapts a plugin's request middleware to the engine's.
 *
 * If it fails before it has sent anything, the request continues without it, or is refused if it is a guard. If it
 * fails later, the turn ends with an error that names it. A provider failure that it passes on counts as the
 * provider's. An error that it throws on purpose refuses the request: the turn ends with that reason.
 */
export function pluginRequestMiddleware(
  { run, guards = false }: PluginMiddlewareOptions & { readonly run: PluginRequestMiddleware },
  contained: PluginContainment,
  { error }: Pick<PluginSession, "error">,
): RequestMiddleware {
  const failed = (what: string, cause?: unknown) =>
    new HarnessError("PluginFailed", { plugin: contained.plugin, where: WHERE, what }, { cause });
  return async function* plugin(request, context, next) {
    if (contained.reportIfOff()) {
      if (guards) throw failed(SWITCHED_OFF);
      return yield* next(request, context);
    }
    using time = new PausableDeadline(context.world.clock, MIDDLEWARE_MS_MAX);
    const signal = AbortSignal.any([context.signal, time.signal]);
    const seen = new Set<unknown>();
    let isBegun = false;
    const watched: RequestHandler = (changed) => {
      isBegun = true;
      return watch(next(changed, context), time, (thrown) => seen.add(thrown));
    };
    let stream: AsyncIterator<ModelEvent> | undefined;
    try {
      while (true) {
        const step = await whileAlive(
          (async () => {
            stream ??= (await run(request, { ...context, error }, watched))[Symbol.asyncIterator]();
            return await stream.next();
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
      leave(stream);
    }
    yield* next(request, context);

    /** Yields an event outside the plugin's time, because the engine takes its own time with it. */
    async function* timeOut(event: ModelEvent): AsyncGenerator<ModelEvent> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const away = time.whilePaused(() => promise);
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
  time: PausableDeadline,
  onThrown: (thrown: unknown) => void,
): AsyncGenerator<ModelEvent> {
  const source = events[Symbol.asyncIterator]();
  try {
    while (true) {
      const step = await time.whilePaused(() => source.next());
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

/** Does not wait: the signals free what the plugin still holds, and it may never end. */
function leave(stream: AsyncIterator<ModelEvent> | undefined): void {
  stream?.return?.()?.then(undefined, () => undefined);
}
