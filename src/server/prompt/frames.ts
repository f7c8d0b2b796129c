import type { ClientId, SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { ErrorBody } from "../../protocol/resources.ts";
import type { ResumeRequest } from "../../session/options.ts";
import type { SessionWishes } from "../../session/plan.ts";

/*
 * Frames between `cinch -p` and the running engine that carries out its prompt: JSON, one a line.
 *
 * Both ends are the same build, which the first line proves, so the frames are no public protocol. The client sends the
 * owner token with a `PromptQuestion`, and may send its `PromptRequest` at once. The engine answers with a
 * `PromptVerdict`. Then the client's frames are commands and queries, and the engine's frames are those of a WebSocket,
 * beside `opened`.
 */

/** Facts that must be equal for two processes to share an engine, each as a text that reveals nothing (PERF-07). */
export interface Likeness {
  /** Version, commit and executable. */
  readonly build: string;
  /** Folders, namespaces, rights, limits, and variables that an engine reads for all its sessions, by their names. */
  readonly place: Readonly<Record<string, string>>;
  /** Content of config.toml. */
  readonly config: string;
  /** Provider keys and the machine key. */
  readonly keys: string;
  /** Values of the variables that `pass_env` names. */
  readonly passed: string;
}

/** First line of a client, beside the owner token. */
export interface PromptQuestion {
  readonly likeness: Likeness;
  /** The client's process, for the log. */
  readonly pid: number;
  /** The session to resume. One that runs in the engine already is not the prompt's own. */
  readonly resume?: ResumeRequest;
  readonly workingDir: string;
}

/** First answer of the engine: it carries out the prompt, or says why it does not. */
export type PromptVerdict =
  | { readonly frame: "shares" }
  | { readonly frame: "differs"; readonly why: string };

/** The session that a prompt runs in: all that its command line says of it. */
export interface PromptRequest {
  readonly workingDir: string;
  readonly profile?: string;
  readonly model?: string;
  readonly resume?: ResumeRequest;
  readonly wishes: Omit<SessionWishes, "attended" | "asksTrust" | "endsAtMs">;
  /** Milliseconds that are left for the whole run. Default: no limit. */
  readonly leftMs?: number;
  /** True if the client shows no delta before the turn has ended. Default: false. */
  readonly deltasMayWait?: boolean;
  /** Input to send as soon as the session is open. Its answer has id 0. Default: the client sends it later. */
  readonly input?: PromptInput;
}

export type PromptInput = Pick<CommandOf<"SendInput">, "skill" | "agent"> & {
  readonly content: readonly InputBlock[];
};

/** Line of a client that still reads its standard input, each `READING_MS`. Its request follows. */
export const READING_LINE = '{"frame":"reading"}';
export const READING_MS = 60_000;

/** Id of the answer to the input of a request. */
export const INPUT_FRAME_ID = 0;

/** A frame of the client after its request. */
export type PromptFrame =
  | { readonly frame: "command" | "query"; readonly id: number; readonly body: JsonObject }
  /** Ends the session. `left` answers once it has ended. */
  | { readonly frame: "leave" };

/** The session is open. */
export interface OpenedFrame {
  readonly frame: "opened";
  readonly session: SessionId;
  readonly client: ClientId;
  readonly notices: readonly string[];
}

/** The session could not be opened, or its events cannot be read on. Nothing follows. */
export interface FailedFrame {
  readonly frame: "failed";
  readonly body: ErrorBody;
}

/** Limit on the bytes of a line of the client, whose attachment has 4 MiB at most, before it is escaped. */
export const PROMPT_LINE_BYTES_MAX = 67_108_864;
