import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import type { StoredMemory } from "../memory.ts";
import { openMemories } from "../open.ts";
import type { Memories } from "../store/memories.ts";
import type { MemoryContext } from "./flags.ts";

/** Lists, shows or deletes the memories that a session here would read (CTX-02). */
export async function run(context: MemoryContext): Promise<ExitCode> {
  const { verb, words, flags, stdout } = context;
  const memories = await openMemories(context, context.workingDir);
  const [name = ""] = words;
  switch (verb) {
    case "list":
      return await list(memories, context);
    case "show": {
      const memory = await memories.find(name);
      if (memory === undefined) throw new HarnessError("MemoryMissing", { name });
      await stdout.write(flags.json ? jsonLine(rowOf(memory)) : `${shown(memory).join("\n")}\n`);
      return EXIT.done;
    }
    case "forget":
      await memories.forget(name);
      await stdout.write(flags.json ? jsonLine({ forgotten: name }) : `forgotten: ${neutraliseLine(name)}\n`);
      return EXIT.done;
  }
}

async function list(memories: Memories, { flags, stdout, stderr }: MemoryContext): Promise<ExitCode> {
  const { memories: all, problems } = await memories.read();
  for (const problem of problems) await stderr.write(`cinch: ${neutraliseLine(problem)}\n`);
  if (flags.json) {
    await stdout.write(all.map((memory) => jsonLine(rowOf(memory))).join(""));
    return EXIT.done;
  }
  if (all.length === 0) await stderr.write("cinch: there are no memories here\n");
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  const lines = all.map(
    (memory) =>
      `${memory.name.padEnd(width)}  ${memory.type.padEnd(9)} ${dayOf(memory)}  ${neutraliseLine(memory.description)}\n`,
  );
  await stdout.write(lines.join(""));
  if (problems.length > 0) await stderr.write(`cinch: ${count(problems.length, "problem")} in all\n`);
  return EXIT.done;
}
function shown(memory: StoredMemory): readonly string[] {
  const { name, type, description, tags, content, path } = memory;
  return [
    `${name} (${type}, ${dayOf(memory)}): ${neutraliseLine(description)}`,
    ...(tags.length === 0 ? [] : [`tags: ${tags.map(neutraliseLine).join(", ")}`]),
    neutraliseLine(path),
    "",
    neutralise(content),
  ];
}

function rowOf({ name, type, description, tags, content, path, scope, modifiedMs }: StoredMemory) {
  const modified = new Date(modifiedMs).toISOString();
  return { name, type, scope, description, tags, modified, path, content };
}

function dayOf({ modifiedMs }: StoredMemory): string {
  return new Date(modifiedMs).toISOString().slice(0, 10);
}
