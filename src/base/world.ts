import type { IdSource } from "./ids.ts";
import type { Log } from "./log.ts";

/**
 * Everything outside the program, as one argument: a test or a simulation passes another world.
 *
 * Only `platform/` and `cli/` access the clock, randomness, network, files or processes directly.
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
  /** This machine, for the system prompt and the choice of a sandbox. */
  readonly machine: Machine;
}

/**
 * Waits until this process alone holds the lock at `path`, whose folder exists. Disposing it, or any end of the
 * process, frees it. The file stays and contains nothing.
 * @throws an error of the system; the signal's reason.
 */
export type Lock = (path: string, signal: AbortSignal) => Promise<Disposable>;

export interface Machine {
  readonly platform: "linux" | "darwin" | "win32";
  /** The processor, if a system call filter supports it. */
  readonly arch?: "x64" | "arm64";
  /** Id of this process, and a text that differs for every process with the same id. */
  readonly pid: number;
  readonly processStart: string;
  /** Returns true if the process with this id and start still exists. */
  isAlive(pid: number, processStart: string): boolean;
  /**
   * Kills every process of this user with an environment variable `name` whose value begins with `value`. Resolves
   * when they have ended, or after a second. Absent if the environment of other processes cannot be read.
   */
  readonly endMarked?: (name: string, value: string) => Promise<MarkedProcesses>;
}

/** Ids of killed processes, and of those among them that are still alive. */
export interface MarkedProcesses {
  readonly killed: readonly number[];
  /** Mostly empty: a process in an uninterruptible wait, or one of another user. */
  readonly living: readonly number[];
}

export interface Clock {
  /** Milliseconds since 1970 by the machine's clock; may be set back. */
  now(): number;
  /** Milliseconds since some fixed moment, with fractions; never goes back. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back once after `ms` unless disposed before. Does not keep the process alive. */
  timer(ms: number, callback: () => void): Disposable;
}

export interface Random {
  bytes(count: number): Uint8Array;
  /** At least 0 and below 1. */
  number(): number;
}

/** Like the web's `fetch`, but never follows a redirect and always has a signal. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /**
   * Address to connect to, instead of resolving the host again. The Host header and the certificate name stay those
   * of the URL.
   */
  readonly address?: string;
}

/**
 * Returns every current IPv4 and IPv6 address of a host name; an address returns itself.
 * @throws a system error (ENOTFOUND, EAI_AGAIN …), or the signal's reason.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export type FileKind = "file" | "directory" | "symlink" | "other";

export interface FileInfo {
  readonly kind: FileKind;
  readonly size: number;
  readonly modifiedMs: number;
  /** Time of the last change of any kind, including its name. No program can set it. Absent: unknown. */
  readonly changedMs?: number;
  readonly mode: number;
  /** User id of the owner. Absent: unknown. */
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
 * The file system. Paths are absolute. Failures are Node's errors with their `code` (ENOENT, EACCES …); `codeOf`
 * reads it.
 */
export interface Files {
  /** Follows symlinks. Returns undefined if nothing exists. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Does not follow a symlink in the last component. */
  lstat(path: string): Promise<FileInfo | undefined>;
  /** Resolves every symlink; the file must exist. */
  realpath(path: string): Promise<string>;
  /** Returns the target of a symlink as it is written there; the path must be one. */
  readlink(path: string): Promise<string>;
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
  /** Appends; creates the file with `mode` if it is missing. */
  append(path: string, content: Uint8Array | string, mode?: number): Promise<void>;
  /** Creates a new file. Returns false, and changes nothing, if anything exists there, even a link. */
  createNew(path: string, content: Uint8Array | string, mode: number): Promise<boolean>;
  /** Creates a directory and its parents; an existing one is unchanged. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  remove(path: string): Promise<void>;
  /**
   * Opens a regular file for reading, by a path that was resolved before: no part of it is a symlink.
   *
   * The open file is the one at that exact path, whatever is swapped concurrently (PERM-10). `judged` is the state of
   * the file by which its reading was allowed: a small file on a local disk is then read with fewer waits.
   * @throws PathMoved if the path now leads elsewhere, to no regular file, or to another file than the judged one that
   * has several names: that may be a key.
   */
  openResolved(path: string, judged?: FileInfo): Promise<OpenFile>;
  /**
   * Like `writeAtomic`, for a path that was resolved before, with the same guarantee as `openResolved`. Creates missing
   * parents. Keeps the mode of an existing file, and its owner if possible. Returns the new state of the file.
   */
  writeResolved(path: string, content: Uint8Array | string): Promise<FileInfo>;
  /**
   * Removes anything at a path that was resolved before, with the same guarantee as `openResolved`: if a part of the
   * path now leads elsewhere or is gone, nothing is removed. Returns true if something was.
   */
  removeResolved(path: string): Promise<boolean>;
  /**
   * Lists a directory by name, with the guarantee of `openResolved`. The first `sizesMax` entries have their size, if
   * they are files.
   */
  listResolved(path: string, sizesMax: number): Promise<readonly SizedEntry[]>;
  /**
   * Creates a private directory (0700) under the machine's temporary directory, marked so that a later start removes
   * it after this process has ended.
   * @throws HarnessError TemporaryUnusable, with the path, the cause and the remedy.
   */
  makeTemporary(prefix: string): Promise<string>;
  /**
   * Returns looks that wait for no other thread at paths below these folders, for many paths that a command waits for.
   * A folder counts if a disk of this machine holds it: elsewhere a look may never return, and would hold up every
   * session. Absent: nothing is quicker here.
   */
  quickBelow?(folders: readonly string[]): Promise<Pick<Files, "stat" | "lstat" | "realpath" | "readlink">>;
}

export interface OpenFile extends AsyncDisposable {
  /** State of the open file itself, not of its path. */
  readonly info: FileInfo;
  /** Reads at most `length` bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A resolved path that now leads elsewhere: something was swapped between check and use. */
export class PathMoved extends Error {
  override readonly name = "PathMoved";
  constructor(path: string, options?: ErrorOptions) {
    super(`${path} is not what it was a moment ago: a part of it was replaced`, options);
  }
}

/** Thrown by `Files.read` for a file above the caller's limit. */
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
  /** Instead of `stdin`: it stays open, and `Child.input` writes to it. */
  readonly talks?: true;
  /** Like `talks`, for a child that reads one line before it begins: `Child.input` sends it. It has nothing to end. */
  readonly held?: true;
  /**
   * Variable in `env` with a value that no other child has: processes that left the group and still carry it are
   * ended with the group (Linux).
   */
  readonly mark?: string;
  /**
   * Further descriptors of the child, as 3, 4, …: open ones of this process, or files that are opened for reading for
   * each child. The caller still owns and closes the open ones.
   */
  readonly inherit?: readonly (number | { readonly path: string })[];
  /** Existing files that the child writes: a sandbox makes them reachable for this child. */
  readonly writes?: readonly string[];
  /**
   * Adds two descriptors after those of `inherit`: the child writes its announcement to the first, and waits for the
   * end of file on the second. The caller must call `Child.announcement.goOn`.
   */
  readonly announces?: true;
}

/**
 * Starts a process as the leader of a new group. Every process of a session is started here.
 *
 * Hold the child with `await using`: leaving its scope ends the whole group (SIGTERM, then SIGKILL). No child
 * outlives this process. If this process is killed, the group ends within some seconds, with processes that left the
 * group and carry its mark (Linux). A child that `talks` first gets a second to end by itself (REL-03).
 */
export type Spawn = (options: SpawnOptions) => Child;

export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Its standard input, if it was started with `talks` or `held`. */
  readonly input?: ChildInput;
  /** Set if it was started with `announces`. */
  readonly announcement?: Announcement;
  /** Each may be read once. Unread output blocks the child at a full pipe; nothing is buffered without a limit. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Never rejects. A program that could not be started ends with `failed`. */
  readonly exited: Promise<Exit>;
  /** Returns true if the leader has exited and left processes running. */
  leftBehind(): boolean;
  /** Signals the whole group, grandchildren included. */
  kill(signal: "SIGTERM" | "SIGKILL" | "SIGINT"): void;
}

/** First output of a child, before it begins its work. */
export interface Announcement {
  /**
   * Resolves when `isEnough` accepts what came so far, or when the child has closed its end or has ended: empty if
   * nothing came. What comes later is dropped. Call it once.
   */
  read(isEnough: (soFar: Uint8Array) => boolean): Promise<Uint8Array>;
  /** Lets the child begin. Further calls do nothing. */
  goOn(): void;
}

/** The standard input of a child. Unread data is kept in memory here, so the caller limits it. */
export interface ChildInput {
  /**
   * Resolves when the pipe has accepted it.
   * @throws a system error (EPIPE) if the reader has closed it.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** The child reads the end of file, after the written data. */
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
  /** A longer body is refused with 413 before `handle` sees it. Default: 128 MiB. */
  readonly bodyBytesMax?: number;
  /** Idle time after which a connection is closed, `keepOpen` excepted. Absent: no limit. At most 255,000. */
  readonly idleMsMax?: number;
  /** A WebSocket with a longer message is closed (1009). Default: 16 MiB. */
  readonly messageBytesMax?: number;
  /** Time without data or pong after which a WebSocket is closed, at least 8,000. Default: 120,000. */
  readonly socketIdleMsMax?: number;
  /** Handles a request. An error it throws becomes a bare 500 and a line of the operational log. */
  readonly handle: (request: Request, exchange: Exchange) => HttpAnswer | Promise<HttpAnswer>;
}

export type HttpAnswer = Response | WebSocketAnswer;

/** One request on a listener. */
export interface Exchange {
  /** Allows a stream to be silent for longer than `idleMsMax`: its sender has its own heartbeat. */
  keepOpen(): void;
}

/** Answer to an upgrade request: from then on the connection is a WebSocket. */
export interface WebSocketAnswer {
  readonly webSocket: (socket: ServerSocket) => SocketReader;
  /** The agreed subprotocol. */
  readonly protocol?: string;
}

export interface ServerSocket {
  /** Resolves when there is space for more, so that a slow reader delays only itself; false when it has closed. */
  send(text: string): Promise<boolean>;
  /**
   * Resolves when all data has left this process, or the socket has closed: closing the listener discards the rest.
   */
  flushed(): Promise<void>;
  close(code: number, reason: string): void;
}

export interface SocketReader {
  message(data: string | Uint8Array): void;
  /** Called once, whichever side closed it. */
  closed(): void;
}

/** Opens an HTTP listener; disposing it closes its connections, streams and sockets, and frees the address. */
export type Listen = (options: ListenOptions) => Promise<Listening>;

export interface Listening extends AsyncDisposable {
  /** The current address, with the real port if 0 was requested. */
  readonly address: string;
}

/** Returns the `code` of a file-system or socket error (ENOENT, EACCES, ECONNREFUSED …), if it has one. */
export function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code: unknown = Reflect.get(thrown, "code");
  return typeof code === "string" ? code : undefined;
}
