import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { event, LOG_KEY, newLog, says } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { resumeHistory } from "../history/history.ts";
import { openSqliteStore } from "./open.ts";

/** A table that is read from end to end; logs are walked through by time, newest first, as far as the list goes. */
const READ_WHOLE =
  /^SCAN (events|messages|costs|tool_call_\w+|data_keys|runs|leases|key_spans|notes|marks|logs$)/u;

test("[PERF-05 SES-17] nothing that a session does reads a table from end to end", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  const { prepare } = Database.prototype;
  const statements = new Set<string>();
  using _seen = spyOn(Database.prototype, "prepare").mockImplementation(function (
    this: Database,
    ...[sql, values]: Parameters<typeof prepare>
  ) {
    statements.add(sql);
    return prepare.call(this, sql, values);
  } as typeof prepare);
  {
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
    statements.clear(); // making a store looks at everything there is, which is nothing
    const log = newLog(world);
    const callId = world.ids.next("call");
    const intent = {
      callId,
      tool: "Bash",
      argsHash: "",
      summary: "x",
      mutating: true,
      startedAt: log.createdAt,
    };
    const cost = { provider: "p", model: "m", inputTokens: 1, outputTokens: 1, usd: 1 };
    {
      await using writer = await store.create(log, world.machine);
      const content = [{ type: "text" as const, text: "go" }];
      const originator = world.ids.next("cli");
      const events = [
        event(log.session, 1, { kind: "TurnStarted", payload: { turn: 1, originator, content } }),
        event(log.session, 2, { kind: "CostIncremented", payload: cost }),
      ];
      const messages = [{ after: 1, turn: 1, message: says("user", "go"), boundary: true }];
      await writer.append({ events, messages, intents: [intent] }, "power");
      await writer.append({ outcomes: [{ callId, outcome: "ok", completedAt: log.createdAt }] }, "power");
    }
    await using _writer = await store.open(log.logId, world.ids.next("sess"), world.machine);
    await store.list({ limit: 20 });
    await store.list({ workingDir: log.workingDir, limit: 20 });
    await store.list({ branchOf: log.logId, limit: 20 });
    const found = await store.find(log.session);
    await store.list({ archived: "without", limit: 20, ...(found === undefined ? {} : { before: found }) });
    const { notes } = store;
    const note = { text: "x", ts: log.createdAt };
    await notes?.rename(log.logId, note);
    await notes?.archive(log.logId, false);
    await notes?.setDraft(log.logId, "me", note);
    await notes?.draft(log.logId, "me");
    await notes?.markRead(log.logId, "me", { event: 1, ts: log.createdAt });
    await notes?.unread(log.logId, "me");
    await store.events(log.logId, 0, 9);
    await store.markedEvents(log.logId, 0, 9);
    await store.eventsBefore(log.logId, 9, 9);
    await store.messagesAt(log.logId, 1);
    await store.costs(log.logId, 0);
    await store.expired(log.logId);
    await store.lastDay("2199-01-01");
    await store.pin(log.logId, false);
    await store.expire(log.logId, log.createdAt.slice(0, 10));
    await resumeHistory(store, log.logId);
  }
  const database = new Database(path);
  const plans = [...statements]
    .filter((sql) => !/^(BEGIN|COMMIT|ROLLBACK|PRAGMA)/u.test(sql))
    .flatMap((sql) =>
      prepare
        .call(database, `EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => ({ sql, detail: String(Object(row).detail) })),
    );
  database.close();
  expect(plans.length).toBeGreaterThan(30);
  expect(plans.filter(({ detail }) => READ_WHOLE.test(detail))).toEqual([]);
  expect(plans.filter(({ detail }) => detail.includes("TEMP B-TREE"))).toEqual([]);
});
