import type { ClientId, SessionId } from "../../base/ids.ts";
import { type JsonObject, textOfJson } from "../../base/json.ts";
import { codeOf } from "../../base/world.ts";

/** Bytes of events that wait for a slow output; above it the engine is made to wait. */
const WAITING_BYTES_MAX = 1_048_576;

/** Reader of what the engine sends after its verdict. */
export interface PromptReader {
  /** `bytes`: length of the frame's line. */
  frame(frame: JsonObject, bytes: number): void;
  /** The engine has closed the connection, or has died. */
  closed(): void;
}

/** Connection to a running engine for one prompt: JSON, one frame a line. */
export interface PromptLink extends Disposable {
  /** Sends frames in one write. */
  send(...frames: readonly object[]): void;
  /** Calls the reader with what came meanwhile, and with all that comes. */
  read(reader: PromptReader): void;
  /** Reports bytes of events as read. */
  taken(bytes: number): void;
  /** Returns the process of the engine; undefined if the system does not tell. */
  enginePid(): Promise<number | undefined>;
  /** Reason of the engine not to carry out the prompt; undefined: it carries it out. */
  readonly verdict: Promise<string | undefined>;
}

/** Returns true if an engine listens there. */
export async function isListening(path: string): Promise<boolean> {
  using link = await openPromptLink(path);
  return link !== undefined;
}

/** The session of a prompt in a running engine. */
export interface PromptSession {
  readonly session: SessionId;
  readonly client: ClientId;
  readonly notices: readonly string[];
}

/**
 * Connects to the engine. Resolves to undefined if nobody listens.
 *
 * It uses the runtime's own sockets: `node:net` takes longer to load than the whole exchange.
 */
export async function openPromptLink(path: string): Promise<PromptLink | undefined> {
  const verdict = Promise.withResolvers<string | undefined>();
  const early: [JsonObject, number][] = [];
  let reader: PromptReader | undefined;
  let isJudged = false;
  let isClosed = false;
  let waiting = 0;
  let unsent: Uint8Array = new Uint8Array();
  let rest = "";
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const take = (line: string) => {
    const frame: JsonObject = JSON.parse(line); // the engine is the same build, and the owner's
    if (!isJudged) {
      isJudged = true;
      const { frame: kind, why, message, problem } = frame;
      verdict.resolve(kind === "shares" ? undefined : textOfJson(why ?? problem ?? message ?? "it refuses"));
      return;
    }
    waiting += line.length;
    if (waiting > WAITING_BYTES_MAX) socket?.pause();
    if (reader === undefined) early.push([frame, line.length]);
    else reader.frame(frame, line.length);
  };
  const flush = () => {
    if (unsent.length === 0 || socket === undefined) return;
    const sent = socket.write(unsent);
    if (sent > 0) unsent = unsent.subarray(sent);
  };
  const onClose = () => {
    if (isClosed) return;
    isClosed = true;
    verdict.resolve("it has closed the connection");
    reader?.closed();
  };
  let socket: Bun.Socket | undefined;
  try {
    socket = await Bun.connect({
      unix: path,
      socket: {
        data(_socket, chunk) {
          const text = rest + decoder.decode(chunk, { stream: true });
          const lines = text.split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) take(line);
        },
        drain: flush,
        close: onClose,
        error: onClose,
        end: onClose,
      },
    });
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined; // nobody listens: an engine that has died leaves its socket
  }
  const connected = socket;
  const send = (text: string) => {
    const bytes = encoder.encode(text);
    unsent = unsent.length === 0 ? bytes : Buffer.concat([unsent, bytes]);
    flush();
  };
  return {
    verdict: verdict.promise,
    send: (...frames) => send(frames.map((frame) => `${JSON.stringify(frame)}\n`).join("")),
    read(next) {
      reader = next;
      for (const [frame, bytes] of early.splice(0)) next.frame(frame, bytes);
      if (isClosed) next.closed();
    },
    taken(bytes) {
      waiting -= bytes;
      if (waiting <= WAITING_BYTES_MAX) socket?.resume();
    },
    enginePid: () => pidBehind(connected),
    [Symbol.dispose]: () => connected.end(),
  };
}

/** Returns the process at the other end. Loads what asks the system for it: that is for an engine that is silent. */
async function pidBehind(socket: Bun.Socket): Promise<number | undefined> {
  const { peerOf } = await import("../../platform/sockets/peer-credentials.ts");
  return peerOf(Reflect.get(socket, "fd"))?.pid;
}
