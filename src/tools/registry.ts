import { HarnessError } from "../base/errors.ts";
import type { JsonSchema } from "../base/json.ts";
import { isObject, stringAt } from "../base/json.ts";
import { near } from "../base/text/near.ts";
import type { Tool, ToolSource } from "./tool.ts";
import { DESCRIPTION_CHARACTERS_MAX, ToolFailure } from "./tool.ts";
import { CALL_TOOL, callTool, innerInput, TOOL_SEARCH, toolSearch } from "./tool-search.ts";

/** Every provider takes these names as they are. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const OWN_NAME = "cinch itself";

/** Declaration of a tool for the model (TOOL-08). */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** A call with its tool found: `name` and `input` are what permissions, events and the log see. */
export interface ResolvedCall {
  readonly tool: Tool;
  readonly name: string;
  readonly input: unknown;
}

/**
 * All tools of a session, from whatever source, under one set of rules (TOOL-06).
 *
 * Names are unique over all sources. What is declared to the model depends only on what was added, and its order is
 * the order of adding, so that the cached prefix of requests holds (LIB-07): once `ready` has resolved it stays the same
 * until `refresh`, whatever a late source learns or loses meanwhile. What came later is found by ToolSearch.
 */
export class ToolRegistry {
  readonly #tools = new Map<string, Entry>();
  readonly #late: ToolSource[] = [];
  readonly #search = toolSearch(
    async (signal) => {
      await settled(this.#late, signal);
      return this.#undeclared();
    },
    () => this.#fixed?.origins ?? this.#origins(),
  );
  readonly #call = callTool();
  #isRestricted = false;
  /** What is declared, and what is told of the rest. */
  #fixed: { readonly tools: readonly Tool[]; readonly origins: readonly string[] } | undefined;

  /**
   * Takes all tools of a source, or none. What a late source learns afterwards is held to the same rules one by one: a
   * tool that breaks them, or whose name is taken, is left out.
   * @throws HarnessError ToolNameTaken, which names both sources, or ToolInvalid.
   */
  add(source: ToolSource): void {
    if (source.late !== undefined) {
      this.#late.push(source);
      return;
    }
    const tools = source.tools();
    const added = new Set<string>();
    for (const tool of tools) {
      const problem = toolProblem(tool);
      if (problem !== undefined) {
        throw new HarnessError("ToolInvalid", { name: tool.name, source: source.name, problem });
      }
      const holder = added.has(tool.name) ? source.name : this.#holderOf(tool.name);
      if (holder !== undefined) {
        throw new HarnessError("ToolNameTaken", { name: tool.name, first: holder, second: source.name });
      }
      added.add(tool.name);
    }
    for (const tool of tools) this.#tools.set(tool.name, { tool, source: source.name });
  }

  /** The same tools as far as their names may be seen, to be declared on their own: those of a sub-agent (ENG-10). */
  restrictedTo(isVisible: (tool: Tool) => boolean): ToolRegistry {
    const restricted = new ToolRegistry();
    restricted.#isRestricted = true;
    for (const [name, entry] of this.#tools) if (isVisible(entry.tool)) restricted.#tools.set(name, entry);
    for (const source of this.#late) {
      const tools = () => source.tools().filter(isVisible);
      restricted.#late.push({ ...source, tools });
    }
    return restricted;
  }

  /** Whether a source learns of its tools while the session runs: then `ready` comes before the first request. */
  get isLate(): boolean {
    return this.#late.length > 0;
  }

  /**
   * Waits for the sources whose tools are to be declared, and fixes what is declared from now on.
   * @throws the signal's reason.
   */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#fixed !== undefined) return;
    await settled(
      this.#late.filter(({ late }) => late?.awaited === true),
      signal,
    );
    this.#fixed = { tools: this.#eager(), origins: this.#origins() };
  }

  /** A person has changed what there is: the next `ready` fixes anew what is declared. */
  refresh(): void {
    this.#fixed = undefined;
  }

  /** The tool of this name, lazy ones included. */
  find(name: string): Tool | undefined {
    if (this.#isSearchable) {
      if (name === TOOL_SEARCH) return this.#search;
      if (name === CALL_TOOL) return this.#call;
    }
    return this.#all().get(name)?.tool;
  }

  /** Every tool there is now, with the name of its source, declared or not. */
  list(): readonly { readonly tool: Tool; readonly source: string }[] {
    return [...this.#all().values()];
  }

  /** What goes into every request: all tools but the lazy ones, and the way to those where there are any. */
  declared(): readonly ToolDeclaration[] {
    const eager = this.#fixed?.tools ?? this.#eager();
    const shown = this.#isSearchable ? [...eager, this.#search, this.#call] : eager;
    return shown.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  /**
   * Finds the tool that a call of the model means. A CallTool is unwrapped, so that what it calls runs under its own
   * name everywhere else. A name that nobody has gives a tool that fails with a text that names the near ones.
   */
  resolve(name: string, input: unknown): ResolvedCall {
    if (name === CALL_TOOL && this.find(CALL_TOOL) !== undefined) {
      const inner = stringAt(input, "name");
      if (inner !== undefined && inner !== CALL_TOOL) return this.#resolveNamed(inner, innerInput(input));
    }
    return this.#resolveNamed(name, input);
  }

  #resolveNamed(name: string, input: unknown): ResolvedCall {
    return { tool: this.find(name) ?? missing(name, this.#unknown(name)), name, input };
  }

  #unknown(name: string): string {
    const names = [...this.#all().keys()];
    if (names.length === 0) return `There is no tool ${quoted(name)}: this session has no tools at all.`;
    const meant = near(name, names);
    return meant.length > 0
      ? `There is no tool ${quoted(name)}. Did you mean ${meant.join(" or ")}?`
      : `There is no tool ${quoted(name)}. There are: ${this.declared()
          .map((tool) => tool.name)
          .join(", ")}.`;
  }

  /** Those that were added, then what late sources know by now. */
  #all(): ReadonlyMap<string, Entry> {
    if (this.#late.length === 0) return this.#tools;
    const all = new Map(this.#tools);
    for (const source of this.#late) {
      for (const tool of source.tools()) {
        const isFree = !all.has(tool.name) && tool.name !== TOOL_SEARCH && tool.name !== CALL_TOOL;
        if (isFree && toolProblem(tool) === undefined) all.set(tool.name, { tool, source: source.name });
      }
    }
    return all;
  }

  #eager(): readonly Tool[] {
    return [...this.#all().values()].flatMap(({ tool }) => (tool.lazy === true ? [] : [tool]));
  }

  /** What the tools come from that are found only. A sub-agent is told of those that it sees tools of. */
  #origins(): readonly string[] {
    const isTold = (each: ToolSource) => !this.#isRestricted || each.tools().length > 0;
    return this.#late
      .filter((each) => each.late?.awaited === false && isTold(each))
      .flatMap(({ late }) => late?.origins ?? []);
  }

  #undeclared(): readonly Tool[] {
    const declared = new Set((this.#fixed?.tools ?? this.#eager()).map(({ name }) => name));
    return [...this.#all().values()].flatMap(({ tool }) => (declared.has(tool.name) ? [] : [tool]));
  }

  get #isSearchable(): boolean {
    return this.isLate || [...this.#tools.values()].some(({ tool }) => tool.lazy === true);
  }

  #holderOf(name: string): string | undefined {
    return name === TOOL_SEARCH || name === CALL_TOOL ? OWN_NAME : this.#tools.get(name)?.source;
  }
}

interface Entry {
  readonly tool: Tool;
  readonly source: string;
}

async function settled(sources: readonly ToolSource[], signal: AbortSignal): Promise<void> {
  await Promise.all(sources.map(({ late }) => late?.ready(signal)));
}

/** What is wrong with a tool; undefined where nothing is. */
export function toolProblem(tool: Tool): string | undefined {
  if (!NAME.test(tool.name)) return "a name is 1 to 64 letters, digits, underscores and dashes";
  if (tool.description.trim() === "") return "it has no description";
  if (tool.description.length > DESCRIPTION_CHARACTERS_MAX) {
    return `its description has ${tool.description.length} characters, more than ${DESCRIPTION_CHARACTERS_MAX}`;
  }
  if (!isObject(tool.inputSchema) || tool.inputSchema["type"] !== "object") {
    return 'its input schema is not of type "object"';
  }
  return undefined;
}

/** Stands in for a tool that is not there, so that the call is answered like any other that fails. */
function missing(name: string, text: string): Tool {
  return {
    name,
    description: "not there",
    missing: true,
    inputSchema: {},
    mutating: true,
    level: "DangerFullAccess",
    plan: () => Promise.reject(new ToolFailure(text)),
    run: () => Promise.reject(new ToolFailure(text)),
  };
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 80).toWellFormed());
}
