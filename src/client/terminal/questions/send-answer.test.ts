import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { AnswerCommand } from "./dialog.ts";
import { sendAnswer } from "./send-answer.ts";

const COMMAND = { kind: "Answer", sessionId: "ses_1", askId: "ask_1", answer: "yes" } as AnswerCommand;

test("[PERM-14] an answer is taken, late, gone or refused, and the engine is asked only where that is not clear", async () => {
  const lost = new HarnessError("EngineUnreachable", { url: "unix", detail: "it has gone" });
  const invalid = new HarnessError("InvalidCommand", { kind: "Answer", why: "no such question" });
  for (const [reply, open, outcome] of [
    [{}, 1, { kind: "taken" }],
    [{ counted: false }, 1, { kind: "late" }],
    [invalid, 0, { kind: "gone" }],
    [invalid, 1, { kind: "refused", refusal: invalid }],
    [lost, 0, { kind: "refused", refusal: lost }],
  ] as const) {
    const services = fakeServices();
    services.reply = reply;
    services.found = { questions: open };
    expect(await sendAnswer(COMMAND, services)).toEqual(outcome as never);
    expect(services.queries).toEqual(reply === invalid ? ["GetSession"] : []);
  }
});
