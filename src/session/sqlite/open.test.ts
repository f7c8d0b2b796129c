import { join } from "node:path";
import { LOG_KEY, sessionStoreContract } from "../../../test/contracts/session-store.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { openSqliteStore } from "./open.ts";

sessionStoreContract("SQLite", async (world) => {
  const directory = temporaryDirectory();
  const store = await openSqliteStore({ path: join(directory.path, "sessions.db"), world, logKey: LOG_KEY });
  return {
    create: store.create.bind(store),
    open: store.open.bind(store),
    find: store.find.bind(store),
    list: store.list.bind(store),
    events: store.events.bind(store),
    messages: store.messages.bind(store),
    orphans: store.orphans.bind(store),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
});
