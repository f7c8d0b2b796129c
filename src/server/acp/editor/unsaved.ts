import { isAbsolute } from "node:path";
import type { AgentContext, ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { messageOf } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { UNSAVED_FILES_MAX } from "../../../protocol/commands/run-limits.ts";
import type { SentBlock } from "../../../protocol/content.ts";
import { namedFile } from "./named-file.ts";

/** Milliseconds for all questions of one prompt. */
const READ_MS_MAX = 5_000;
const DISK_BYTES_MAX = 4 * 1024 * 1024;

interface UnsavedDependencies {
  readonly world: Pick<World, "files" | "clock" | "log">;
  readonly client: AgentContext;
  /** Name of the session in the editor. */
  readonly session: string;
}

/**
 * Finds files of a session that have unsaved changes in the editor, so that these count: tools read the disk, which
 * the person has in front of them in another state.
 *
 * Only files that the session has used, or that the person names in the prompt, are asked for. The engine judges each
 * text that is found as a read of its file.
 */
export class UnsavedFiles {
  readonly #parts: UnsavedDependencies;
  /** In the order of their last use. */
  readonly #used = new Set<string>();

  constructor(parts: UnsavedDependencies) {
    this.#parts = parts;
  }

  /** Notes a file that a call has used. Absolute. */
  used(path: string): void {
    this.#used.delete(path);
    this.#used.add(path);
    const [oldest] = this.#used;
    if (this.#used.size > UNSAVED_FILES_MAX && oldest !== undefined) this.#used.delete(oldest);
  }

  /** Returns blocks with the unsaved text of each such file for the end of a prompt, the newest first. */
  async blocks(prompt: readonly ContentBlock[], signal: AbortSignal): Promise<readonly SentBlock[]> {
    const attached = new Set<string>();
    for (const block of prompt) {
      const linked = block.type === "resource_link" ? namedFile(block.uri) : undefined;
      if (linked?.isHere === true && isAbsolute(linked.path)) this.used(linked.path);
      const whole = block.type === "resource" ? namedFile(block.resource.uri) : undefined;
      if (whole !== undefined && whole.lines === undefined) attached.add(whole.path);
    }
    using limit = deadline(this.#parts.world.clock, READ_MS_MAX, signal);
    const newest = [...this.#used].filter((path) => !attached.has(path)).reverse();
    const texts = await Promise.all(newest.map((path) => this.#content(path, limit.signal)));
    return newest.flatMap((path, at): SentBlock[] => {
      const text = texts[at];
      return text === undefined ? [] : [{ type: "unsaved", path, text }];
    });
  }

  /** Returns true if the editor holds another text of a file than the disk. One that fails does not. */
  async has(path: string): Promise<boolean> {
    using limit = deadline(this.#parts.world.clock, READ_MS_MAX, new AbortController().signal);
    return (await this.#content(path, limit.signal)) !== undefined;
  }

  /** Returns the text of a file in the editor; undefined if it is the one on disk. */
  async #content(path: string, signal: AbortSignal): Promise<string | undefined> {
    const { client, session: sessionId, world } = this.#parts;
    try {
      const request = client.request(
        "fs/read_text_file",
        { sessionId, path },
        { cancellationSignal: signal },
      );
      const { content } = await whileAlive(request, signal);
      return withLineFeeds(content) === withLineFeeds(await this.#onDisk(path)) ? undefined : content;
    } catch (thrown) {
      // It has no such file, or does not answer in time: the disk counts.
      world.log.for("acp").write("debug", "an editor did not read a file", { problem: messageOf(thrown) });
      return undefined;
    }
  }

  /** Returns "" for a missing file. */
  async #onDisk(path: string): Promise<string> {
    const { files } = this.#parts.world;
    if ((await files.stat(path)) === undefined) return "";
    return decode(await files.read(path, DISK_BYTES_MAX));
  }
}

/** Editors hold a text with line feeds, whatever ends the lines of its file. */
function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
