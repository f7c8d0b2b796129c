import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { lateStream } from "../../providers/middleware.ts";
import type { SystemSection } from "../../providers/provider.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { TurnContext } from "../../session/moments.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import type { StoredMemory } from "./memory.ts";
import type { MemorySection } from "./sections.ts";
import type { Memories } from "./store/memories.ts";
import { memoryTools } from "./tools/memory-tools.ts";
import { UntrustedContent } from "./untrusted-content.ts";

/** Kind of the CustomEvent in the namespace `cinch` that reports the memories added to a turn: `{turn, names}`. */
const MEMORIES_GIVEN = "MemoriesGiven";

/** Opens the memories of the user and of the repository around a folder. */
export async function openMemories(
  { world, paths, caches }: Pick<SessionHost, "world" | "paths"> & Partial<Pick<SessionHost, "caches">>,
  workingDir: string,
): Promise<Memories> {
  const [{ findMemoryFolders: memoryPlaces }, { Memories }] = await Promise.all([
    import("./store/memory-folders.ts"),
    import("./store/memories.ts"),
  ]);
  return new Memories(world, await memoryPlaces(world.files, paths.data, workingDir), caches);
}

/**
 * Opens memories between sessions (CTX-02): tools that write them, their index in the system text, and memories that
 * match a prompt, added to it.
 *
 * The index stays the same for a run, and added memories are stored with their prompt, so the cached prefix never
 * changes. Nothing is loaded until the first memory is written.
 */
export function openMemory(host: SessionHost): OpenFeature {
  const { profile, tools: known } = host.plan();
  const redact = (text: string) => host.redactor.text(text);
  const untrusted = new UntrustedContent(known);
  const memories = new SessionMemories(host);
  const tools = selectPacks(
    memoryTools({ open: () => memories.open(), redact, untrusted: () => untrusted.description }),
    profile.toolPacks,
  );
  const writes = tools.tools().length > 0;
  const conversation = new ConversationMemories();
  let reading: Promise<readonly SystemSection[]> | undefined;
  let sections: readonly SystemSection[] | undefined;

  async function index(emit: TurnContext["emit"]): Promise<readonly SystemSection[]> {
    const { memorySystemText } = await import("./sections.ts");
    const texts = memorySystemText(await memories.read(emit), { writes, redact });
    return texts.map((text) => ({ name: "memory", text }));
  }

  const memoryIndex: RequestMiddleware = function memoryIndex(request, context, next) {
    untrusted.check(request.messages);
    if (context.parentCall === undefined) conversation.follow(context.history.messages.length);
    const send = (last: readonly SystemSection[]) =>
      next({ ...request, system: [...request.system, ...last] }, context);
    if (sections !== undefined) return send(sections);
    return lateStream(async () => {
      reading ??= index((event) => context.emit(event));
      sections = await reading;
      return send(sections);
    });
  };

  return {
    tools: [tools],
    around: [{ request: "context", run: memoryIndex }],
    onInput: async (content, turn) =>
      conversation.add(await matchingMemories(content, await memories.read(turn.emit), host.world), turn),
    [Symbol.asyncDispose]: () => memories[Symbol.asyncDispose](),
  };
}

/** The memories around a session's folder. Nothing is loaded until the first memory is written. */
class SessionMemories implements AsyncDisposable {
  readonly #host: SessionHost;
  readonly #reported = new Set<string>();
  #opening: Promise<Memories> | undefined;

  constructor(host: SessionHost) {
    this.#host = host;
  }

  async open(): Promise<Memories> {
    this.#opening ??= openMemories(this.#host, this.#host.workspace.root);
    return await this.#opening;
  }

  /** Returns all memories. Emits each problem once; unreadable memories do not stop the session. */
  async read(emit: TurnContext["emit"]): Promise<readonly StoredMemory[]> {
    const { world, paths } = this.#host;
    if ((await world.files.stat(join(paths.data, "memory"))) === undefined) return [];
    try {
      const { memories, problems } = await (await this.open()).read();
      for (const problem of problems.filter((each) => !this.#reported.has(each))) {
        this.#reported.add(problem);
        emit(errorOf(new HarnessError("MemoryInvalid", { problem })));
      }
      return memories;
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (!this.#reported.has(thrown.message)) emit(errorOf(thrown));
      this.#reported.add(thrown.message);
      return [];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    (await this.#opening)?.[Symbol.dispose]();
  }
}

/** The memories whose texts are in the conversation: none is added twice. */
class ConversationMemories {
  /** The turn in which each memory's text joined the conversation. */
  readonly #turnByText = new Map<string, number>();
  #messages = 0;

  /** Follows the length of the conversation. A memory that it no longer holds can be added again. */
  follow(messages: number): void {
    if (messages < this.#messages) this.#turnByText.clear();
    this.#messages = messages;
  }

  /** Returns the memories that are to be added to the input of a turn, and emits their names. */
  add(found: readonly MemorySection[], { turn, emit }: TurnContext): readonly InputBlock[] {
    // A refused input does not use up its turn number.
    const fresh = found.filter(({ text }) => (this.#turnByText.get(text) ?? turn) >= turn);
    if (fresh.length === 0) return [];
    for (const { text } of fresh) this.#turnByText.set(text, turn);
    const payload = { turn, names: fresh.map(({ memory }) => memory.name) };
    emit({ kind: "CustomEvent", payload: { namespace: "cinch", kind: MEMORIES_GIVEN, payload } });
    return fresh.map(({ text }) => ({ type: "text", text }));
  }
}

/** Returns the memories that match a prompt, as sections for it. */
async function matchingMemories(
  content: readonly InputBlock[],
  memories: readonly StoredMemory[],
  { clock }: Pick<SessionHost["world"], "clock">,
): Promise<readonly MemorySection[]> {
  if (memories.length === 0) return [];
  const [{ selectMemories }, { memorySections }] = await Promise.all([
    import("./select-memories.ts"),
    import("./sections.ts"),
  ]);
  const prompt = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return memorySections(selectMemories(prompt, memories, clock.now()));
}

function errorOf({ reason, message }: HarnessError) {
  return { kind: "Error", payload: { reason, message } } as const;
}
