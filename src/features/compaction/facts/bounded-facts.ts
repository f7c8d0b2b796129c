import { byteLength, grouped } from "../../../base/text/text.ts";
import { headAndTail, withinBytes } from "../summary/cut-text.ts";
import type { Facts, OpenTask } from "./facts.ts";

/** Shares of the space for messages that each kind of fact may take, in percent. */
const SHARES = { requests: 15, rules: 8, tasks: 6, files: 5, plan: 4 } as const;

/** Bytes that each kind may always take: a few hundred tokens decide whether work can continue. */
const BYTES_MIN = { requests: 800, rules: 1_200, tasks: 800, files: 600, plan: 0 } as const;

export interface FactsBudget {
  readonly bytes: number;
  /** Share of the minimum that applies, from 0 to 1: less than 1 only if hardly anything fits. */
  readonly minimum: number;
}

/** Stores a text that is too long where it can be read again; returns the sentence that names the place. */
export type StoreWhole = (text: string) => Promise<string>;

/**
 * Returns the facts cut to their shares of a number of bytes. The newest request comes first, then the one that began
 * its turn, then the others. Of a text that is too long, beginning and end stay, with a reference to the whole. Of
 * lists the newest entries stay.
 */
export async function boundedFacts(
  facts: Facts,
  { bytes, minimum }: FactsBudget,
  keepWhole: StoreWhole,
): Promise<Facts> {
  const share = (kind: keyof typeof SHARES) =>
    Math.floor(Math.max(BYTES_MIN[kind] * minimum, (bytes * SHARES[kind]) / 100));
  const plan = facts.plan === undefined ? undefined : withinBytes(facts.plan, share("plan"));
  return {
    ...(await boundedRequests(facts, share("requests"), keepWhole)),
    rules: lastWithin(facts.rules, share("rules"), byteLength),
    tasks: firstWithin(facts.tasks, share("tasks"), bytesOfTask),
    doneTasks: facts.doneTasks,
    files: firstWithin(facts.files, share("files"), (path) => byteLength(path) + 6),
    ...(plan === undefined || plan === "" ? {} : { plan }),
  };
}

async function boundedRequests(
  { requests, steered }: Pick<Facts, "requests" | "steered">,
  bytesMax: number,
  keepWhole: StoreWhole,
): Promise<Pick<Facts, "requests" | "steered">> {
  const newest = requests.length - 1;
  const begin = Math.max(0, newest - steered);
  const within = async (at: number, max: number) => {
    const text = requests[at] ?? "";
    return byteLength(text) > max ? await cut(text, max, keepWhole) : text;
  };
  const forBegin = begin === newest ? 0 : Math.min(byteLength(requests[begin] ?? ""), bytesMax / 2);
  const texts = new Map([[newest, await within(newest, Math.floor(bytesMax - forBegin))]]);
  const remainingBytes = () =>
    bytesMax - [...texts.values()].reduce((sum, text) => sum + byteLength(text), 0);
  if (begin < newest) texts.set(begin, await within(begin, remainingBytes()));
  for (let at = newest - 1; at >= 0; at -= 1) {
    if (at === begin) continue;
    const request = requests[at] ?? "";
    if (byteLength(request) > remainingBytes()) break;
    texts.set(at, request);
  }
  const shown = [...texts].filter(([, text]) => text.trim() !== "").sort(([a], [b]) => a - b);
  return { requests: shown.map(([, text]) => text), steered: shown.filter(([at]) => at > begin).length };
}

async function cut(request: string, bytesMax: number, keepWhole: StoreWhole): Promise<string> {
  const where = await keepWhole(request);
  return headAndTail(
    request,
    bytesMax,
    (missing) => `[… ${grouped(missing)} bytes of this request are left out. ${where} …]`,
  );
}

function bytesOfTask({ content, status }: OpenTask): number {
  return byteLength(content) + status.length + 32;
}

function firstWithin<Entry>(
  entries: readonly Entry[],
  bytesMax: number,
  bytesOf: (entry: Entry) => number,
): readonly Entry[] {
  let remainingBytes = bytesMax;
  const end = entries.findIndex((entry) => {
    remainingBytes -= bytesOf(entry);
    return remainingBytes < 0;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

function lastWithin<Entry>(
  entries: readonly Entry[],
  bytesMax: number,
  bytesOf: (entry: Entry) => number,
): readonly Entry[] {
  return firstWithin(entries.toReversed(), bytesMax, bytesOf).toReversed();
}
