import type { Message, MessageConnection } from "vscode-jsonrpc/node";
import { messageOf } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { Child } from "../../../base/world.ts";
import { frameMessage, parseFrames } from "./framing.ts";

/** Limit for messages during one check: a server that sends more floods, and is ended. */
const MESSAGES_MAX = 20_000;
/** Limit for the bytes of all of them: each is parsed in the engine's own time. */
const BYTES_MAX = 64 * 1_048_576;

/** The connection to a language server, and the reason for its end. */
export interface ServerConnection {
  readonly connection: MessageConnection;
  /** Resolves with the reason when no more messages can arrive; never rejects. */
  readonly over: Promise<string>;
  /** Resets the limits at the start of a check. */
  fresh(): void;
}

/** Connects to a language server that was started with `talks`, with the library of the protocol's authors. */
export async function connectServer(child: Child): Promise<ServerConnection> {
  const { createMessageConnection, AbstractMessageReader, AbstractMessageWriter } = await import(
    "vscode-jsonrpc/node"
  );
  let messages = 0;
  let bytes = 0;
  const over = Promise.withResolvers<string>();

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of child.stdout) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) throw new Error("it floods");
      yield chunk;
    }
  }

  class Reader extends AbstractMessageReader {
    listen(callback: (message: Message) => void) {
      this.#read(callback).then(
        () => over.resolve("it has ended"),
        (thrown: unknown) => over.resolve(messageOf(thrown)),
      );
      return { dispose: () => undefined };
    }

    async #read(callback: (message: Message) => void): Promise<void> {
      for await (const message of parseFrames(counted())) {
        messages += 1;
        if (messages > MESSAGES_MAX) throw new Error("it floods");
        if (isMessage(message)) callback(message);
      }
    }
  }

  class Writer extends AbstractMessageWriter {
    async write(message: Message): Promise<void> {
      if (child.input === undefined) throw new Error("it has no input");
      try {
        await child.input.write(frameMessage(message));
      } catch (thrown) {
        // Usually it has ended, which shows a moment later. A server that lives and does not read is useless.
        child.kill("SIGKILL");
        throw new Error(await over.promise, { cause: thrown });
      }
    }

    end(): void {
      child.input?.end();
    }
  }

  const connection = createMessageConnection(new Reader(), new Writer());
  return {
    connection,
    over: over.promise,
    fresh: () => {
      messages = 0;
      bytes = 0;
    },
  };
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && value["jsonrpc"] === "2.0";
}
