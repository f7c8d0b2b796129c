import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openAcpHome } from "../support/acp-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

const LIMIT_MS = 240_000;
const WRITE = { file_path: "a.txt", content: "hello\n" };

test(
  "[CTL-16] an editor that cancels while its person is asked gets its question back, and nothing is done",
  async () => {
    await using place = openAcpHome([calls("Write", WRITE), says("never said"), says("the next one")]);
    await using open = place.edit("--model", "mock:one", "--level", "ReadOnly");
    const sessionId = await open.editor.begin(place.work);
    const running = open.editor.prompt(sessionId, "write it");
    const { signal } = await open.editor.question();
    await open.editor.connection.agent.notify("session/cancel", { sessionId });
    expect(await running).toMatchObject({ stopReason: "cancelled" });
    expect([signal.aborted, existsSync(join(place.work, "a.txt"))]).toEqual([true, false]);
    expect(await open.editor.prompt(sessionId, "and now?")).toMatchObject({ stopReason: "end_turn" });
  },
  LIMIT_MS,
);
