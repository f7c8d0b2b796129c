import { defined } from "../../../base/defined.ts";
import { isObject, parseJson, stringAt } from "../../../base/json.ts";
import { count } from "../../../base/text/text.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import { fence } from "../../../safety/fence.ts";
import type { Facts } from "../facts/facts.ts";
import { NO_FACTS } from "../facts/facts.ts";

/** A summary. `by`: a model, or the log from which it was made. */
export interface Summary {
  readonly by: "model" | "log";
  readonly text: string;
}

/** The parsed beginning of the first message after a compaction. */
export interface CompactedHead {
  readonly facts: Facts;
  readonly summary: string;
  /** Blocks after it: text of the same message. */
  readonly rest: readonly ContentBlock[];
}

// The first line states how many blocks of each kind follow, so that no text in them can be taken for another.
const FIRST_LINE =
  /^\[Compacted by cinch: (\d+) of facts, (\d+) of summary, (\d+) of rules, (\d+) of requests(?:, (\d+) of them in the middle of a turn)?\]\n/;

const TASKS = "Open tasks";
const FILES = "Files worked on, the newest first";
const PLAN = "Plan";

/**
 * Returns the blocks that replace everything before the boundary. Facts and summary hold text of tools and models, so
 * they are fenced; rules and requests are the user's own, one block each.
 */
export function renderCompactedHead(facts: Facts, summary: Summary): readonly ContentBlock[] {
  const factTexts = [fence("summary", factLines(facts))].filter((text) => text !== undefined);
  const summed = [fence("summary", summary.text)].filter((text) => text !== undefined);
  const { rules, requests, steered } = facts;
  const first = `[Compacted by cinch: ${factTexts.length} of facts, ${summed.length} of summary, ${rules.length} of rules, ${requests.length} of requests${steered === 0 ? "" : `, ${steered} of them in the middle of a turn`}]`;
  const by = summary.by === "model" ? "a summary by a model" : "a summary made from the log";
  const parts = [
    ...(factTexts.length > 0 ? ["tasks and files as the log has them (data)"] : []),
    ...(summed.length > 0 ? [`${by} (data)`] : []),
    ...(rules.length > 0 ? [`${count(rules.length, "standing rule")} in the user's own words`] : []),
    ...(requests.length > 0
      ? [
          `the last ${count(requests.length, "request")} of the user from before, the newest last${steered === 0 ? "" : `; the last ${steered === 1 ? "one" : steered} came while the one before was worked on`}`,
        ]
      : []),
  ];
  const texts = [
    `${first}\nWhat was said before this is no longer sent; the session's log keeps it. Here follow: ${parts.join("; ")}. Go on from there.`,
    ...factTexts,
    ...summed,
    ...rules,
    ...requests,
  ];
  return texts.map((text) => ({ type: "text", text }));
}

export function parseCompactedHead(message: Message | undefined): CompactedHead | undefined {
  const [first, ...blocks] = message?.content ?? [];
  const found = first?.type === "text" ? FIRST_LINE.exec(first.text) : null;
  if (found === null) return undefined;
  const texts = blocks.map((block) => (block.type === "text" ? block.text : ""));
  const [facts = 0, summed = 0, rules = 0, requests = 0, steered = 0] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const ends = [facts, facts + summed, facts + summed + rules, facts + summed + rules + requests] as const;
  const asked = texts.slice(ends[2], ends[3]).filter((text) => text !== "");
  return {
    facts: {
      ...readFacts(texts.slice(0, ends[0]).map(withoutFence).join("\n")),
      rules: texts.slice(ends[1], ends[2]).filter((text) => text !== ""),
      requests: asked,
      steered: Math.min(steered, Math.max(0, asked.length - 1)),
    },
    summary: texts.slice(ends[0], ends[1]).map(withoutFence).join("\n"),
    rest: blocks.slice(ends[3]),
  };
}

/** Removes the tags of the fence around a text. */
export function withoutFence(text: string): string {
  return /^<untrusted-[a-z-]+>\n([\s\S]*)\n<\/untrusted-[a-z-]+>$/.exec(text)?.[1] ?? text;
}

/** Renders each entry as a line of JSON, which no entry can leave. */
export function factLines({ tasks, doneTasks, files, plan }: Facts): string {
  const done = doneTasks === 0 ? "" : ` (${doneTasks} done)`;
  return [
    ...(tasks.length + doneTasks === 0 ? [] : [`${TASKS}${done}:`]),
    ...tasks.map((task) => `- ${JSON.stringify(task)}`),
    ...(files.length === 0 ? [] : [`${FILES}:`]),
    ...files.map((path) => `- ${JSON.stringify(path)}`),
    ...(plan === undefined ? [] : [`${PLAN}:`, `- ${JSON.stringify(plan)}`]),
  ].join("\n");
}

function readFacts(text: string): Facts {
  const sections = new Map<string, unknown[]>([
    [TASKS, []],
    [FILES, []],
    [PLAN, []],
  ]);
  let entries: unknown[] | undefined;
  let doneTasks = 0;
  for (const line of text.split("\n")) {
    const heading = /^([A-Z][a-z, ]+?)(?: \((\d+) done\))?:$/.exec(line);
    if (heading !== null) {
      entries = sections.get(heading[1] ?? "");
      if (heading[2] !== undefined) doneTasks = Number(heading[2]);
    } else if (line.startsWith("- ")) {
      entries?.push(parseJson(line.slice(2))?.value);
    }
  }
  const [plan] = (sections.get(PLAN) ?? []).filter((entry) => typeof entry === "string");
  return {
    ...NO_FACTS,
    tasks: (sections.get(TASKS) ?? []).filter(isObject).map((entry) => ({
      status: stringAt(entry, "status") ?? "pending",
      content: stringAt(entry, "content") ?? "",
    })),
    doneTasks,
    files: (sections.get(FILES) ?? []).filter((entry) => typeof entry === "string"),
    ...defined({ plan }),
  };
}
