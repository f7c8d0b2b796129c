import { join } from "node:path";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { arrayAt, isObject, parseJson, stringAt } from "../../../base/json.ts";
import { decode, encode } from "../../../base/text/text.ts";
import type { Random } from "../../../base/world.ts";
import { readPrivateFile, replacePrivateFile } from "../../../safety/private-file.ts";
import type { ToolDefinition } from "../tools/definition.ts";
import { parseStoredDefinition } from "../tools/definition.ts";
import type { ServerSpec } from "./server-spec.ts";

const RECORD_BYTES_MAX = 32 * 1024 * 1024;
const UNIQUE_BYTES = 6;
const KEY_CHARACTERS = 16;
const VERSION = 1;

/** A person's approval of a server: its program and its tools. */
export interface ServerRecord {
  /** The approved SHA-256, if it differs from the declared one. */
  readonly program?: string;
  /** Omitted: the server has never listed its tools. */
  readonly tools?: readonly ToolDefinition[];
}

/** The key of a record. */
type RecordKey = Pick<ServerSpec, "name" | "declaration">;

/**
 * The approval records of servers: one private file for each declaration, in the configuration folder. Another
 * declaration under the same name has its own file and starts without approvals (S37).
 */
export class ServerRecords {
  readonly #directory: string;
  readonly #random: Random;

  constructor(directory: string, random: Random) {
    this.#directory = directory;
    this.#random = random;
  }

  /**
   * Returns undefined if there is no record.
   * @throws HarnessError McpRecordUnusable for a file that cinch did not write in this form.
   */
  async read(spec: RecordKey): Promise<ServerRecord | undefined> {
    const path = this.path(spec);
    const found = await readPrivateFile(path, RECORD_BYTES_MAX).catch((thrown: unknown) => {
      throw unusable(path, messageOf(thrown), thrown);
    });
    if (found.kind === "missing") return undefined;
    if (found.kind === "refused") throw unusable(path, `it ${found.problem}`);
    const value = parseJson(decode(found.bytes))?.value;
    if (!isObject(value) || value["version"] !== VERSION)
      throw unusable(path, "it is not what cinch writes there");
    const tools =
      value["tools"] === undefined ? undefined : arrayAt(value, "tools").map(parseStoredDefinition);
    if (tools?.every((tool) => tool !== undefined) === false) throw unusable(path, "a tool in it is invalid");
    const program = stringAt(value, "program");
    const known = tools?.filter((tool) => tool !== undefined);
    return {
      ...defined({ tools: known, program }),
    };
  }

  /** Returns the file of a record, which may not exist. */
  path({ name, declaration }: RecordKey): string {
    return join(this.#directory, `${name}-${declaration.slice(0, KEY_CHARACTERS)}.json`);
  }

  /** @throws HarnessError McpRecordUnusable if it cannot be saved. The approval then does not count. */
  async save(spec: RecordKey, { program, tools }: ServerRecord): Promise<void> {
    const path = this.path(spec);
    const value = { version: VERSION, server: spec.name, program, tools };
    try {
      const content = encode(`${JSON.stringify(value, undefined, 1)}\n`);
      await replacePrivateFile(path, content, this.#random.bytes(UNIQUE_BYTES));
    } catch (thrown) {
      throw unusable(path, messageOf(thrown), thrown);
    }
  }
}

function unusable(path: string, problem: string, cause?: unknown): HarnessError<"McpRecordUnusable"> {
  return new HarnessError("McpRecordUnusable", { path, problem }, defined({ cause }));
}
