import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { WriteStream } from "node:tty";
import type { Clock } from "../../../base/world.ts";
import type { TypedPiece } from "../../../view/terminal/bracketed-paste.ts";
import { BracketedPaste, PASTE_OFF, PASTE_ON } from "../../../view/terminal/bracketed-paste.ts";
import { guardTerminal } from "./terminal-guard.ts";

/** Pause that distinguishes an Escape key from the beginning of a sequence. */
const ESCAPE_MS = 50;
/** A paste without an end is taken as ended after this pause. */
const PASTE_PAUSE_MS = 2_000;

export interface TtyKeysOptions {
  readonly clock: Pick<Clock, "timer">;
  /** False for a terminal that can only print: the system edits the line, and sends it when it is entered. */
  readonly canMove: boolean;
  /** Stream on which the cursor is moved. */
  readonly screen: WriteStream;
  /** Takes keys and pasted texts in order. */
  readonly take: (piece: TypedPiece) => void;
}

/** Standard input of a terminal, in raw mode and with bracketed paste if it can move its cursor. */
export interface TtyKeys extends Disposable {
  /** Input of the line editor: the keys that were passed on. */
  readonly input: Readable;
  /** Passes keys on to the editor, at once. */
  pass(keys: string): void;
  /** Turns raw mode and bracketed paste off, for the shell. */
  leave(): void;
  /** Turns them on again. */
  enter(): void;
}

export function ttyKeys({ clock, canMove, screen, take }: TtyKeysOptions): TtyKeys {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const paste = new BracketedPaste();
  const input = new Readable({ read: () => undefined });
  let pause: Disposable | undefined;
  let isEntered = false;
  let guard: Disposable | undefined;

  function read(chunk: Buffer): void {
    pause?.[Symbol.dispose]();
    for (const piece of paste.read(decoder.write(chunk))) take(piece);
    const ms = paste.isPasting ? PASTE_PAUSE_MS : ESCAPE_MS;
    pause = paste.isWaiting ? clock.timer(ms, () => paste.flush().forEach(take)) : undefined;
  }

  function end(): void {
    input.emit("end");
  }

  const keys: TtyKeys = {
    input,
    // The editor reads this input before it returns: a paste behind these keys comes after them.
    pass: (text) => void input.emit("data", Buffer.from(text)),
    leave() {
      if (!canMove || !isEntered) return;
      isEntered = false;
      guard?.[Symbol.dispose]();
      stdin.setRawMode(false); // first: it throws if the terminal is the shell's again, which must not be written to
      screen.write(PASTE_OFF);
    },
    enter() {
      if (!canMove || isEntered) return;
      isEntered = true;
      stdin.setRawMode(true);
      screen.write(PASTE_ON);
      guard = guardTerminal(clock);
    },
    [Symbol.dispose]() {
      pause?.[Symbol.dispose]();
      stdin.off("data", read);
      stdin.off("end", end);
      stdin.pause();
    },
  };
  keys.enter();
  stdin.on("data", read);
  stdin.on("end", end);
  stdin.resume(); // an earlier reader may have paused it
  return keys;
}
