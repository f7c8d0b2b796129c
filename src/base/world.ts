import type { IdSource } from "./ids.ts";
import type { Log } from "./log.ts";

/**
 * Everything outside the program, as one argument: a test or a simulation hands in another world.
 *
 * Nothing in `src/` but `platform/` and `cli/` reaches for the clock, chance, network, files or processes itself.
 */
export interface World {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly resolve: Resolve;
  readonly files: Files;
  readonly lock: Lock;
  readonly spawn: Spawn;
  readonly listen: Listen;
  readonly log: Log;
  /** What this machine is, for the system prompt and for choosing a sandbox. */
  readonly machine: Machine;
}

/**
 * Waits until this process alone holds the lock at `path`, whose folder exists. Disposing it or the end of the process frees
 * it, however that comes. The file stays, and nothing is kept in it.
 * @throws an error of the system; the signal's reason.
 */
export type Lock = (path: string, signal: AbortSignal) => Promise<Disposable>;

export interface Machine {
  readonly platform: "linux" | "darwin" | "win32";
  /** The processor, where it is one that a filter of system calls is known for. */
  readonly arch?: "x64" | "arm64";
  /** Id of this process, and a text that differs for every process that ever had this id. */
  readonly pid: number;
  readonly processStart: string;
  /** Tells whether the process that once had this id and start is still there. */
  isAlive(pid: number, processStart: string): boolean;
  /**
   * Kills every process of this user with an environment variable `name` whose value begins with `value`, and resolves once
   * they have ended, or after a second. Absent where no other process's environment can be read.
   */
  readonly endMarked?: (name: string, value: string) => Promise<MarkedProcesses>;
}

/** Ids of processes that were killed, and of those among them that still live. */
export interface MarkedProcesses {
  readonly killed: readonly number[];
  /** Mostly empty: a process in an uninterruptible wait, or one of another user. */
  readonly living: readonly number[];
}

export interface Clock {
  /** Milliseconds since 1970, as the machine believes; may be set back. */
  now(): number;
  /** Milliseconds since some fixed moment, with fractions; never goes back. */
  monotonic(): number;
  /** Ends after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back once after `ms` unless disposed before. Holds no process open. */
  timer(ms: number, callback: () => void): Disposable;
}

export interface Random {
  bytes(count: number): Uint8Array;
  /** At least 0 and below 1. */
  number(): number;
}

/** Like the web's `fetch`, but never follows a redirect by itself and always has a signal. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /**
   * Connect to this address instead of looking the host up again. The Host header, and the name that a certificate must
   * have, stay the URL's own.
   */
  readonly address?: string;
}

/**
 * Every address that a host name has now, IPv4 and IPv6; an address has itself.
 * @throws a system error (ENOTFOUND, EAI_AGAIN …), or the signal's reason.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export type FileKind = "file" | "directory" | "symlink" | "other";

export interface FileInfo {
  readonly kind: FileKind;
  readonly size: number;
  readonly modifiedMs: number;
  /** When anything about it changed last, its name too. No program sets that time. Absent: not known. */
  readonly changedMs?: number;
  readonly mode: number;
  /** The number of its user. Absent: not known. */
  readonly owner?: number;
  /** Device and inode in one text: two paths with the same identity are the same file. */
  readonly identity: string;
  /** Number of names (hard links) of the file. Absent: unknown. */
  readonly links?: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface SizedEntry extends DirectoryEntry {
  readonly size?: number;
}

/**
 * The file system. Paths are absolute. Failures are Node's errors with their `code` (ENOENT, EACCES …);
 * `codeOf` reads it.
 */
export interface Files {
  /** Follows symlinks; undefined where nothing is. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Does not follow a symlink in the last component. */
  lstat(path: string): Promise<FileInfo | undefined>;
  /** Resolves every symlink; the file must exist. */
  realpath(path: string): Promise<string>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Reads at most `length` bytes from `offset`; fewer at the end. Never follows a symlink in the last component. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  /** Reads a whole file of at most `bytesMax`; throws a `FileTooLarge` above it. */
  read(path: string, bytesMax: number): Promise<Uint8Array>;
  /**
   * Replaces a file in one step: temporary file beside it, fsync, rename. The old mode is kept; a new file gets
   * `mode`. Readers see the old or the new content, never a part.
   */
  writeAtomic(path: string, content: Uint8Array | string, mode?: number): Promise<void>;
  /** Appends, creating the file with `mode` where it is missing. */
  append(path: string, content: Uint8Array | string, mode?: number): Promise<void>;
  /** Makes a file that is not there yet; false, and nothing changed, where anything is, a link included. */
  createNew(path: string, content: Uint8Array | string, mode: number): Promise<boolean>;
  /** Creates a directory and its parents; one that exists is left as it is. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  remove(path: string): Promise<void>;
  /**
   * Opens a regular file for reading, by a path that was resolved before: no part of it is a symlink.
   *
   * What is open is the file at that very path, whatever is swapped meanwhile (PERM-10).
   * @throws PathMoved where the path leads elsewhere by now, or to no regular file.
   */
  openResolved(path: string): Promise<OpenFile>;
  /**
   * Like `writeAtomic`, for a path that was resolved before, with the same promise as `openResolved`. Missing parents
   * are made; the mode of an existing file is kept, and its owner where that can be. Tells what the file is now.
   */
  writeResolved(path: string, content: Uint8Array | string): Promise<FileInfo>;
  /**
   * Removes what is at a path that was resolved before, whatever it is, with the same promise as `openResolved`: where a
   * part of the path leads elsewhere by now, or is gone, nothing is removed. Tells whether something was.
   */
  removeResolved(path: string): Promise<boolean>;
  /**
   * The entries of a directory in the order of their names, with the promise of `openResolved`. The first `sizesMax`
   * tell their size, where they are files.
   */
  listResolved(path: string, sizesMax: number): Promise<readonly SizedEntry[]>;
  /**
   * A new directory of this process alone (0700) under the machine's temporary directory, marked so that a later start
   * removes it once this process is gone.
   * @throws HarnessError TemporaryUnusable, with the path, the cause and the remedy.
   */
  makeTemporary(prefix: string): Promise<string>;
}

export interface OpenFile extends AsyncDisposable {
  /** Of the open file itself, not of its path. */
  readonly info: FileInfo;
  /** At most `length` bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A resolved path that leads elsewhere by now: something was swapped between check and use. */
export class PathMoved extends Error {
  override readonly name = "PathMoved";
  constructor(path: string, options?: ErrorOptions) {
    super(`${path} is not what it was a moment ago: a part of it was replaced`, options);
  }
}

/** What `Files.read` throws for a file above the caller's limit. */
export class FileTooLarge extends Error {
  override readonly name = "FileTooLarge";
  readonly size: number;
  constructor(path: string, size: number, bytesMax: number) {
    super(`${path} has ${size} bytes, more than the ${bytesMax} that are read here`);
    this.size = size;
  }
}

export interface SpawnOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent: the child reads the end of file at once. */
  readonly stdin?: string | Uint8Array;
  /** In place of `stdin`: it stays open, and `Child.input` writes to it. */
  readonly talks?: true;
  /**
   * Name of a variable in `env` whose value no other child has: processes that left the group and still carry it are
   * ended with the group (Linux).
   */
  readonly mark?: string;
  /**
   * Further descriptors of the child, as 3, 4, …: open ones of ours, or files that are opened for reading anew for each
   * child. Ours stay open here, and are ours to close.
   */
  readonly inherit?: readonly (number | { readonly path: string })[];
  /** Files of ours that exist and that the child is to write: a sandbox leaves them reachable for this one child. */
  readonly writes?: readonly string[];
  /**
   * Two further descriptors of the child, after those of `inherit`: it writes its announcement to the first, and waits for
   * the end of file on the second. Whoever sets this calls `Child.announcement.goOn`.
   */
  readonly announces?: true;
}

/**
 * Starts a process as the leader of a new group. Every process of a session is started here.
 *
 * The child is held by `await using`: leaving its scope ends the whole group (SIGTERM, then SIGKILL). No child outlives
 * this process: where it is killed, the group is ended within some seconds, with what has left the group and carries its
 * mark (Linux). A child that `talks` first gets a second to end by itself (REL-03).
 */
export type Spawn = (options: SpawnOptions) => Child;

export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Its standard input, where it was started with `talks` and could be started. */
  readonly input?: ChildInput;
  /** Set where it was started with `announces` and could be started. */
  readonly announcement?: Announcement;
  /** Both may be read once. Not reading them stops the child at a full pipe; nothing is buffered without bound. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Never rejects. A program that could not be started ends with `failed`. */
  readonly exited: Promise<Exit>;
  /** Whether the leader has exited and left processes of its own running. */
  leftBehind(): boolean;
  /** Signals the whole group, grandchildren included. */
  kill(signal: "SIGTERM" | "SIGKILL" | "SIGINT"): void;
}

/** First output of a child, before it begins its work. */
export interface Announcement {
  /** Resolves once the child has closed its end, or has ended: empty where nothing came. Call it once. */
  said(): Promise<Uint8Array>;
  /** Lets the child begin. Further calls do nothing. */
  goOn(): void;
}

/** The standard input of a child. What it does not read is held in memory here, so whoever writes bounds that. */
export interface ChildInput {
  /**
   * Resolves once the pipe has taken it.
   * @throws a system error (EPIPE) where nobody reads any more.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** The child reads the end of file, after what was written. */
  end(): void;
}

export type Exit =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "failed"; readonly error: Error };

export interface ListenOptions {
  readonly target:
    | { readonly kind: "tcp"; readonly hostname: string; readonly port: number }
    | { readonly kind: "unix"; readonly path: string };
  /** Certificate and key, as PEM texts. Absent: no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A longer body is refused with 413 before `handle` sees it. Absent: 128 MiB. */
  readonly bodyBytesMax?: number;
  /** A connection on which nothing moves for so long is closed, `keepOpen` excepted. Absent: none is. At most 255,000. */
  readonly idleMsMax?: number;
  /** A WebSocket with a longer message is closed (1009). Absent: 16 MiB. */
  readonly messageBytesMax?: number;
  /** A WebSocket is closed whose peer takes nothing and answers no ping for so long, from 8,000 on. Absent: 120,000. */
  readonly socketIdleMsMax?: number;
  /** What it throws becomes a bare 500, and is told in the operational log. */
  readonly handle: (request: Request, exchange: Exchange) => HttpAnswer | Promise<HttpAnswer>;
}

export type HttpAnswer = Response | WebSocketAnswer;

/** One request on a listener. */
export interface Exchange {
  /** Lets a stream be silent for longer than `idleMsMax`: whoever sends it has its own heartbeat. */
  keepOpen(): void;
}

/** Answers a request to upgrade: from then on the connection is a WebSocket. */
export interface WebSocketAnswer {
  readonly webSocket: (socket: ServerSocket) => SocketReader;
  /** The subprotocol that was agreed upon. */
  readonly protocol?: string;
}

export interface ServerSocket {
  /** Resolves once there is room for more, so that a slow reader holds up nobody but itself; false once it has closed. */
  send(text: string): Promise<boolean>;
  /** Resolves once all that was sent has left this process, or the socket has closed: a listener that closes cuts off the rest. */
  flushed(): Promise<void>;
  close(code: number, reason: string): void;
}

export interface SocketReader {
  message(data: string | Uint8Array): void;
  /** Called once, whoever closed it. */
  closed(): void;
}

/** Opens an HTTP listener; disposing it closes its connections, streams and sockets, and frees the address. */
export type Listen = (options: ListenOptions) => Promise<Listening>;

export interface Listening extends AsyncDisposable {
  /** Where it listens now: the real port where 0 was asked for. */
  readonly address: string;
}

/** The `code` of a file-system or socket error (ENOENT, EACCES, ECONNREFUSED …), where it has one. */
export function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code: unknown = Reflect.get(thrown, "code");
  return typeof code === "string" ? code : undefined;
}
