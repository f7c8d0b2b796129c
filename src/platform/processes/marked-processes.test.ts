import { expect, test } from "bun:test";
import { endMarked } from "./marked-processes.ts";

test.skipIf(process.platform !== "linux")(
  "[REL-03 SES-03] marked processes are killed, and one that lives on is returned",
  async () => {
    const mark = `mark-${process.pid}`;
    await using child = Bun.spawn(["sleep", "600"], { env: { CINCH_MARK_TEST: mark } });
    expect(await endMarked("CINCH_MARK_TEST", mark, () => undefined)).toEqual({
      killed: [child.pid],
      living: [child.pid],
    });
    expect(await endMarked("CINCH_MARK_TEST", mark)).toEqual({ killed: [child.pid], living: [] });
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
  },
);
