import { parseJson } from "../../src/base/json.ts";

/**
 * Rules of providers for the history in a request, from their documented errors (R01). Each check
 * answers with the complaints a provider would have; none for a valid body.
 */
type Wire = Readonly<Record<string, unknown>>;

export function anthropicComplaints(body: Wire): readonly string[] {
  const complaints: string[] = [];
  const messages = body["messages"] as readonly {
    readonly role: string;
    readonly content: readonly Wire[];
  }[];
  if (messages.length > 0 && messages[0]?.role !== "user")
    complaints.push("first message must be the user's");
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}`;
    if (index > 0 && messages[index - 1]?.role === role) complaints.push(`${at}: roles must alternate`);
    if (content.length === 0) complaints.push(`${at}: content must not be empty`);
    for (const block of content.flatMap((outer) => [outer, ...partsOf(outer)])) {
      if (typeof block["type"] !== "string") complaints.push(`${at}: a block without a type`);
      if (block["type"] === "text" && String(block["text"]).trim() === "")
        complaints.push(`${at}: blank text`);
      if (block["type"] === "thinking" && "cache_control" in block)
        complaints.push(`${at}: cache mark on thinking`);
    }
    if (role === "assistant" && /thinking$/.test(String(content.at(-1)?.["type"]))) {
      complaints.push(`${at}: the final block cannot be thinking`);
    }
    const calls = content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const next = index + 1 < messages.length ? (messages[index + 1]?.content ?? []) : undefined;
    if (calls.length > 0 && next !== undefined) {
      const results = next.filter(({ type }) => type === "tool_result").map((block) => block["tool_use_id"]);
      const isPaired = JSON.stringify([...calls].sort()) === JSON.stringify([...results].sort());
      if (!isPaired) complaints.push(`${at}: tool_use without its tool_result right after it`);
    }
    const firstOther = content.findIndex(({ type }) => type !== "tool_result");
    if (firstOther !== -1 && content.slice(firstOther).some(({ type }) => type === "tool_result")) {
      complaints.push(`${at}: tool_result after other content`);
    }
    const callsBefore =
      messages[index - 1]?.content.filter(({ type }) => type === "tool_use").map(({ id }) => id) ?? [];
    for (const block of content) {
      if (block["type"] === "tool_result" && !callsBefore.includes(block["tool_use_id"])) {
        complaints.push(`${at}: tool_result without its tool_use`);
      }
    }
  }
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) complaints.push(`${marks} cache marks`);
  return [...complaints, ...illFormed(body)];
}

export function chatComplaints(body: Wire): readonly string[] {
  const complaints: string[] = [];
  const messages = body["messages"] as readonly Wire[];
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    const { role, content } = message as { role: string; content?: unknown };
    if (content === "" || (Array.isArray(content) && content.length === 0))
      complaints.push(`${at}: empty content`);
    if (role !== "assistant" && content === undefined) complaints.push(`${at}: no content`);
    if (role === "assistant" && content === undefined && message["tool_calls"] === undefined) {
      complaints.push(`${at}: neither content nor calls`);
    }
    for (const part of Array.isArray(content) ? (content as Wire[]) : []) {
      if (part["type"] === "text" && String(part["text"]).trim() === "") complaints.push(`${at}: blank text`);
    }
    if (role === "system" && index > 0) complaints.push(`${at}: a system message in the middle`);
    if (role === "user" && messages[index - 1]?.["role"] === "user")
      complaints.push(`${at}: two user messages`);
    if (role === "assistant" && messages[index - 1]?.["role"] === "assistant")
      complaints.push(`${at}: two answers`);
    const calls = ((message["tool_calls"] ?? []) as Wire[]).map(({ id }) => id);
    if (calls.length > 0 && index + 1 < messages.length) {
      const results = messages.slice(index + 1, index + 1 + calls.length).map((next) => next["tool_call_id"]);
      const isPaired = JSON.stringify([...calls].sort()) === JSON.stringify([...results].sort());
      if (!isPaired) complaints.push(`${at}: tool_calls not answered right after`);
    }
    if (role === "tool") {
      const asked = messages.slice(0, index).findLast((before) => before["role"] !== "tool");
      const ids = ((asked?.["tool_calls"] ?? []) as Wire[]).map(({ id }) => id);
      if (!ids.includes(message["tool_call_id"])) complaints.push(`${at}: a tool message without its call`);
    }
  }
  return [...complaints, ...illFormed(body)];
}

export function responsesComplaints(body: Wire): readonly string[] {
  const complaints: string[] = [];
  const items = body["input"] as readonly Wire[];
  for (const [index, item] of items.entries()) {
    const at = `input.${index}`;
    const content = item["content"];
    if (item["type"] === "message" && (!Array.isArray(content) || content.length === 0)) {
      complaints.push(`${at}: empty message`);
    }
    for (const part of Array.isArray(content) ? (content as Wire[]) : []) {
      if (typeof part["text"] === "string" && part["text"].trim() === "")
        complaints.push(`${at}: blank text`);
    }
    const same = items.filter((other) => other["call_id"] === item["call_id"]);
    if (item["type"] === "function_call" && index < items.length - 1) {
      const output = same.filter(({ type }) => type === "function_call_output").length;
      const isLast = items.slice(index).every(({ type }) => type === "function_call");
      if (output !== 1 && !isLast) complaints.push(`${at}: no tool output for the call`);
    }
    if (item["type"] === "function_call_output" && !same.some(({ type }) => type === "function_call")) {
      complaints.push(`${at}: an output without its call`);
    }
    const next = items[index + 1];
    if (item["type"] === "reasoning" && (next === undefined || next["role"] === "user")) {
      complaints.push(`${at}: reasoning without its following item`);
    }
  }
  return [...complaints, ...illFormed(body)];
}

function partsOf(block: Wire): readonly Wire[] {
  return block["type"] === "tool_result" && Array.isArray(block["content"])
    ? (block["content"] as Wire[])
    : [];
}

/** Lone surrogates anywhere, also within arguments that are JSON in a text. */
function illFormed(value: unknown): readonly string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : ["a lone surrogate"];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...illFormed(key),
    ...illFormed(inner),
    ...(key === "arguments" && typeof inner === "string" ? illFormed(parseJson(inner)?.value) : []),
  ]);
}
