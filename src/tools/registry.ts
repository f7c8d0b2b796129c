import { HarnessError } from "../base/errors.ts";
import type { JsonSchema } from "../base/json.ts";
import { isObject, stringAt } from "../base/json.ts";
import { nearestWords } from "../base/text/near.ts";
import type { Tool, ToolSource } from "./tool.ts";
import { DESCRIPTION_CHARACTERS_MAX, ToolFailure } from "./tool.ts";
import { CALL_TOOL, callToolTool, TOOL_SEARCH, toolSearchTool, unwrapInput } from "./tool-search.ts";

/** Every provider accepts these names unchanged. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const OWN_NAME = "cinch itself";

/** Declaration of a tool for the model (TOOL-08). */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** A call and its tool: permissions, events and the log use `name` and `input`. */
export interface ResolvedCall {
  readonly tool: Tool;
  readonly name: string;
  readonly input: unknown;
}

/**
 * All tools of a session, from any source, under one set of rules (TOOL-06).
 *
 * Names are unique over all sources. Declarations depend only on the added tools and keep their order, so that the
 * cached prefix of requests stays valid (LIB-07). After `ready` they stay the same until `refresh`, even if a late
 * source gains or loses tools. Tools that came later are found by ToolSearch.
 */
export class ToolRegistry {
  readonly #tools = new Map<string, Entry>();
  readonly #late: ToolSource[] = [];
  readonly #search = toolSearchTool(
    async (signal) => {
      await settled(this.#late, signal);
      return this.#undeclared();
    },
    () => this.#fixed?.origins ?? this.#origins(),
  );
  readonly #call = callToolTool();
  #isRestricted = false;
  /** The declared tools, and the origins of the others. */
  #fixed: { readonly tools: readonly Tool[]; readonly origins: readonly string[] } | undefined;
  /** The last declarations. Absent: the tools may have changed since. */
  #declared: readonly ToolDeclaration[] | undefined;

  /**
   * Adds all tools of a source, or none. Later tools of a late source are checked by the same rules one by one: an
   * invalid tool, or one whose name is taken, is left out.
   * @throws HarnessError ToolNameTaken, which names both sources, or ToolInvalid.
   */
  add(source: ToolSource): void {
    this.#declared = undefined;
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

  /** Returns a registry with the visible tools only, for a sub-agent (ENG-10). */
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

  /** True if a source learns of its tools while the session runs: then call `ready` before the first request. */
  get isLate(): boolean {
    return this.#late.length > 0;
  }

  /**
   * Waits for the sources whose tools are to be declared, and fixes the declarations.
   * @throws the signal's reason.
   */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#fixed !== undefined) return;
    await settled(
      this.#late.filter(({ late }) => late?.awaited === true),
      signal,
    );
    this.#fixed = { tools: this.#eager(), origins: this.#origins() };
    this.#declared = undefined;
  }

  /** Lets the next `ready` fix the declarations again, after the user changed the tools. */
  refresh(): void {
    this.#fixed = undefined;
    this.#declared = undefined;
  }

  /** Returns the tool of this name, lazy ones included. */
  find(name: string): Tool | undefined {
    if (this.#isSearchable) {
      if (name === TOOL_SEARCH) return this.#search;
      if (name === CALL_TOOL) return this.#call;
    }
    return this.#all().get(name)?.tool;
  }

  /** Lists every current tool with the name of its source, declared or not. */
  list(): readonly { readonly tool: Tool; readonly source: string }[] {
    return [...this.#all().values()];
  }

  /**
   * Returns the declarations of every request: all tools except lazy ones, and ToolSearch and CallTool if there are
   * lazy ones. The same list until the tools change: what is made of it for a request can be kept.
   */
  declared(): readonly ToolDeclaration[] {
    if (this.#declared !== undefined) return this.#declared;
    const eager = this.#fixed?.tools ?? this.#eager();
    const shown = this.#isSearchable ? [...eager, this.#search, this.#call] : eager;
    const declared = shown.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    // The tools of a late source change without notice until they are fixed.
    if (!this.isLate || this.#fixed !== undefined) this.#declared = declared;
    return declared;
  }

  /**
   * Finds the tool of a call. A CallTool is unwrapped, so that the inner call runs under its own name everywhere
   * else. An unknown name returns a tool that fails with a text that suggests similar names.
   */
  resolve(name: string, input: unknown): ResolvedCall {
    if (name === CALL_TOOL && this.find(CALL_TOOL) !== undefined) {
      const inner = stringAt(input, "name");
      if (inner !== undefined && inner !== CALL_TOOL) return this.#resolveNamed(inner, unwrapInput(input));
    }
    return this.#resolveNamed(name, input);
  }

  #resolveNamed(name: string, input: unknown): ResolvedCall {
    return { tool: this.find(name) ?? missing(name, this.#unknown(name)), name, input };
  }

  #unknown(name: string): string {
    const names = [...this.#all().keys()];
    if (names.length === 0) return `There is no tool ${quoted(name)}: this session has no tools at all.`;
    const suggestions = nearestWords(name, names);
    return suggestions.length > 0
      ? `There is no tool ${quoted(name)}. Did you mean ${suggestions.join(" or ")}?`
      : `There is no tool ${quoted(name)}. There are: ${this.declared()
          .map((tool) => tool.name)
          .join(", ")}.`;
  }

  /** Returns the added tools, then those that late sources know by now. */
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

  /** Returns the origins of tools that only ToolSearch finds. A sub-agent gets those whose tools it can see. */
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

/** Returns what is wrong with a tool; undefined if it is valid. */
export function toolProblem(tool: Tool): string | undefined {
  if (!NAME.test(tool.name)) return "a name is 1 to 64 letters, digits, underscores and dashes";
  if (tool.description.trim() === "") return "it has no description";
  if (tool.description.length > DESCRIPTION_CHARACTERS_MAX) {
    return `its description has ${tool.description.length} characters, more than ${DESCRIPTION_CHARACTERS_MAX}`;
  }
  if (!isObject(tool.inputSchema) || tool.inputSchema["type"] !== "object") {
    return 'its input schema is not of type "object"';
  }
  if (!isJson(tool.inputSchema)) return "its input schema is not JSON";
  return undefined;
}

/** Returns false for what has no JSON text: cycles and bigints. */
function isJson(schema: JsonSchema): boolean {
  try {
    return JSON.stringify(schema) !== undefined;
  } catch {
    return false;
  }
}

/** Replaces a missing tool, so that the call is answered like any other that fails. */
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
