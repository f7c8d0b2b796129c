import type { Clock } from "../../base/world.ts";

/** Longest silence of an event stream ([A] § REST surface). */
export const SSE_HEARTBEAT_MS = 15_000;

export interface EventStreamOptions<Item> {
  readonly clock: Pick<Clock, "timer">;
  /** Aborts when nobody reads on; the subscription has the same signal. */
  readonly signal: AbortSignal;
  /** The first piece: the headers of the answer go out with it. */
  readonly hello: string;
  readonly heartbeat: string;
  readonly heartbeatMs: number;
  /** Renders an item for the wire; undefined if it is left out. */
  readonly frame: (item: Item) => string | undefined;
  /** Called with a function that inserts a piece between two items. */
  readonly onOpen?: (say: (piece: string) => void) => void;
}

/**
 * Writes events for one reader, piece by piece: at most one item is held for it, so that a slow reader costs nothing,
 * and the source keeps the rest.
 */
export async function* eventStream<Item>(
  items: AsyncIterable<Item>,
  options: EventStreamOptions<Item>,
): AsyncGenerator<string> {
  const { clock, signal, frame } = options;
  const iterator = items[Symbol.asyncIterator]();
  const lines: string[] = [];
  let wake: () => void = () => undefined;
  let settled: { readonly result?: IteratorResult<Item>; readonly thrown?: unknown } | undefined;
  let isAsked = false;
  const settle = (outcome: typeof settled) => {
    settled = outcome;
    wake();
  };
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  options.onOpen?.((piece) => {
    lines.push(piece);
    wake();
  });
  try {
    yield options.hello;
    while (!signal.aborted) {
      if (!isAsked) {
        isAsked = true;
        // Once for each item: every new wait for the same promise would leave something behind.
        iterator.next().then(
          (result) => settle({ result }),
          (thrown: unknown) => settle({ thrown }),
        );
      }
      let isQuiet = false;
      if (settled === undefined && lines.length === 0) {
        using _beat = clock.timer(options.heartbeatMs, () => {
          isQuiet = true;
          wake();
        });
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (signal.aborted) return;
      yield* lines.splice(0);
      const now = settled;
      if (now === undefined) {
        if (isQuiet) yield options.heartbeat;
        continue;
      }
      [settled, isAsked] = [undefined, false];
      if (now.result === undefined) throw now.thrown;
      if (now.result.done === true) return;
      const piece = frame(now.result.value);
      if (piece !== undefined) yield piece;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // It waits only with its signal; how it ends matters to nobody any more.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Renders one server-sent event. JSON has no line break, so that no content can begin another event. */
export function sseFrame(
  data: unknown,
  more: { readonly id?: number; readonly event?: string } = {},
): string {
  const id = more.id === undefined ? "" : `id: ${more.id}\n`;
  const event = more.event === undefined ? "" : `event: ${more.event}\n`;
  return `${id}${event}data: ${JSON.stringify(data)}\n\n`;
}

/** Time limit for a reader that takes nothing of what is ready: it gets the rest from the log when it comes back. */
export const STALLED_MS_MAX = 120_000;

export interface PulledBodyOptions {
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  /** Called once, whichever side ended it. */
  readonly onLeave: () => void;
  readonly failed: (thrown: unknown) => string;
}

/**
 * Returns a body that is made only as fast as it is read, and breaks off if its reader takes nothing
 * for `STALLED_MS_MAX`.
 */
export function pulledBody(
  pieces: AsyncGenerator<string>,
  { clock, onLeave, failed }: PulledBodyOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  /** True once its reader has closed it. */
  let isLeft = false;
  /** Time since when a piece waits to be taken. */
  let waitsSinceMs: number | undefined;
  let timer: Disposable | undefined;
  const leave = () => {
    if (isOver) return;
    isOver = true;
    timer?.[Symbol.dispose]();
    onLeave();
  };
  // One timer in all that time, not one for each piece.
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>, ms: number) => {
    timer = clock.timer(ms, () => {
      timer = undefined;
      if (waitsSinceMs === undefined) return;
      const restMs = waitsSinceMs + STALLED_MS_MAX - clock.monotonic();
      if (restMs > 0) return watch(controller, restMs);
      leave();
      isLeft = true;
      controller.error(new Error("nothing was read of it"));
      void pieces.return(undefined).catch(() => undefined); // nobody waits for its end
    });
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        waitsSinceMs = undefined;
        if (isOver) return controller.close();
        let piece: string;
        try {
          const { done, value } = await pieces.next();
          if (done === true) {
            leave();
            if (!isLeft) controller.close();
            return;
          }
          piece = value;
        } catch (thrown) {
          leave();
          piece = failed(thrown);
        }
        if (isLeft) return; // a reader that left closed the body: nothing can be written any more
        controller.enqueue(encoder.encode(piece));
        waitsSinceMs = clock.monotonic();
        if (!isOver && timer === undefined) watch(controller, STALLED_MS_MAX);
      },
      cancel() {
        isLeft = true;
        leave();
      },
    },
    { highWaterMark: 0 },
  );
}
