/** A two-way pipe between two processes of cinch, one message a line. */
export interface Channel {
  /** Sends one message: a text without line breaks. It is dropped if the other end is closed. */
  send(message: string): void;
  /** Sends one byte that is no message: a sign of life. */
  beat(): void;
  close(): void;
}

export interface ChannelHandler {
  readonly message: (text: string) => void;
  /** Called when anything arrives, a beat or a part of a message. */
  readonly alive?: () => void;
  /** Called once when the other end was closed or its process has ended, also after `close`. */
  readonly ended: () => void;
}

/** Longest accepted message; a longer one ends the channel. */
export const CHANNEL_MESSAGE_BYTES_MAX = 4 * 1_048_576;

const BEAT = "\0";

/**
 * Opens a descriptor that is one end of a socket pair.
 * @throws a system error if it is none.
 */
export async function openChannel(descriptor: number, handler: ChannelHandler): Promise<Channel> {
  const decoder = new TextDecoder();
  let received = "";
  let waiting = Buffer.alloc(0);
  let over = false;

  function end(): void {
    if (over) return;
    over = true;
    handler.ended();
  }
  function write(socket: Bun.Socket, text: string): void {
    if (over) return;
    const bytes = Buffer.from(text);
    waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes]);
    flush(socket);
  }
  function flush(socket: Bun.Socket): void {
    if (waiting.length === 0) return;
    const sent = socket.write(waiting);
    if (sent > 0) waiting = waiting.subarray(sent);
  }

  const socket = await Bun.connect({
    // The runtime accepts an open descriptor instead of a path; its types lack that.
    ...({ fd: descriptor } as unknown as { readonly unix: string }),
    socket: {
      data(opened, bytes) {
        handler.alive?.();
        received += decoder.decode(bytes, { stream: true }).replaceAll(BEAT, "");
        const lines = received.split("\n");
        received = lines.pop() ?? "";
        for (const line of lines) handler.message(line);
        if (received.length > CHANNEL_MESSAGE_BYTES_MAX) opened.terminate();
      },
      drain: flush,
      end,
      close: end,
      error: end,
    },
  });
  return {
    send: (message) => write(socket, `${message}\n`),
    beat: () => write(socket, BEAT),
    close() {
      socket.end();
      end();
    },
  };
}
