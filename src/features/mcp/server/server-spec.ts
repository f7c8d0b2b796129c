/** A server with all settings resolved for a session. */
export type ServerSpec = ProgramSpec | RemoteSpec;

interface CommonSpec {
  readonly name: string;
  /** Differs if anything about the server differs. Sessions with the same identity share the server (MCP-05). */
  readonly identity: string;
  /** SHA-256 of the declaration in its file. Approvals are bound to it. */
  readonly declaration: string;
  /** Default: decided by the number of its tools (MCP-02). */
  readonly discovery?: "eager" | "lazy";
  readonly eagerToolsMax: number;
  /** The longest time for one call. */
  readonly callMsMax: number;
  /** The declaring file, for messages. */
  readonly declaredIn: string;
}

/** A server that is started as a program. */
export interface ProgramSpec extends CommonSpec {
  readonly transport: "stdio";
  /** An absolute path, or a name without a slash. */
  readonly cmd: string;
  readonly args: readonly string[];
  /** An absolute path to an existing folder. */
  readonly cwd: string;
  /** The complete environment of the process. `cmd` is looked up in its `PATH`. */
  readonly env: Readonly<Record<string, string>>;
  /** The required SHA-256 of the program (MCP-04). */
  readonly sha256?: string;
}

/** A server reached over HTTP. */
export interface RemoteSpec extends CommonSpec {
  /** `http` is streamable HTTP; `sse` is the older HTTP with server-sent events. */
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer: boolean;
  readonly clientId?: string;
  readonly scopes: readonly string[];
}
