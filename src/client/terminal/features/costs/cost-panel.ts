import { HarnessError } from "../../../../base/errors.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ListContent } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import type { CostTable } from "./cost-entries.ts";
import { COST_TABLES, costColumns, costEntries, TABLE_WORDS, totalText } from "./cost-entries.ts";

/** Opens the costs of the session as tables: by turn, model, agent and what was read, and the misses of the cache. */
export function openCosts(services: Services): void {
  const { session, say } = services;
  if (session.open === undefined) {
    say("No session is open yet.");
    return;
  }
  const { session: sessionId } = session.open;
  let table: CostTable = "turns";
  let spend: ResultOf<"GetSpend"> | undefined;
  let content: ListContent<string> = { entries: [], note: "reading the costs …" };
  const panel: ListPanel<string> = new ListPanel<string>({
    isOfSession: true,
    title: "Costs",
    place: "full",
    services,
    contexts: ["costs"],
    columns: () => costColumns(table),
    staysOpen: true,
    content: () => content,
    facts: () => (spend === undefined ? "" : `${TABLE_WORDS[table]} · ${totalText(spend)}`),
    hints: () => [
      ["costs.next", TABLE_WORDS[neighbour(table, 1)]],
      ["costs.previous", TABLE_WORDS[neighbour(table, -1)]],
      ["list.leave", "close"],
    ],
    choose: () => undefined,
    act(action) {
      if (action !== "costs.next" && action !== "costs.previous") return false;
      table = neighbour(table, action === "costs.next" ? 1 : -1);
      show();
      return true;
    },
  });

  function show(): void {
    if (spend === undefined) return;
    const prompts = new Map(session.view.turns.all.map(({ turn, words }) => [turn, words]));
    const entries = costEntries(spend, table, prompts);
    const none = table === "misses" ? "The prompt cache missed nothing." : "Nothing was sent to a model yet.";
    content = entries.length === 0 ? { entries, note: none } : { entries };
    panel.toTop();
  }

  async function read(): Promise<void> {
    const answer = await session.query({ kind: "GetSpend", sessionId });
    if (answer instanceof HarnessError) content = { entries: [], note: refusalText(answer) };
    else spend = answer;
    show();
    services.redraw();
  }

  services.open(panel);
  inBackground(read(), services);
}

function neighbour(table: CostTable, by: 1 | -1): CostTable {
  const at = COST_TABLES.indexOf(table) + by + COST_TABLES.length;
  return COST_TABLES[at % COST_TABLES.length] ?? table;
}
