import type { NoticeWays } from "../../../view/notified-events.ts";

/** The machine that the person sits at, as this client uses it. Nothing here belongs to the engine's workspace. */
export interface Host {
  /** The variables of the user's environment, for `TERM`, `TMUX`, `SSH_TTY` and the like. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Runs a program on the terminal and waits for its end. The caller has suspended the screen.
   * @param command words of a shell, as `$EDITOR` has them; the file is added as the last word.
   * @returns the exit code.
   * @throws an error of the system if it cannot be started.
   */
  runOnTerminal(command: string, path: string): Promise<number>;
  /** Runs this program with other words on the terminal, and waits for Enter. The screen is suspended. */
  runOwn(words: readonly string[]): Promise<void>;
  /**
   * Runs a program without a terminal; returns at most `bytesMax` of its output, undefined if it fails or is missing.
   */
  output(command: readonly string[], bytesMax: number): Promise<Uint8Array | undefined>;
  /** Runs a program with a text as its input. Returns false if it fails or is missing. */
  feed(command: readonly string[], text: string): Promise<boolean>;
  /** Writes a text into a new file that only this user can read, in a folder of its own; returns its path. */
  writePrivate(name: string, text: string): Promise<string>;
  /** Reads a file, of at most `bytesMax`. @throws an error of the system. */
  read(path: string, bytesMax: number): Promise<Uint8Array>;
  /** Removes a file of `writePrivate`, with its folder. */
  removePrivate(path: string): Promise<void>;
  /** Reads the file of the client's settings; undefined without one. */
  readSettings(): Promise<string | undefined>;
  /** Replaces that file whole, also if a write before was cut off. */
  writeSettings(text: string): Promise<void>;
  /** Reads what the configuration notifies of. @throws HarnessError if it is not valid. */
  noticeWays(): Promise<NoticeWays>;
  /** The path of that file, for messages. */
  readonly settingsPath: string;
}
