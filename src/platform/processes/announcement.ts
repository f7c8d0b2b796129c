import { closeSync, constants, openSync } from "node:fs";
import type { Announcement } from "../../base/world.ts";
import { openEnds, openPipe } from "./pipe.ts";

const ANNOUNCEMENT_BYTES_MAX = 65_536;

/** An announcement whose child may end before it has sent anything. */
export interface TakenAnnouncement extends Announcement {
  /** Ends the announcement with its child, even if another process keeps the child's end open. */
  end(): void;
}

export interface AnnouncementEnds extends Disposable {
  /** Descriptors of the child: the one it writes to, the one it waits on. */
  readonly numbers: readonly [number, number];
  /** Transfers the announcement: the taker must let the child begin. If untaken, disposing does. */
  take(): TakenAnnouncement;
}

/**
 * Opens the two pipes of a child that announces itself. Disposing closes the child's ends here, after it has its own.
 *
 * If this system has no pipes, both are the null device: the announcement is empty and the child does not wait.
 */
export function openAnnouncement(): AnnouncementEnds {
  const pipe = openPipe();
  const gate = pipe === undefined ? undefined : openEnds();
  if (pipe === undefined || gate === undefined) {
    pipe?.[Symbol.dispose]();
    return onNullDevice();
  }
  let isOpen = true;
  let isTaken = false;
  const goOn = () => {
    if (isOpen) closeSync(gate.writeEnd);
    isOpen = false;
  };
  return {
    numbers: [pipe.writeEnd, gate.readEnd],
    take() {
      const reader = pipe.take();
      isTaken = true;
      return {
        read: (isEnough) => readUntil(reader, isEnough),
        goOn,
        end() {
          goOn();
          void reader.cancel();
        },
      };
    },
    [Symbol.dispose]() {
      pipe[Symbol.dispose]();
      closeSync(gate.readEnd);
      if (!isTaken) goOn();
    },
  };
}

function onNullDevice(): AnnouncementEnds {
  const descriptor = openSync("/dev/null", constants.O_RDWR);
  return {
    numbers: [descriptor, descriptor],
    take: () => ({
      read: () => Promise.resolve(new Uint8Array()),
      goOn: () => undefined,
      end: () => undefined,
    }),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** Leaves the pipe open for the rest: a child that writes to a closed one would end. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  isEnough: (soFar: Uint8Array) => boolean,
): Promise<Uint8Array> {
  let soFar: Uint8Array = new Uint8Array();
  while (soFar.length < ANNOUNCEMENT_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) return soFar;
    soFar = soFar.length === 0 ? value : Buffer.concat([soFar, value]);
    if (isEnough(soFar)) return soFar;
  }
  await reader.cancel();
  return soFar;
}
