// The least that does what an agent does: `bare BASE_URL MODEL PROMPT [CONFINING]`. Without Node's slow modules.
// CONFINING is a file of `bench/sandbox.ts`: commands run in the sandbox that it describes.
const [baseUrl, model, prompt, path] = process.argv.slice(2);
const { argv, env, inherit } = path
  ? await Bun.file(path).json()
  : { argv: [], env: process.env, inherit: [] };
const [string, integer] = [{ type: "string" }, { type: "integer" }];
const read = { file_path: string, offset: integer, limit: integer };
const tools = [
  { name: "Read", description: "Reads lines.", input_schema: { type: "object", properties: read } },
  { name: "Bash", description: "Runs.", input_schema: { type: "object", properties: { command: string } } },
];
type Block = { type: string; text?: string; id?: string; name?: string; input?: Record<string, never> };

const messages: unknown[] = [{ role: "user", content: prompt }];
for (let results: unknown[] = [0]; results.length > 0; messages.push({ role: "user", content: results })) {
  const content = await ask();
  messages.push({ role: "assistant", content });
  results = [];
  for (const { id, name, input = {} } of content.filter(({ type }) => type === "tool_use")) {
    const output = name === "Read" ? await readLines(input) : await runCommand(input);
    results.push({ type: "tool_result", tool_use_id: id, content: output });
  }
}

async function ask(): Promise<Block[]> {
  const body = JSON.stringify({ model, max_tokens: 16_384, stream: true, system: "Go.", tools, messages });
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const response = await fetch(`${baseUrl}/messages`, { method: "POST", headers, body });
  const [blocks, json, decoder] = [[] as Block[], [] as string[], new TextDecoder()];
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const { type, index, content_block, delta } = JSON.parse(event.slice(event.indexOf("data: ") + 6));
      if (type === "content_block_start") blocks[index] = content_block;
      else if (delta?.text !== undefined) (blocks[index] as Block).text += delta.text;
      else if (delta?.partial_json !== undefined) json[index] = (json[index] ?? "") + delta.partial_json;
    }
  }
  for (const at in json) Object.assign(blocks[at] as Block, { input: JSON.parse(json[at] ?? "{}") });
  console.log(blocks.map(({ text = "" }) => text).join(""));
  return blocks;
}

async function readLines({ file_path = "", offset = 1, limit = 2_000 }): Promise<string> {
  const lines = (await Bun.file(file_path).text()).split("\n").slice(offset - 1, offset - 1 + limit);
  return lines.map((line, index) => `${offset + index}\t${line}`).join("\n");
}

async function runCommand({ command = "" }): Promise<string> {
  const files = inherit.map((each: string) => Bun.file(each));
  const stdio = ["ignore", "pipe", "pipe", ...files] as ["ignore", "pipe", "pipe"];
  const child = Bun.spawn([...argv, "bash", "-c", command], { stdio, env });
  const [text] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return text + (await new Response(child.stderr).text());
}

export {};
