import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { Profile } from "../../config/profile.ts";
import type { MemoryKeys } from "../../config/sections/memory.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { SystemSection } from "../../providers/provider.ts";
import type { TurnContext } from "../../session/moments.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SessionPart } from "../../session/session-part.ts";
import { withPacks } from "../../tools/pack.ts";
import type { Workspace } from "../../tools/tool.ts";
import { ForeignReading } from "./foreign.ts";
import type { Memories } from "./memories.ts";
import { memoryTools } from "./tools/memory-tools.ts";

/** The CustomEvent of the namespace `cinch` that tells which memories a turn was given: `{turn, names}`. */
const MEMORIES_GIVEN = "MemoriesGiven";

/** What a session's memories are found with. */
export interface MemorySources {
  readonly profile: Pick<Profile, "memory" | "toolPacks">;
  readonly workspace: Pick<Workspace, "root">;
  readonly defaults: Pick<RunDefaults, "world" | "paths" | "config" | "caches">;
}

/** Opens the memories of a person and of the repository that a folder lies in. */
export async function openMemories(
  { world, paths, caches }: Pick<RunDefaults, "world" | "paths"> & Partial<Pick<RunDefaults, "caches">>,
  workingDir: string,
): Promise<Memories> {
  const [{ memoryPlaces }, { Memories }] = await Promise.all([
    import("./places.ts"),
    import("./memories.ts"),
  ]);
  return new Memories(world, await memoryPlaces(world.files, paths.data, workingDir), caches);
}

/**
 * What is remembered between sessions (CTX-02): tools to write it, its index in the system text, which stays the same
 * for a run, and what bears on a prompt beside that prompt, where it is stored and so never changes what stands before.
 *
 * Nothing is loaded while nothing was ever remembered. Undefined where it is switched off.
 */
export function remembering(
  sources: MemorySources,
  redact: (text: string) => string,
): SessionPart | undefined {
  const { profile, workspace, defaults } = sources;
  const { world, paths } = defaults;
  const keys: MemoryKeys = { ...profile.memory, ...defaults.config.memory };
  let opening: Promise<Memories> | undefined;
  const close = async () => (await opening)?.[Symbol.dispose]();
  if (keys.enabled === false) return undefined;

  const foreign = new ForeignReading();
  const open = () => {
    opening ??= openMemories(defaults, workspace.root);
    return opening;
  };
  const isEmpty = async () => (await world.files.stat(join(paths.data, "memory"))) === undefined;
  const tools = withPacks(memoryTools({ open, redact, foreign: () => foreign.what }), profile.toolPacks);
  const writes = tools.tools().length > 0;
  /** The turn with which each memory's text came into the conversation. */
  const given = new Map<string, number>();
  const told = new Set<string>();
  let messages = 0;
  let section: Promise<readonly SystemSection[]> | undefined;

  async function read(emit: TurnContext["emit"]) {
    try {
      const { memories, problems } = await (await open()).read();
      for (const problem of problems.filter((each) => !told.has(each))) {
        told.add(problem);
        emit(errorOf(new HarnessError("MemoryInvalid", { problem })));
      }
      return memories;
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (!told.has(thrown.message)) emit(errorOf(thrown));
      told.add(thrown.message);
      return []; // what cannot be read keeps nobody from working
    }
  }

  async function index(emit: TurnContext["emit"]): Promise<readonly SystemSection[]> {
    const { systemText } = await import("./sections.ts");
    const texts = systemText((await isEmpty()) ? [] : await read(emit), { writes, redact });
    return texts.map((text) => ({ name: "memory", text }));
  }

  async function select(content: readonly InputBlock[], at: TurnContext): Promise<readonly InputBlock[]> {
    if (await isEmpty()) return [];
    const memories = await read(at.emit);
    if (memories.length === 0) return [];
    const [{ selectMemories }, { memorySections }] = await Promise.all([
      import("./select.ts"),
      import("./sections.ts"),
    ]);
    const prompt = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const found = memorySections(selectMemories(prompt, memories, world.clock.now()));
    // An input that was refused has left nothing, and the next one has the number of its turn.
    const fresh = found.filter(({ text }) => (given.get(text) ?? at.turn) >= at.turn);
    if (fresh.length === 0) return [];
    for (const { text } of fresh) given.set(text, at.turn);
    const payload = { turn: at.turn, names: fresh.map(({ memory }) => memory.name) };
    at.emit({ kind: "CustomEvent", payload: { namespace: "cinch", kind: MEMORIES_GIVEN, payload } });
    return fresh.map(({ text }) => ({ type: "text", text }));
  }

  return {
    tools: [tools],
    close,
    request: [
      async function* memory(request, context, next) {
        foreign.see(request.messages);
        // What the conversation no longer holds can be given again.
        if (context.parentCall === undefined) {
          if (context.history.messages.length < messages) given.clear();
          messages = context.history.messages.length;
        }
        section ??= index((event) => context.emit(event));
        yield* next({ ...request, system: [...request.system, ...(await section)] }, context);
      },
    ],
    onInput: select,
  };
}

function errorOf({ reason, message }: HarnessError) {
  return { kind: "Error", payload: { reason, message } } as const;
}
