import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { SystemSection } from "../../providers/provider.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { TurnContext } from "../../session/moments.ts";
import { selectPacks } from "../../tools/select-packs.ts";
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
  const { world, paths, workspace } = host;
  const { profile, tools: known } = host.plan();
  const redact = (text: string) => host.redactor.text(text);
  let opening: Promise<Memories> | undefined;

  const untrusted = new UntrustedContent(known);
  const open = () => {
    opening ??= openMemories(host, workspace.root);
    return opening;
  };
  const isEmpty = async () => (await world.files.stat(join(paths.data, "memory"))) === undefined;
  const tools = selectPacks(
    memoryTools({ open, redact, untrusted: () => untrusted.description }),
    profile.toolPacks,
  );
  const writes = tools.tools().length > 0;
  /** The turn in which each memory's text joined the conversation. */
  const turnByText = new Map<string, number>();
  const reported = new Set<string>();
  let messages = 0;
  let section: Promise<readonly SystemSection[]> | undefined;

  async function read(emit: TurnContext["emit"]) {
    try {
      const { memories, problems } = await (await open()).read();
      for (const problem of problems.filter((each) => !reported.has(each))) {
        reported.add(problem);
        emit(errorOf(new HarnessError("MemoryInvalid", { problem })));
      }
      return memories;
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (!reported.has(thrown.message)) emit(errorOf(thrown));
      reported.add(thrown.message);
      return []; // unreadable memories do not stop the session
    }
  }

  async function index(emit: TurnContext["emit"]): Promise<readonly SystemSection[]> {
    const { memorySystemText } = await import("./sections.ts");
    const texts = memorySystemText((await isEmpty()) ? [] : await read(emit), { writes, redact });
    return texts.map((text) => ({ name: "memory", text }));
  }

  async function select(content: readonly InputBlock[], at: TurnContext): Promise<readonly InputBlock[]> {
    if (await isEmpty()) return [];
    const memories = await read(at.emit);
    if (memories.length === 0) return [];
    const [{ selectMemories }, { memorySections }] = await Promise.all([
      import("./select-memories.ts"),
      import("./sections.ts"),
    ]);
    const prompt = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const found = memorySections(selectMemories(prompt, memories, world.clock.now()));
    // A refused input does not use up its turn number.
    const fresh = found.filter(({ text }) => (turnByText.get(text) ?? at.turn) >= at.turn);
    if (fresh.length === 0) return [];
    for (const { text } of fresh) turnByText.set(text, at.turn);
    const payload = { turn: at.turn, names: fresh.map(({ memory }) => memory.name) };
    at.emit({ kind: "CustomEvent", payload: { namespace: "cinch", kind: MEMORIES_GIVEN, payload } });
    return fresh.map(({ text }) => ({ type: "text", text }));
  }

  const memoryIndex: RequestMiddleware = async function* memoryIndex(request, context, next) {
    untrusted.check(request.messages);
    // A memory that the conversation no longer holds can be added again.
    if (context.parentCall === undefined) {
      if (context.history.messages.length < messages) turnByText.clear();
      messages = context.history.messages.length;
    }
    section ??= index((event) => context.emit(event));
    yield* next({ ...request, system: [...request.system, ...(await section)] }, context);
  };

  return {
    tools: [tools],
    around: [{ request: "context", run: memoryIndex }],
    onInput: select,
    async [Symbol.asyncDispose]() {
      (await opening)?.[Symbol.dispose]();
    },
  };
}

function errorOf({ reason, message }: HarnessError) {
  return { kind: "Error", payload: { reason, message } } as const;
}
