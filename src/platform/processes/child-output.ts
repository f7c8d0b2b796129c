/** How long the pipe of a child that has exited may stay silent before nobody listens any more. */
const SILENT_TICKS_MAX = 4;
/** How long all waiting for those that still hold it may take. */
const WAITING_TICKS_MAX = 40;
const TICK_MS = 25;
/** More than a pipe or socket holds: what comes after that was written by somebody else than the leader. */
const BYTES_AFTER_EXIT_MAX = 2 * 1024 * 1024;

/** Tells when the leader of a group has exited. */
export interface Leader {
  readonly exited: boolean;
  onExit(callback: () => void): void;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** What a child writes to one of its outputs: read once, or left unread. */
export class ChildOutput {
  readonly #open: () => Reader;
  #begun = false;

  /** @param open gives the reader, and is called once at most. */
  constructor(open: () => Reader) {
    this.#open = open;
  }

  read(leader: Leader): AsyncGenerator<Uint8Array> {
    this.#begun = true;
    return untilLeft(this.#open, leader);
  }

  /** Frees it where nobody has begun to read; who has, leaves it himself. */
  async leaveUnread(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.#open().cancel();
  }
}

/**
 * Reads the pipe of a child to its end; the end is also when the leader has exited and nothing more comes.
 *
 * A grandchild in the background inherits the pipe and may hold it for ever. After the leader's exit what lies in the
 * pipe is read, then it is left after 100 ms of silence, at the latest after 1 s of waiting. Time during which the reader
 * does not ask does not count, and neither does time in which this process was kept from reading: ticks are counted,
 * and between two of them the pipe was looked at.
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
    leaving ??= reader.cancel(); // answers the pending read with the end
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
