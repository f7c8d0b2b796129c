import { expect, test } from "bun:test";
import { callSummary } from "./call-summary.ts";

test("[TUI-01 bar Tool calls] a call has its path in its name, or the title of its plan, or the todo in progress", () => {
  const todo = (content: string, status: string) => ({ content, status });
  expect(callSummary("Read", { file_path: "a.ts", limit: 3 })).toBe("Read a.ts");
  expect(callSummary("ExitPlanMode", { plan: "\n## Cancel retries\n\n1. …" })).toBe(
    "ExitPlanMode Cancel retries",
  );
  expect(
    callSummary("TodoWrite", { todos: [todo("read", "completed"), todo("fix\u001b[2J", "in_progress")] }),
  ).toBe("TodoWrite fix");
  expect(callSummary("TodoWrite", { todos: [todo("read", "completed")] })).toBe("TodoWrite 1 todo");
  expect(callSummary("Other", { plan: 3, todos: "none" })).toBe('Other {"plan":3,"todos":"none"}');
  expect(callSummary("Other", {})).toBe("Other");
});
