import type { Clock } from "../../base/world.ts";

/** How long an event stream is silent at most ([A] § REST surface). */
export const HEARTBEAT_MS = 15_000;

export interface EventStreamOptions<Item> {
  readonly clock: Pick<Clock, "timer">;
  /** Aborts when nobody reads on; the subscription has the same signal. */
  readonly signal: AbortSignal;
  /** The first piece: the headers of the answer go out with it. */
  readonly hello: string;
  readonly heartbeat: string;
  readonly heartbeatMs: number;
  /** What an item is on the wire; undefined where it is nothing. */
  readonly frame: (item: Item) => string | undefined;
  /** Given what puts in a piece between two items. */
  readonly onOpen?: (say: (piece: string) => void) => void;
}

/**
 * What is written for one reader of events, piece by piece: at most one item is held for it, so that a reader which
 * stops costs nothing, and whoever makes the events has the rest of them.
 */
export async function* eventStream<Item>(
  items: AsyncIterable<Item>,
  options: EventStreamOptions<Item>,
): AsyncGenerator<string> {
  const { clock, signal, frame } = options;
  const iterator = items[Symbol.asyncIterator]();
  const said: string[] = [];
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
    said.push(piece);
    wake();
  });
  try {
    yield options.hello;
    while (!signal.aborted) {
      if (!isAsked) {
        isAsked = true;
        // Once for each item: whoever waits anew for the same promise leaves something behind with it every time.
        iterator.next().then(
          (result) => settle({ result }),
          (thrown: unknown) => settle({ thrown }),
        );
      }
      let isQuiet = false;
      if (settled === undefined && said.length === 0) {
        using _beat = clock.timer(options.heartbeatMs, () => {
          isQuiet = true;
          wake();
        });
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (signal.aborted) return;
      yield* said.splice(0);
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
    // It waits for its signal where it waits for anything; how it ends is nobody's any more.
    void iterator.return?.().catch(() => undefined);
  }
}

/** One server-sent event. JSON has no line break of its own, so that no content can begin another event. */
export function sseFrame(
  data: unknown,
  more: { readonly id?: number; readonly event?: string } = {},
): string {
  const id = more.id === undefined ? "" : `id: ${more.id}\n`;
  const event = more.event === undefined ? "" : `event: ${more.event}\n`;
  return `${id}${event}data: ${JSON.stringify(data)}\n\n`;
}

/** How long a reader may take nothing of what is there for it: it has the rest from the log when it comes back. */
export const STALLED_MS_MAX = 120_000;

export interface PulledBodyOptions {
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  /** Called once, whoever ended it. */
  readonly left: () => void;
  readonly failed: (thrown: unknown) => string;
}

/** A body that is made only as fast as it is read, and breaks off where nothing of it is for `STALLED_MS_MAX`. */
export function pulledBody(
  pieces: AsyncGenerator<string>,
  { clock, left, failed }: PulledBodyOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  /** True once its reader has closed it. */
  let isLeft = false;
  /** Since when a piece waits to be taken. */
  let waitsSinceMs: number | undefined;
  let timer: Disposable | undefined;
  const leave = () => {
    if (isOver) return;
    isOver = true;
    timer?.[Symbol.dispose]();
    left();
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
      void pieces.return(undefined).catch(() => undefined); // nobody is there to be told how it ended
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
        if (isLeft) return; // who has left closed the body: nothing can be put in any more
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
