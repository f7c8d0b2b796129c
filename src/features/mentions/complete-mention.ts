import { relative } from "node:path";
import type { FuzzyMatches } from "../../base/text/fuzzy.ts";
import { fuzzyBest } from "../../base/text/fuzzy.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { TypedText } from "../../session/commands/lists.ts";
import type { SessionHost } from "../../session/host.ts";
import { prepareCall } from "../../tools/chain/validate.ts";
import { readTool } from "../../tools/files/read.ts";
import { lsTool } from "../../tools/search/ls.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { MentionAtCursor } from "../../view/slash/mention-at-cursor.ts";
import { mentionAt } from "../../view/slash/mention-at-cursor.ts";
import type { FileList } from "./file-index.ts";
import { FileIndex } from "./file-index.ts";
import { writeMention } from "./mentions.ts";

/** Best matches that are judged for each item of the answer: some are left out. */
const JUDGED_PER_ITEM = 4;

type Completed = ResultOf<"Complete">;
type Host = Pick<
  SessionHost,
  "world" | "ripgrep" | "workspace" | "caches" | "permissions" | "session" | "plan"
>;

/**
 * Completes a path behind an at sign from the files of the workspace (CTL-19). Offered is what a mention would attach:
 * files and folders that may be read without a question. Paths that rules deny or that look like keys are left out.
 */
export class MentionCompleter {
  readonly #host: Host;
  readonly #index: FileIndex;
  /** Verdicts by path, for one list and one plan. */
  #judged: { readonly by: readonly [FileList, unknown]; readonly verdicts: Map<string, boolean> } | undefined;
  /** Matches of the last typed path: a longer one is looked for among them. */
  #last: { readonly list: FileList; readonly typed: string; readonly all: readonly number[] } | undefined;

  /** @param end aborts when the session ends. */
  constructor(host: Host, end: AbortSignal) {
    this.#host = host;
    this.#index = new FileIndex(host, end);
  }

  /** @throws the signal's reason. */
  async complete({ text, cursor, limit }: TypedText, signal: AbortSignal): Promise<Completed | undefined> {
    const mention = mentionAt(text, cursor);
    if (mention === undefined) return undefined;
    const list = await this.#index.list(signal);
    const { best, all } = this.#matches(mention, list, limit * JUDGED_PER_ITEM);
    const items: Completed["items"][number][] = [];
    let judged = 0;
    for (const index of best) {
      if (items.length === limit) break;
      judged += 1;
      const path = list.entries[index]?.text ?? "";
      const item = this.#itemOf(path);
      if (item !== undefined && (await this.#isOffered(path, list, signal))) items.push(item);
    }
    const { from, to } = mention;
    return { from, to, items, more: list.cut || judged < all.length };
  }

  async settle(): Promise<void> {
    await this.#index.settle();
  }

  /** Returns the best matches of a typed path; with nothing typed, what stands at the top of the workspace. */
  #matches({ path }: MentionAtCursor, list: FileList, limit: number): FuzzyMatches {
    const typed = path.replace(/^(?:\.\/)+/, "");
    if (typed === "") return topOf(list, limit);
    const last = this.#last?.list === list && typed.startsWith(this.#last.typed) ? this.#last : undefined;
    const among = last === undefined ? {} : { among: last.all };
    const found = fuzzyBest(typed, list.entries, { limit, ...among });
    this.#last = { list, typed, all: found.all };
    return found;
  }

  /** Returns undefined for a path that no mention can name. */
  #itemOf(path: string): Completed["items"][number] | undefined {
    const { root, cwd } = this.#host.workspace;
    const isFolder = path.endsWith("/");
    const shown = cwd === root ? path : relative(cwd, `${root}/${path}`) + (isFolder ? "/" : "");
    const insert = writeMention(shown);
    if (insert === undefined) return undefined;
    return { insert, label: path, kind: isFolder ? "folder" : "file" };
  }

  async #isOffered(path: string, list: FileList, signal: AbortSignal): Promise<boolean> {
    const plan = this.#host.plan();
    if (this.#judged?.by[0] !== list || this.#judged.by[1] !== plan)
      this.#judged = { by: [list, plan], verdicts: new Map() };
    const { verdicts } = this.#judged;
    const known = verdicts.get(path) ?? (await this.#isReadUnasked(path, signal));
    verdicts.set(path, known);
    return known;
  }

  async #isReadUnasked(path: string, signal: AbortSignal): Promise<boolean> {
    const { world, session, workspace, permissions } = this.#host;
    const context: ToolContext = {
      ...{ world, signal, session, workspace },
      callId: world.ids.next("call"),
      originator: world.ids.next("cli"),
      turn: 0,
      progress: () => undefined,
      emit: () => undefined,
    };
    const tool = path.endsWith("/") ? lsTool : readTool;
    const absolute = `${workspace.root}/${path}`;
    const input = tool === lsTool ? { path: absolute } : { file_path: absolute };
    const prepared = await prepareCall({ id: context.callId, name: tool.name, input, tool }, context);
    return prepared.kind === "ready" && (await permissions.goesUnasked(prepared.call, context));
  }
}

/** Returns what stands at the top of the workspace, in order. */
function topOf({ entries }: FileList, limit: number): FuzzyMatches {
  const all = [...entries.keys()].filter((index) => {
    const { text } = entries[index] ?? { text: "" };
    const slash = text.indexOf("/");
    return slash === -1 || slash + 1 === text.length;
  });
  return { best: all.slice(0, limit), all };
}
