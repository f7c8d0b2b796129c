import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { defined } from "../../../base/defined.ts";
import type { Log } from "../../../base/log.ts";
import type { ServerRecord, ServerRecords } from "../server/server-records.ts";
import type { ServerSpec } from "../server/server-spec.ts";
import type { ToolDefinition } from "./definition.ts";
import { readDefinitions } from "./definition.ts";

export interface KnownToolsDependencies {
  readonly spec: ServerSpec;
  readonly records: ServerRecords;
  readonly log: Log;
  /** Receives the names of tools that differ from the approved ones. */
  readonly onChanged: (names: readonly string[]) => void;
}

/**
 * The known tools of one server, and those that a person has approved: its first list, and later changes that were
 * accepted (S37).
 */
export class KnownTools {
  readonly #dependencies: KnownToolsDependencies;
  #record: Promise<ServerRecord | undefined> | undefined;
  #approved: ReadonlyMap<string, ToolDefinition> | undefined;
  #program: string | undefined;
  #tools: readonly ToolDefinition[] = [];

  constructor(dependencies: KnownToolsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The last list, or the approved one before the first start. The same array until it changes. */
  get tools(): readonly ToolDefinition[] {
    return this.#tools;
  }

  /** Returns what a person has not approved of a definition: the whole tool, or only its new words. */
  unapproved({ name, sha256 }: ToolDefinition): "tool" | "words" | undefined {
    const before = this.#approved?.get(name);
    if (this.#approved === undefined || before?.sha256 === sha256) return undefined;
    return before === undefined ? "tool" : "words";
  }

  /**
   * Reads the approved tools, so that they are known before the server runs.
   * @throws HarnessError McpRecordUnusable.
   */
  async load(): Promise<void> {
    this.#record ??= this.#dependencies.records.read(this.#dependencies.spec);
    const record = await this.#record;
    this.#program ??= record?.program;
    if (record?.tools === undefined || this.#approved !== undefined) return;
    this.#approved = byName(record.tools);
    if (this.#tools.length === 0) this.#tools = record.tools;
  }

  /** Returns the SHA-256 of the program that a person has approved in addition to the declared one. */
  async program(): Promise<string | undefined> {
    await this.load();
    return this.#program;
  }

  /** Takes a server's list of tools. The first list is saved as approved; later differences are reported. */
  async update(listed: readonly ListedTool[]): Promise<void> {
    const { log, onChanged } = this.#dependencies;
    const { known, problems } = readDefinitions(listed);
    for (const problem of problems) log.write("warn", "a tool is left out", { problem });
    await this.load();
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
   * Returns the tools, and their differences from the approved ones as lines for a person. There are no lines before
   * the first approval.
   * @throws HarnessError McpRecordUnusable.
   */
  async changes(): Promise<{ readonly lines: readonly string[]; readonly tools: readonly ToolDefinition[] }> {
    await this.load();
    const [approved, tools] = [this.#approved, this.#tools];
    if (approved === undefined) return { tools, lines: [] };
    const { renderToolChanges } = await import("./changes.ts");
    return { tools, lines: await renderToolChanges(approved, tools) };
  }

  /**
   * Saves a person's approval of these tools and of the program with this SHA-256.
   * @throws HarnessError McpRecordUnusable.
   */
  async approve(program: string | undefined, tools: readonly ToolDefinition[]): Promise<void> {
    await this.load();
    this.#program = program ?? this.#program;
    // Tools that were never listed cannot be approved: the first list is saved when it comes.
    const isKnown = this.#approved !== undefined || tools.length > 0;
    await this.#keep(isKnown ? tools : undefined);
  }

  /** Saves a tool as approved after a person has allowed a call of it. @throws HarnessError McpRecordUnusable. */
  async accept(tool: ToolDefinition): Promise<void> {
    if (this.unapproved(tool) === undefined) return;
    const others = [...(this.#approved?.values() ?? [])].filter(({ name }) => name !== tool.name);
    await this.#keep([...others, tool]);
  }

  async #keep(tools: readonly ToolDefinition[] | undefined): Promise<void> {
    const program = defined({ program: this.#program });
    const record = { ...program, ...defined({ tools }) };
    await this.#dependencies.records.save(this.#dependencies.spec, record);
    if (tools !== undefined) this.#approved = byName(tools);
  }
}

function byName(tools: readonly ToolDefinition[]): ReadonlyMap<string, ToolDefinition> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}
