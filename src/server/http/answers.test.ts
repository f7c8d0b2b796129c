import { expect, test } from "bun:test";
import { HarnessError } from "../../base/errors.ts";
import { asRefusal, errorAnswer } from "./answers.ts";

test("[CTL-06 BUS-03] a refusal has its reason, its text and its fields; a failure without a reason reveals nothing", async () => {
  const refused = errorAnswer(new HarnessError("UnknownResource", { what: "skill", name: 'a"b\r\nX: y' }));
  expect([refused.status, await refused.json()]).toEqual([
    404,
    {
      reason: "UnknownResource",
      message: `There is no skill 'a"b\r\nX: y'.`,
      details: { what: "skill", name: 'a"b\r\nX: y' },
    },
  ]);
  const failed = errorAnswer(asRefusal(new Error("the inner workings")));
  const text = await failed.text();
  expect([failed.status, text]).toEqual([500, expect.stringContaining('"reason":"InternalError"')]);
  expect(text).not.toContain("the inner workings");
});

test("[CTL-06 CMD-01] a prompt, a sub-agent or a server that there is not is the asker's mistake, not ours", () => {
  const statuses = [
    new HarnessError("UnknownPromptTemplate", { name: "x", known: "There are none." }),
    new HarnessError("UnknownAgent", { name: "x", hint: "" }),
    new HarnessError("McpServerUnknown", { name: "x", hint: "" }),
  ].map((refusal) => errorAnswer(refusal).status);
  expect(statuses).toEqual([404, 404, 404]);
});
