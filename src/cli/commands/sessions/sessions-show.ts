import { findSession } from "../../../app/sessions/find.ts";
import { eventsOf } from "../../../app/sessions/read.ts";
import { defined } from "../../../base/defined.ts";
import { count, grouped } from "../../../base/text/text.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { EventRange, Intent, LogInfo } from "../../../session/store/store.ts";
import type { LogDigest, TurnDigest } from "../../../session/transcript/digest.ts";
import { digestOf } from "../../../session/transcript/digest.ts";
import { sessionRow, sessionStatusOf } from "../../../session/transcript/overview.ts";
import { isUnreadable } from "../../../session/transcript/stand-in.ts";
import type { Cost } from "../../../view/costs/cost.ts";
import { dollars, priceOf, printPrice, printTokens, withBefore } from "../../../view/costs/cost.ts";
import type { Costs } from "../../../view/costs/cost-book.ts";
import { COST_KEYS, CostBook } from "../../../view/costs/cost-book.ts";
import { printCosts } from "../../../view/costs/cost-table.ts";
import { cutEnd } from "../../../view/terminal/display-width.ts";
import type { Column } from "../../../view/terminal/table.ts";
import { COLUMNS, fittedTable, tableLines } from "../../../view/terminal/table.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { ageText } from "../../../view/texts/age-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import type { SessionsVerbContext } from "./sessions-verb-context.ts";

const LOGS_MAX = 100_000;
/** Limit of turns in the text, the newest ones; --json has all. */
const TURNS_SHOWN_MAX = 50;
/** Least width of the column of first words. */
const WORDS_COLUMNS_MIN = 20;
const COST_ROWS_MAX = 20;
/** Width of the names of facts with their space. */
const FACT_COLUMNS = "imported from:  ".length;

interface Shown {
  readonly info: LogInfo;
  readonly costs: Costs;
  readonly digest: LogDigest;
  /** Number of damaged events. */
  readonly unreadable: number;
  readonly orphans: readonly Intent[];
  readonly expired: readonly EventRange[];
  readonly branches: readonly LogInfo[];
}

/** Runs `cinch sessions show`: prints turns, costs and open calls of one session. */
export async function showSession({ words, sessions, at, stop }: SessionsVerbContext): Promise<ExitCode> {
  const { store, workingDir, world } = sessions;
  const info = await findSession(words.target, store, workingDir);
  const costs = new CostBook();
  const seen = { costs, unreadable: 0 };
  const digest = await digestOf(
    counted(eventsOf(store, info, { signal: stop.signal, clock: world.clock }), seen),
  );
  const all = await store.list({ limit: LOGS_MAX });
  const shown = {
    info,
    digest,
    unreadable: seen.unreadable,
    costs: costs.costs,
    orphans: info.heldBy === undefined ? await store.orphans(info.logId) : [],
    expired: await store.expired(info.logId),
    branches: all.filter(({ branchOf }) => branchOf?.logId === info.logId),
  };
  if (words.json) {
    await at.stdout.write(jsonLine(shownJson(shown)));
    return EXIT.done;
  }
  const columns = at.stdout.columns ?? COLUMNS;
  const lines = [
    ...factLines(shown, world.clock.now(), columns),
    ...turnLines(shown, words.cost, columns),
    ...openLines(shown).map((line) => cutEnd(line, columns)),
    ...(words.cost ? ["", ...printCosts(shown.costs, { rowsMax: COST_ROWS_MAX }).split("\n")] : []),
  ];
  await at.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return EXIT.done;
}

/** Yields the same events. Adds up their costs, and counts damaged ones. */
async function* counted(
  events: AsyncIterable<Envelope>,
  seen: { readonly costs: CostBook; unreadable: number },
): AsyncGenerator<Envelope> {
  for await (const event of events) {
    seen.costs.add(event);
    if (isUnreadable(event)) seen.unreadable += 1;
    yield event;
  }
}

function factLines(
  { info, digest, unreadable, branches, expired, costs }: Shown,
  nowMs: number,
  columns: number,
): readonly string[] {
  const { branchOf, heldBy, pinned } = info;
  const { total } = costs;
  // A branch of such a session begins with the same event.
  const wentOnFrom = (branchOf?.at ?? 1) > 1 ? undefined : digest.wentOnFrom;
  const expiredCount = expired.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const facts: (readonly [string, string])[] = [
    ["session", info.session],
    ["log", info.logId],
    ["title", cutEnd(neutraliseLine(info.title), columns - FACT_COLUMNS)],
    [
      "status",
      `${sessionStatusOf(info)}${heldBy === undefined ? "" : ` (process ${heldBy.pid})`}${pinned ? ", pinned" : ""}`,
    ],
    ["directory", info.workingDir],
    ["profile", info.profile],
    ["model", info.model],
    ["begun", `${info.createdAt} (${ageText(info.createdAt, nowMs)})`],
    ["last turn", `${info.updatedAt} (${ageText(info.updatedAt, nowMs)})`],
    [
      "size",
      `${count(digest.turns.length, "turn")}, ${count(digest.events, "event")}, ${count(digest.runs, "run")}`,
    ],
    ...(total.calls === 0
      ? []
      : ([
          ["cost", printPrice(total)],
          ["tokens", printTokens(total)],
        ] as const)),
    ...(costs.before === undefined
      ? []
      : [
          [
            "cost together",
            `${printPrice(withBefore(total, costs.before))} with the sessions before`,
          ] as const,
        ]),
    ...(wentOnFrom === undefined ? [] : [["continues", wentOnFrom] as const]),
    ...(branchOf === undefined ||
    digest.importedFrom !== undefined ||
    digest.taskOf !== undefined ||
    wentOnFrom !== undefined
      ? []
      : [["branch of", `${branchOf.logId} at event ${branchOf.at}`] as const]),
    ...(digest.importedFrom === undefined ? [] : [["imported from", digest.importedFrom] as const]),
    ...(digest.taskOf === undefined ? [] : [["a task of", digest.taskOf] as const]),
    ...branches.map(({ session }, at) => [at === 0 ? "branches" : "", session] as const),
    ...(digest.compactions === 0 ? [] : [["compactions", `${digest.compactions}`] as const]),
    ...(digest.rewinds === 0 ? [] : [["set back", count(digest.rewinds, "time")] as const]),
    ...(unreadable === 0
      ? []
      : [["damaged", `${count(unreadable, "event")}: cinch doctor --full names them`] as const]),
    ...(expiredCount === 0 ? [] : [["expired", `the content of ${count(expiredCount, "event")}`] as const]),
  ];
  const rows = facts.map(([name, value]) => [name === "" ? "" : `${name}:`, neutraliseLine(value)]);
  return tableLines(rows);
}

function turnLines({ digest }: Shown, withCost: boolean, columns: number): readonly string[] {
  const shown = digest.turns.slice(-TURNS_SHOWN_MAX);
  if (shown.length === 0) return [];
  const hiddenCount = digest.turns.length - shown.length;
  const cells = (cell: (turn: TurnDigest) => string) => shown.map(cell);
  const table: readonly Column[] = [
    { name: "TURN", cells: cells(({ turn }) => `${turn}`) },
    { name: "BEGUN", cells: cells((turn) => turn.startedAt.slice(0, 16).replace("T", " ")), dropped: 2 },
    { name: "END", cells: cells((turn) => turn.ended ?? "not ended") },
    { name: "ROUNDS", cells: cells((turn) => grouped(turn.rounds)), dropped: 3 },
    { name: "CALLS", cells: cells(callsText), dropped: 1 },
    ...(withCost
      ? [{ name: "COST", cells: cells(({ cost }) => (cost.calls === 0 ? "-" : printPrice(cost))) }]
      : []),
    {
      name: "EVENTS",
      cells: cells(({ from, to }) => `e${from}${to === undefined ? "" : `-e${to}`}`),
    },
    { name: "FIRST WORDS", cells: cells((turn) => neutraliseLine(turn.firstWords)) },
  ];
  const earlier = hiddenCount === 0 ? [] : [`(${count(hiddenCount, "earlier turn")}: --json shows all)`];
  const { betweenTurns } = digest;
  const between =
    withCost && betweenTurns.calls > 0 ? [`(between turns, for summaries: ${printPrice(betweenTurns)})`] : [];
  return ["", ...fittedTable(table, { columns, lastMin: WORDS_COLUMNS_MIN }), ...earlier, ...between];
}

function callsText({ calls, failedCalls }: TurnDigest): string {
  return failedCalls === 0 ? `${calls}` : `${calls} (${failedCalls} failed)`;
}

function openLines({ info, digest, orphans }: Shown): readonly string[] {
  const open = [
    ...(sessionStatusOf(info) === "interrupted"
      ? ["The last turn broke off; resuming continues there."]
      : []),
    ...orphans.map(
      ({ tool, summary, startedAt }) =>
        `A call began at ${startedAt}, and nobody knows how it ended: ${neutraliseLine(tool)} ${neutraliseLine(summary)}`,
    ),
    ...digest.waiting.map((text) => `Waiting: ${neutraliseLine(text)}`),
  ];
  const checkpoints = digest.checkpoints.map(
    ({ turn, event, files, notRestorable }) =>
      `  turn ${turn} (e${event}): ${count(files, "file")}${notRestorable === 0 ? "" : `, ${notRestorable} not restorable`}`,
  );
  return [
    ...(open.length === 0 ? [] : ["", "Open:", ...open.map((line) => `  ${line}`)]),
    ...(checkpoints.length === 0 ? [] : ["", "Checkpoints:", ...checkpoints]),
  ];
}

function shownJson({ info, digest, unreadable, orphans, expired, branches, costs }: Shown): unknown {
  return {
    ...sessionRow(info),
    cost: costJson(costs),
    turns_list: digest.turns.map(turnJson),
    between_turns: {
      cost_usd: priceOf(digest.betweenTurns),
      known_usd: dollars(digest.betweenTurns.usd),
      provider_calls: digest.betweenTurns.calls,
    },
    waiting: digest.waiting,
    orphans: orphans.map(({ callId, tool, startedAt }) => ({ call: callId, tool, started_at: startedAt })),
    checkpoints: digest.checkpoints.map(({ notRestorable, ...rest }) => ({
      ...rest,
      not_restorable: notRestorable,
    })),
    compactions: digest.compactions,
    rewinds: digest.rewinds,
    runs: digest.runs,
    expired,
    unreadable,
    branches: branches.map(({ session, logId, branchOf }) => ({ session, log: logId, event: branchOf?.at })),
    ...defined({
      imported_from: digest.importedFrom,
      task_of: digest.taskOf,
      went_on_from: digest.wentOnFrom,
    }),
  };
}

function costJson({ total, by, before }: Costs): unknown {
  const parts = COST_KEYS.map(
    (key) => [key, Object.fromEntries([...by[key]].map(([name, cost]) => [name, amount(cost)]))] as const,
  );
  const together =
    before === undefined
      ? {}
      : {
          before: {
            known_usd: dollars(before.usd),
            unknown_calls: before.unknownCalls,
            input_tokens: before.inputTokens,
            output_tokens: before.outputTokens,
          },
        };
  return { total: amount(total), ...together, ...Object.fromEntries(parts) };
}

function amount(cost: Cost): unknown {
  return { usd: priceOf(cost), known_usd: dollars(cost.usd), calls: cost.calls };
}

function turnJson({ startedAt, firstWords, failedCalls, cost, from, to, ...turn }: TurnDigest): unknown {
  return {
    ...turn,
    ended: turn.ended ?? null,
    started_at: startedAt,
    first_words: firstWords,
    failed_calls: failedCalls,
    from,
    to: to ?? null,
    cost_usd: priceOf(cost),
    known_usd: dollars(cost.usd),
    provider_calls: cost.calls,
  };
}
