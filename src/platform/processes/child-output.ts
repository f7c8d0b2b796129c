/** Silence of the pipe of an exited child after which it is abandoned. */
const SILENT_TICKS_MAX = 4;
/** Total wait for processes that still hold it. */
const WAITING_TICKS_MAX = 40;
const TICK_MS = 25;
/** More than a pipe or socket holds: later data was written by another process than the leader. */
const BYTES_AFTER_EXIT_MAX = 2 * 1024 * 1024;

/** Reports the exit of a group's leader. */
export interface Leader {
  readonly exited: boolean;
  onExit(callback: () => void): void;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** One output of a child: read once, or left unread. */
export class ChildOutput {
  readonly #open: () => Reader;
  #hasBegun = false;

  /** @param open returns the reader, and is called at most once. */
  constructor(open: () => Reader) {
    this.#open = open;
  }

  read(leader: Leader): AsyncGenerator<Uint8Array> {
    this.#hasBegun = true;
    return untilLeft(this.#open, leader);
  }

  /** Frees it if nobody has begun to read; a reader frees it itself. */
  async leaveUnread(): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    await this.#open().cancel();
  }
}

/**
 * Reads the pipe of a child to its end, or until the leader has exited and nothing more comes.
 *
 * A grandchild in the background inherits the pipe and may hold it for ever. After the leader's exit the content of
 * the pipe is read. The pipe is abandoned after 100 ms of silence, at the latest after 1 s of waiting. Time in which
 * the consumer does not read is not counted, nor time in which this process could not run: ticks are counted, and
 * between two of them the pipe was checked.
 */
async function* untilLeft(open: () => Reader, leader: Leader): AsyncGenerator<Uint8Array> {
  const reader = open();
  let asking = false;
  let silentTicks = 0;
  let waitingTicks = 0;
  let bytesAfterExit = 0;
  let over = false;
  let ticking: NodeJS.Timeout | undefined;
  let leaving: Promise<void> | undefined;

  function tick(): void {
    if (!asking) return;
    silentTicks += 1;
    waitingTicks += 1;
    if (silentTicks >= SILENT_TICKS_MAX || waitingTicks >= WAITING_TICKS_MAX) leave();
  }
  function leave(): void {
    leaving ??= reader.cancel(); // resolves the pending read with the end
  }
  leader.onExit(() => {
    if (!over) ticking = setInterval(tick, TICK_MS);
  });

  try {
    while (true) {
      asking = true;
      const { done, value } = await reader.read();
      asking = false;
      silentTicks = 0;
      if (done) return;
      yield value;
      if (!leader.exited) continue;
      bytesAfterExit += value.length;
      if (bytesAfterExit > BYTES_AFTER_EXIT_MAX) return;
    }
  } finally {
    over = true;
    clearInterval(ticking);
    leave();
    await leaving;
  }
}
