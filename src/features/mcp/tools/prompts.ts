import type { Prompt } from "@modelcontextprotocol/client";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { nearestWords } from "../../../base/text/near.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Clock } from "../../../base/world.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { mapToolName } from "../../../tools/server-tool-names.ts";
import type { SharedServer } from "../server/shared-server.ts";
import { trimPunctuation } from "./foreign-text.ts";
import { promptNames } from "./names.ts";
import { convertBlock } from "./results.ts";

/** Namespace of the slash commands for servers' prompts. */
export const MCP_PROMPTS = "mcp-prompts";
const PROMPTS_MAX = 100;
const NAME_CHARACTERS_MAX = 128;
const USAGE_CHARACTERS_MAX = 400;
/** The longest time for a server to list its prompts or to return one, while a person waits. */
export const PROMPT_MS_MAX = 60_000;
const HELP_CHARACTERS_MAX = 200;
const PROMPT_CHARACTERS_MAX = 100_000;
/** Shortest pause between two lists when a server keeps announcing changes. */
const ASK_PAUSE_MS = 1_000;
const NEVER_ASKED = -1;
const NEVER_MS = 2_147_483_647;

/**
 * The prompts of a session's servers, as slash commands (MCP-06): `/mcp-prompts:SERVER.PROMPT`, with arguments as
 * `name=value` or in the server's order.
 *
 * The expanded prompt is returned to the client, which shows it and sends it as the user's input. Nothing reaches the
 * model unseen. The prompts of running servers are listed in the background, and again after an announced change or a
 * restart, at most once a second.
 */
export class ServerPrompts {
  readonly #servers: () => readonly SharedServer[];
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #known = new WeakMap<object, readonly Prompt[]>();
  /** The version and the time of the last list requested from a server. */
  readonly #asked = new WeakMap<object, { readonly at: number; readonly ms: number }>();

  constructor(servers: () => readonly SharedServer[], clock: Clock, signal: AbortSignal) {
    this.#servers = servers;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Lists the prompts known so far. */
  commands(): readonly SlashCommandInfo[] {
    return this.#servers().flatMap((server) => {
      if (server.state === "running") this.#ask(server);
      return namePrompts(server, this.#known.get(server) ?? []).map(({ prompt, verb }) => ({
        name: `${MCP_PROMPTS}:${verb}`,
        usage: `/${MCP_PROMPTS}:${verb}${usageOf(prompt)}`,
        help: shortened(visibleLine(prompt.description ?? prompt.title ?? prompt.name), HELP_CHARACTERS_MAX),
        command: "CustomCommand",
      }));
    });
  }

  /**
   * Expands one prompt with these arguments.
   * @throws HarnessError McpPromptUnusable with the reason; the error with which the server failed to start; the
   * signal's reason.
   */
  async expand(verb: string, args: readonly string[]): Promise<string> {
    const signal = this.#signal;
    const servers = this.#servers();
    const server = servers.find(({ spec }) => verb.startsWith(`${spec.name}.`));
    if (server === undefined) {
      const names = servers.map(({ spec }) => spec.name);
      throw unusable(
        verb,
        `write SERVER.PROMPT, where SERVER is ${names.join(" or ") || "one of this session, which has none"}`,
      );
    }
    const { client } = await server.connected(signal);
    const offered = namePrompts(server, await this.#listed(server, verb));
    const prompt = findPrompt(offered, verb);
    if (prompt === undefined) {
      const verbs = offered.map((each) => each.verb);
      const [meant] = nearestWords(verb, verbs);
      const hint =
        meant === undefined ? `there are: ${verbs.join(", ") || "none"}` : `did you mean ${meant}?`;
      throw unusable(verb, `there is no prompt of this name (${hint})`);
    }
    const foreign = unknownArgument(prompt, args);
    if (foreign !== undefined) throw unusable(verb, foreign);
    const values = assignArguments(prompt, args);
    if (values === undefined) throw unusable(verb, `write /${MCP_PROMPTS}:${verb}${usageOf(prompt)}`);
    try {
      const asked = { name: prompt.name, arguments: values };
      const { messages } = await this.#inTime((stop) =>
        client.getPrompt(asked, { signal: stop, timeout: NEVER_MS }),
      );
      const texts = messages.map(({ content }) => {
        const block = convertBlock(content);
        return block.type === "text" ? block.text : `[${block.type} left out]`;
      });
      return shortened(texts.join("\n\n"), PROMPT_CHARACTERS_MAX);
    } catch (thrown) {
      signal.throwIfAborted();
      throw unusable(verb, shortened(visibleLine(messageOf(thrown)), HELP_CHARACTERS_MAX), thrown);
    }
  }

  async #listed(server: SharedServer, verb: string): Promise<readonly Prompt[]> {
    try {
      return await this.#list(server);
    } catch (thrown) {
      this.#signal.throwIfAborted();
      if (thrown instanceof HarnessError) throw thrown;
      throw unusable(verb, shortened(visibleLine(messageOf(thrown)), HELP_CHARACTERS_MAX), thrown);
    }
  }

  #ask(server: SharedServer): void {
    const at = server.promptsVersion;
    const nowMs = this.#clock.monotonic();
    const before = this.#asked.get(server);
    if (before !== undefined && (before.at === at || nowMs - before.ms < ASK_PAUSE_MS)) return;
    const asked = { at, ms: nowMs };
    this.#asked.set(server, asked);
    this.#list(server).catch(() => {
      // The next list of commands tries again.
      if (this.#asked.get(server) === asked) this.#asked.set(server, { at: NEVER_ASKED, ms: nowMs });
    });
  }

  async #list(server: SharedServer): Promise<readonly Prompt[]> {
    const { client } = await server.connected(this.#signal);
    if (client.getServerCapabilities()?.prompts === undefined) return [];
    const { prompts } = await this.#inTime((signal) =>
      client.listPrompts(undefined, { signal, timeout: NEVER_MS, cacheMode: "refresh" }),
    );
    const first = prompts.slice(0, PROMPTS_MAX).filter(({ name }) => name.length <= NAME_CHARACTERS_MAX);
    this.#known.set(server, first);
    return first;
  }

  /** @throws Error in words if the server takes longer than a person waits; the signal's reason. */
  async #inTime<Answer>(ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    using limit = deadline(this.#clock, PROMPT_MS_MAX, this.#signal);
    try {
      return await whileAlive(ask(limit.signal), limit.signal);
    } catch (thrown) {
      if (!limit.reached) throw thrown;
      throw new Error(`it did not answer within ${PROMPT_MS_MAX / 1_000} s`, { cause: thrown });
    }
  }
}

interface NamedPrompt {
  readonly prompt: Prompt;
  /** The name typed for it. */
  readonly verb: string;
}

function namePrompts({ spec }: SharedServer, prompts: readonly Prompt[]): readonly NamedPrompt[] {
  const names = promptNames(prompts.map(({ name }) => name));
  return prompts.map((prompt, at) => ({ prompt, verb: `${spec.name}.${names[at] ?? ""}` }));
}

/** Finds a prompt by its exact name, or by the only name that is equal after mapping to `_` as tool names are. */
function findPrompt(offered: readonly NamedPrompt[], verb: string): Prompt | undefined {
  const exact = offered.find((each) => each.verb === verb);
  if (exact !== undefined) return exact.prompt;
  const alike = offered.filter((each) => mapToolName(each.verb) === mapToolName(verb));
  return alike.length === 1 ? alike[0]?.prompt : undefined;
}

/**
 * Returns what is wrong with a word `name=value` that names none of the prompt's arguments. It is not taken for
 * a value.
 */
function unknownArgument(
  { arguments: declared = [] }: Pick<Prompt, "arguments">,
  words: readonly string[],
): string | undefined {
  for (const word of words) {
    const name = /^([A-Za-z][\w-]*)=/.exec(word)?.[1];
    const names = declared.map((each) => each.name);
    if (name === undefined || names.includes(name) || names.length === 0) continue;
    const hint = visibleLine(nearestWords(name, names)[0] ?? names.join(", "));
    const [first = ""] = names;
    return `it has no argument ${name} (it has ${hint}). A value that holds = is written with its name: ${visibleLine(first)}=${visibleLine(word)}`;
  }
  return undefined;
}

function usageOf({ arguments: all = [] }: Prompt): string {
  const words = all.map(
    ({ name, required }) => ` ${required === true ? visibleLine(name) : `[${visibleLine(name)}]`}`,
  );
  return shortened(words.join(""), USAGE_CHARACTERS_MAX);
}

/**
 * Assigns words to arguments: by name for `name=value` with a known name, otherwise in order. Returns undefined if
 * one is missing or there are too many.
 */
export function assignArguments(
  { arguments: declared = [] }: Pick<Prompt, "arguments">,
  words: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const values = new Map<string, string>();
  const inOrder: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    const name = word.slice(0, Math.max(at, 0));
    if (declared.some((each) => each.name === name)) values.set(name, word.slice(at + 1));
    else inOrder.push(word);
  }
  for (const { name } of declared) {
    const next = values.has(name) ? undefined : inOrder.shift();
    if (next !== undefined) values.set(name, next);
  }
  const isWhole = declared.every(({ name, required }) => required !== true || values.has(name));
  return isWhole && inOrder.length === 0 ? Object.fromEntries(values) : undefined;
}

function unusable(prompt: string, why: string, cause?: unknown): HarnessError<"McpPromptUnusable"> {
  return new HarnessError(
    "McpPromptUnusable",
    { prompt: visibleLine(prompt), why: trimPunctuation(why) },
    { cause },
  );
}
