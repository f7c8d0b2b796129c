import { HarnessError } from "../../base/errors.ts";
import { near } from "../../base/text/near.ts";
import { count } from "../../base/text/text.ts";
import type { Memories } from "../../features/memory/memories.ts";
import type { KeptMemory } from "../../features/memory/memory.ts";
import { neutralise, neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../view/wire-json.ts";
import type { Invocation } from "../args/arguments.ts";
import { misuse } from "../args/misuse.ts";
import type { ExitCode } from "../exit-codes.ts";
import { EXIT } from "../exit-codes.ts";
import type { Stop } from "../processes/stop.ts";
import type { Surroundings } from "../surroundings.ts";
import { surroundingsOf } from "../surroundings.ts";

type Memory = Extract<Invocation, { readonly kind: "memory" }>;

const VERBS = ["list", "show", "forget"] as const;

/** `cinch memory list`, `show NAME` and `forget NAME`: what a session here would be given of earlier ones (CTX-02). */
export async function runMemory({ settings, words, json }: Memory, stop: Stop): Promise<ExitCode> {
  const [word = "", name, ...more] = words;
  const verb = VERBS.find((known) => known === word);
  if (verb === undefined) {
    const [meant] = near(word, VERBS);
    throw misuse(`${meant === undefined ? "" : `did you mean cinch memory ${meant}? `}${USAGE}`);
  }
  if (more.length > 0 || (verb === "list") !== (name === undefined)) throw misuse(USAGE);
  const at = surroundingsOf(settings, stop);
  const { openMemories } = await import("../../features/memory/open.ts");
  const memories = await openMemories(at, at.workingDir);
  if (name === undefined) return await list(memories, at, json);
  if (verb === "forget") {
    await memories.forget(name);
    await at.stdout.write(json ? jsonLine({ forgotten: name }) : `forgotten: ${neutraliseLine(name)}\n`);
    return EXIT.done;
  }
  const memory = await memories.find(name);
  if (memory === undefined) throw new HarnessError("MemoryMissing", { name });
  await at.stdout.write(json ? jsonLine(rowOf(memory)) : `${shown(memory).join("\n")}\n`);
  return EXIT.done;
}

const USAGE = "write cinch memory list, cinch memory show NAME or cinch memory forget NAME";

async function list(memories: Memories, at: Surroundings, json: boolean): Promise<ExitCode> {
  const { memories: all, problems } = await memories.read();
  for (const problem of problems) await at.stderr.write(`cinch: ${neutraliseLine(problem)}\n`);
  if (json) {
    await at.stdout.write(all.map((memory) => jsonLine(rowOf(memory))).join(""));
    return EXIT.done;
  }
  if (all.length === 0) await at.stderr.write("cinch: there are no memories here\n");
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  const lines = all.map(
    (memory) =>
      `${memory.name.padEnd(width)}  ${memory.type.padEnd(9)} ${dayOf(memory)}  ${neutraliseLine(memory.description)}\n`,
  );
  await at.stdout.write(lines.join(""));
  if (problems.length > 0) await at.stderr.write(`cinch: ${count(problems.length, "problem")} in all\n`);
  return EXIT.done;
}

function shown(memory: KeptMemory): readonly string[] {
  const { name, type, description, tags, content, path } = memory;
  return [
    `${name} (${type}, ${dayOf(memory)}): ${neutraliseLine(description)}`,
    ...(tags.length === 0 ? [] : [`tags: ${tags.map(neutraliseLine).join(", ")}`]),
    neutraliseLine(path),
    "",
    neutralise(content),
  ];
}

function rowOf({ name, type, description, tags, content, path, scope, modifiedMs }: KeptMemory) {
  const modified = new Date(modifiedMs).toISOString();
  return { name, type, scope, description, tags, modified, path, content };
}

function dayOf({ modifiedMs }: KeptMemory): string {
  return new Date(modifiedMs).toISOString().slice(0, 10);
}
