import { closeSync, openSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Confining } from "./sandbox.ts";

/**
 * The least that does what an agent does, to measure cinch against: asks the model, runs what it calls, asks again.
 * No log, no permissions, no limits, no errors.
 *
 *     bun bench/bare.ts BASE_URL MODEL PROMPT [CONFINING]
 *
 * With CONFINING, a file that `bench/sandbox.ts` wrote, commands run in the sandbox that it describes.
 */
const [baseUrl = "", model = "", prompt = "", path] = Bun.argv.slice(2);
const { argv, env, inherit }: Confining =
  path === undefined ? { argv: [], env: {}, inherit: [] } : JSON.parse(readFileSync(path, "utf8"));
const [text, number] = [{ type: "string" }, { type: "integer" }];
const read = { type: "object", properties: { file_path: text, offset: number, limit: number } };
const bash = { type: "object", properties: { command: text } };
const tools = [
  { name: "Read", description: "Reads a text file as numbered lines.", input_schema: read },
  { name: "Bash", description: "Runs a command in bash.", input_schema: bash },
];
type Block = { type: string; text?: string; id?: string; name?: string; input?: Record<string, never> };

const messages: unknown[] = [{ role: "user", content: prompt }];
while (true) {
  const content = await ask();
  messages.push({ role: "assistant", content });
  const calls = content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) break;
  const results: unknown[] = [];
  for (const { id, name, input = {} } of calls) {
    const output = name === "Read" ? await readLines(input) : await runCommand(input);
    results.push({ type: "tool_result", tool_use_id: id, content: output });
  }
  messages.push({ role: "user", content: results });
}

async function ask(): Promise<Block[]> {
  const body = JSON.stringify({
    model,
    max_tokens: 16_384,
    stream: true,
    system: "Be brief.",
    tools,
    messages,
  });
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const response = await fetch(`${baseUrl}/messages`, { method: "POST", headers, body });
  const [blocks, json] = [[] as Block[], [] as string[]];
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const { type, index, content_block, delta } = JSON.parse(event.slice(event.indexOf("data: ") + 6));
      if (type === "content_block_start") blocks[index] = content_block;
      else if (delta?.type === "text_delta")
        Object.assign(blocks[index] ?? {}, { text: `${blocks[index]?.text}${delta.text}` });
      else if (delta?.type === "input_json_delta") json[index] = (json[index] ?? "") + delta.partial_json;
    }
  }
  for (const [index, input] of json.entries())
    if (input !== undefined) Object.assign(blocks[index] ?? {}, { input: JSON.parse(input) });
  console.log(blocks.map((block) => block.text ?? "").join(""));
  return blocks;
}

async function readLines({ file_path = "", offset = 1, limit = 2_000 }): Promise<string> {
  const lines = (await readFile(file_path, "utf8")).split("\n").slice(offset - 1, offset - 1 + limit);
  return lines.map((line, index) => `${offset + index}\t${line}`).join("\n");
}

async function runCommand({ command = "" }): Promise<string> {
  const descriptors = inherit.map((each) => openSync(each, "r"));
  const child = Bun.spawn([...argv, "bash", "-c", command], {
    stdio: ["ignore", "pipe", "pipe", ...descriptors],
    ...(argv.length === 0 ? {} : { env }),
  });
  for (const each of descriptors) closeSync(each);
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return stdout + stderr;
}
