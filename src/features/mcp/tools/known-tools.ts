import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import type { Log } from "../../../base/log.ts";
import type { Records, ServerRecord } from "../server/records.ts";
import type { ServerSpec } from "../server/server-spec.ts";
import type { Definition } from "./definition.ts";
import { definitionsFrom } from "./definition.ts";

export interface KnownToolsParts {
  readonly spec: ServerSpec;
  readonly records: Records;
  readonly log: Log;
  /** Told of tools that are others than those that were approved. */
  readonly onChanged: (names: readonly string[]) => void;
}

/**
 * What is known of the tools of one server, and what of that a person has let pass: what it said the first time, and what
 * was accepted since (S37).
 */
export class KnownTools {
  readonly #parts: KnownToolsParts;
  #record: Promise<ServerRecord | undefined> | undefined;
  #approved: ReadonlyMap<string, Definition> | undefined;
  #program: string | undefined;
  #tools: readonly Definition[] = [];

  constructor(parts: KnownToolsParts) {
    this.#parts = parts;
  }

  /** What it said last, else what it said when it was approved. The same list until that changes. */
  get tools(): readonly Definition[] {
    return this.#tools;
  }

  /** What of a definition a person has not let pass yet: all of the tool, or that it says something else than before. */
  unapproved({ name, sha256 }: Definition): "tool" | "words" | undefined {
    const before = this.#approved?.get(name);
    if (this.#approved === undefined || before?.sha256 === sha256) return undefined;
    return before === undefined ? "tool" : "words";
  }

  /**
   * Reads what was approved, so that its tools are known before it runs.
   * @throws HarnessError McpRecordUnusable.
   */
  async recall(): Promise<void> {
    this.#record ??= this.#parts.records.read(this.#parts.spec);
    const record = await this.#record;
    this.#program ??= record?.program;
    if (record?.tools === undefined || this.#approved !== undefined) return;
    this.#approved = byName(record.tools);
    if (this.#tools.length === 0) this.#tools = record.tools;
  }

  /** The SHA-256 of the program that a person has approved beside the declared one. */
  async program(): Promise<string | undefined> {
    await this.recall();
    return this.#program;
  }

  /** Takes what the server lists. The first time all of it is remembered; later, what is another than that is told. */
  async learn(listed: readonly ListedTool[]): Promise<void> {
    const { log, onChanged } = this.#parts;
    const { known, problems } = definitionsFrom(listed);
    for (const problem of problems) log.write("warn", "a tool is left out", { problem });
    await this.recall();
    const before = this.#tools;
    const isSame =
      known.length === before.length && known.every((tool, at) => tool.sha256 === before[at]?.sha256);
    if (!isSame) this.#tools = known;
    if (this.#approved === undefined) return await this.#keep(known);
    const changed = known.flatMap((tool) => {
      const what = this.unapproved(tool);
      if (what === undefined) return [];
      return [what === "tool" ? `${tool.name} (new)` : tool.name];
    });
    if (changed.length > 0 && !isSame) onChanged(changed);
  }

  /**
   * What of the tools as they are now a person has not let pass, in lines for them; none where nothing was approved yet.
   * @throws HarnessError McpRecordUnusable.
   */
  async changes(): Promise<{ readonly lines: readonly string[]; readonly tools: readonly Definition[] }> {
    await this.recall();
    const [approved, tools] = [this.#approved, this.#tools];
    if (approved === undefined) return { tools, lines: [] };
    const { toolChanges } = await import("./changes.ts");
    return { tools, lines: await toolChanges(approved, tools) };
  }

  /**
   * A person accepts these tools, and the program that has this SHA-256.
   * @throws HarnessError McpRecordUnusable.
   */
  async approve(program: string | undefined, tools: readonly Definition[]): Promise<void> {
    await this.recall();
    this.#program = program ?? this.#program;
    // What it has never said cannot be accepted: it is remembered as it comes.
    const isKnown = this.#approved !== undefined || tools.length > 0;
    await this.#keep(isKnown ? tools : undefined);
  }

  /** A person has allowed a call of a tool as it is now. @throws HarnessError McpRecordUnusable. */
  async accept(tool: Definition): Promise<void> {
    if (this.unapproved(tool) === undefined) return;
    const others = [...(this.#approved?.values() ?? [])].filter(({ name }) => name !== tool.name);
    await this.#keep([...others, tool]);
  }

  async #keep(tools: readonly Definition[] | undefined): Promise<void> {
    const program = this.#program === undefined ? {} : { program: this.#program };
    const record = { ...program, ...(tools === undefined ? {} : { tools }) };
    await this.#parts.records.keep(this.#parts.spec, record);
    if (tools !== undefined) this.#approved = byName(tools);
  }
}

function byName(tools: readonly Definition[]): ReadonlyMap<string, Definition> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}
