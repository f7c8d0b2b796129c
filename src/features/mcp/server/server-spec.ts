/** One server as a session wants it: a declaration in which nothing is left open. */
export type ServerSpec = CommandSpec | AddressSpec;

interface CommonSpec {
  readonly name: string;
  /** A text that differs wherever anything about the server does: sessions with the same one share it (MCP-05). */
  readonly identity: string;
  /** A SHA-256 of the declaration as it stands in its file: what a person has approved is bound to it. */
  readonly declaration: string;
  /** Absent: by the number of its tools (MCP-02). */
  readonly discovery?: "eager" | "lazy";
  readonly eagerToolsMax: number;
  /** How long one call may take. */
  readonly callMsMax: number;
  /** The file that declares it, for messages. */
  readonly declaredIn: string;
}

/** A program that is started. */
export interface CommandSpec extends CommonSpec {
  readonly transport: "stdio";
  /** Absolute, or a name without a slash. */
  readonly cmd: string;
  readonly args: readonly string[];
  /** Absolute, and there. */
  readonly cwd: string;
  /** The whole environment of the process. `PATH` in it is where `cmd` is looked for. */
  readonly env: Readonly<Record<string, string>>;
  /** What the program has to be, as SHA-256 (MCP-04). */
  readonly sha256?: string;
}

/** A server that is reached over HTTP. */
export interface AddressSpec extends CommonSpec {
  /** `http` is streamable HTTP, `sse` the older HTTP with server-sent events. */
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer: boolean;
  readonly clientId?: string;
  readonly scopes: readonly string[];
}
