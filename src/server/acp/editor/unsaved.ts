import { fileURLToPath } from "node:url";
import type { AgentContext, ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { messageOf } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { fence } from "../../../safety/fence.ts";

/** Files of one session that an editor is asked about, the newest. */
export const UNSAVED_FILES_MAX = 32;
/** Characters of one unsaved file that go to the model. */
export const UNSAVED_CHARACTERS_MAX = 262_144;
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
 * Only files that the session has used, or that the person names in the prompt, are asked for.
 */
export class UnsavedFiles {
  readonly #parts: UnsavedDependencies;
  /** In the order of their last use. */
  readonly #used = new Set<string>();

  constructor(parts: UnsavedDependencies) {
    this.#parts = parts;
  }

  /** Notes a file that a call has named. Absolute. */
  used(path: string): void {
    this.#used.delete(path);
    this.#used.add(path);
    const [oldest] = this.#used;
    if (this.#used.size > UNSAVED_FILES_MAX && oldest !== undefined) this.#used.delete(oldest);
  }

  /** Returns blocks with the unsaved text of each such file, for the end of a prompt. An editor that fails has none. */
  async blocks(prompt: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
    for (const block of prompt) {
      const path = block.type === "resource_link" ? pathOf(block.uri) : undefined;
      if (path !== undefined) this.used(path);
    }
    const { clock } = this.#parts.world;
    using limit = deadline(clock, READ_MS_MAX, new AbortController().signal);
    const found = await Promise.all([...this.#used].map((path) => this.#unsaved(path, limit.signal)));
    return found.filter((block) => block !== undefined);
  }

  /** Returns true if the editor holds another text of a file than the disk. One that fails does not. */
  async has(path: string): Promise<boolean> {
    using limit = deadline(this.#parts.world.clock, READ_MS_MAX, new AbortController().signal);
    return (await this.#content(path, limit.signal)) !== undefined;
  }

  async #unsaved(path: string, signal: AbortSignal): Promise<ContentBlock | undefined> {
    const content = await this.#content(path, signal);
    if (content === undefined || content.length > UNSAVED_CHARACTERS_MAX) return undefined;
    const text = fence("attachment", content);
    return {
      type: "text",
      text: `${path} has unsaved changes in the editor; tools see the saved file. Its unsaved content:\n${text ?? "(empty)"}`,
    };
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
      return content === (await this.#onDisk(path)) ? undefined : content;
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

function pathOf(uri: string): string | undefined {
  const url = uri.startsWith("file:") ? URL.parse(uri) : null;
  if (url === null) return undefined;
  url.hash = "";
  try {
    return fileURLToPath(url);
  } catch {
    return undefined; // no path of this machine
  }
}
