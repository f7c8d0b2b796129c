import { expect, test } from "bun:test";
import { HarnessError } from "../../base/errors.ts";
import { withNotices } from "./config-now.ts";

test("[PROF-03] a start that failed says what has changed since, in a new error that names the first as its cause", () => {
  const thrown = new HarnessError("UsageInvalid", { problem: "there is no model" });
  const { message } = thrown;
  const told = withNotices(thrown, ["routing has changed."]);
  expect(told).toBeInstanceOf(HarnessError);
  expect(told).toMatchObject({
    reason: "UsageInvalid",
    message: `${message} routing has changed.`,
    cause: thrown,
  });
  expect(thrown.message).toBe(message);
  expect(withNotices(thrown, [])).toBe(thrown);
  const without = new HarnessError("NoModel", { problem: "is configured", variables: "A", servers: "B" });
  expect(withNotices(without, ["providers has changed."])).toMatchObject({
    message: `${without.message} providers has changed.`,
  });
  const other = new HarnessError("EngineStopping", {});
  expect(withNotices(other, ["routing has changed."])).toBe(other);
});
