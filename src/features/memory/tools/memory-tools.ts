import { HarnessError } from "../../../base/errors.ts";
import type { InputOf } from "../../../tools/arguments.ts";
import { textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolContext, ToolSource } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { Memory, StoredMemory } from "../memory.ts";
import type { Memories } from "../store/memories.ts";
import { MEMORY_FORGET_FACTS, MEMORY_READ_FACTS, MEMORY_WRITE_FACTS } from "../tools.ts";

export interface MemoryToolsDependencies {
  /** Loads the memories with the first call, so that a session without memories does not. */
  readonly open: () => Promise<Memories>;
  /** Returns a text without its secrets. */
  readonly redact: (text: string) => string;
  /** Returns the untrusted content that this conversation has read, in words; undefined if there was none. */
  readonly untrusted: () => string | undefined;
}

const READ_INPUT = { type: "object", properties: { name: { type: "string" } } } as const;

const WRITE_INPUT = {
  type: "object",
  properties: {
    name: { type: "string", description: "letters, digits, - and _" },
    type: { enum: ["user", "feedback", "project", "reference"] },
    description: { type: "string", description: "one line that it is found by" },
    content: { type: "string", description: "Markdown" },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["name", "type", "description", "content"],
} as const;

const FORGET_INPUT = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
} as const;

interface WritePlan extends CallPlan {
  readonly memory: Memory;
}

interface NamePlan extends CallPlan {
  readonly name: string;
}

/**
 * Returns the tools that read, write and forget memories (TOOL-05). They are lazy, to keep requests short.
 *
 * They touch no path that a rule could name. Writing and forgetting need the level WorkspaceWrite. If the text may
 * come from untrusted content, they need full access, so that a person is asked.
 */
export function memoryTools(dependencies: MemoryToolsDependencies): ToolSource {
  const tools: readonly Tool[] = [
    memoryRead(dependencies),
    memoryWrite(dependencies),
    memoryForget(dependencies),
  ];
  return { name: "memory", tools: () => tools };
}

function memoryRead({ open, redact }: MemoryToolsDependencies): Tool<NamePlan> {
  return {
    ...MEMORY_READ_FACTS,
    description: "Reads one memory of earlier sessions by its name. Without a name: lists all of them.",
    aliases: {},
    inputSchema: READ_INPUT,
    lazy: true,
    async plan(input) {
      const { name = "" } = input as InputOf<typeof READ_INPUT>;
      return { summary: summaryOf(MEMORY_READ_FACTS.name, name), target: { kind: "none" }, name };
    },
    async run({ name }, { signal }) {
      const { memoryIndexText, memoryAsText } = await import("../sections.ts");
      const text = await asToolFailure(async () => {
        const memories = await open();
        return name === ""
          ? memoryIndexText((await memories.read()).memories)
          : memoryAsText(await findMemory(memories, name));
      });
      signal.throwIfAborted();
      return textOutput(redact(text) || "There are no memories");
    },
  };
}

function memoryWrite({ open, redact, untrusted }: MemoryToolsDependencies): Tool<WritePlan> {
  return {
    ...MEMORY_WRITE_FACTS,
    description:
      "Remembers one thing for later sessions, or replaces it by name. Types: user (who they are), feedback (how they want work done), project (facts of it), reference (where to look). No secrets, nothing the code says itself.",
    aliases: {},
    inputSchema: WRITE_INPUT,
    lazy: true,
    async plan(input) {
      const { prepareMemory } = await import("./prepare-memory.ts");
      const { memory, suspicion } = prepareMemory(input as InputOf<typeof WRITE_INPUT>, redact);
      return {
        summary: summaryOf(MEMORY_WRITE_FACTS.name, memory.name),
        target: { kind: "none" },
        memory,
        ...guarded(suspicion ?? untrustedWarning(untrusted())),
      };
    },
    async run({ memory }, context) {
      context.signal.throwIfAborted();
      await asToolFailure(async () => (await open()).write(memory));
      tell(memory, context);
      return textOutput(`Remembered as ${memory.name}`);
    },
  };
}

function memoryForget({ open, untrusted }: MemoryToolsDependencies): Tool<NamePlan> {
  return {
    ...MEMORY_FORGET_FACTS,
    description: "Removes one memory of earlier sessions by its name, for good.",
    aliases: {},
    inputSchema: FORGET_INPUT,
    lazy: true,
    async plan(input) {
      const { name } = input as InputOf<typeof FORGET_INPUT>;
      await asToolFailure(async () => findMemory(await open(), name));
      return {
        summary: summaryOf(MEMORY_FORGET_FACTS.name, name),
        target: { kind: "none" },
        name,
        ...guarded(untrustedWarning(untrusted())),
      };
    },
    async run({ name }, context) {
      context.signal.throwIfAborted();
      const memory = await asToolFailure(async () => (await open()).forget(name));
      if (memory !== undefined) tell(memory, context, { removed: true });
      return textOutput(`Forgotten: ${memory?.name ?? name}`);
    },
  };
}

/** Reports a memory error to the model, which can plan around it, instead of ending the turn. */
async function asToolFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw new ToolFailure(thrown.message, { cause: thrown });
    throw thrown;
  }
}

async function findMemory(memories: Memories, name: string): Promise<StoredMemory> {
  const memory = await memories.find(name);
  if (memory !== undefined) return memory;
  const { memories: all } = await memories.read();
  const names = all.map((each) => each.name).join(", ");
  throw new ToolFailure(
    `There is no memory of this name. ${names === "" ? "There are none" : `There are: ${names}`}.`,
  );
}

function tell(
  { name, type, description }: Memory,
  { emit }: ToolContext,
  removed: { readonly removed?: true } = {},
): void {
  emit({ kind: "MemoryWritten", payload: { name, type, description, ...removed } });
}

/** Renders the summary of a call. The name is the model's unchecked text. */
function summaryOf(tool: string, name: string): string {
  return name === "" ? tool : `${tool}:${name.slice(0, 80).toWellFormed()}`;
}

function untrustedWarning(read: string | undefined): string | undefined {
  return read === undefined ? undefined : `this conversation has read ${read}, whose words may steer it`;
}

function guarded(why: string | undefined): Pick<CallPlan, "level" | "levelWhy"> {
  return why === undefined ? {} : { level: "DangerFullAccess", levelWhy: why };
}
