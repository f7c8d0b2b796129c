import { expect, test } from "bun:test";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { todoWriteTool } from "./todo.ts";

test("[TOOL-05] the todo list is replaced, emitted to clients, and answered in few words", async () => {
  await using rig = openToolRig();
  const todos = [
    { content: "a", status: "completed" },
    { content: "b", status: "in_progress", activeForm: "doing b" },
    { content: "c", status: "pending" },
  ];
  expect(await rig.text(todoWriteTool, { todos })).toBe("1 completed, 1 in progress, 1 pending");
  expect(await rig.text(todoWriteTool, { todos: [] })).toBe("The list is empty");
  expect(rig.events).toEqual([
    { kind: "TodoChanged", payload: { items: todos } },
    { kind: "TodoChanged", payload: { items: [] } },
  ] as typeof rig.events);
});

test("[TOOL-05] more than one item in progress is taken, and said to be unclear", async () => {
  await using rig = openToolRig();
  const todos = ["a", "b"].map((content) => ({ content, status: "in_progress" }));
  expect(await rig.text(todoWriteTool, { todos })).toBe(
    "0 completed, 2 in progress, 0 pending. More than one is in progress: one at a time is clearer",
  );
});

test("[TOOL-05] a list that is no list, or far too long, is refused and changes nothing", async () => {
  await using rig = openToolRig();
  const item = { content: "a", status: "pending" };
  for (const todos of ["a", [{ content: "a" }], [{ content: "a", status: "done" }], Array(101).fill(item)]) {
    expect(await rig.text(todoWriteTool, { todos })).toStartWith("error: ");
  }
  expect(await rig.text(todoWriteTool, { todos: [{ ...item, content: "x".repeat(1_001) }] })).toBe(
    "error: Item 1 has more than 1000 characters.",
  );
  expect(rig.events).toEqual([]);
});

test("[TOOL-08 TOOL-09] its description for the model is short, and it changes nothing outside", () => {
  const { name, description, inputSchema, mutating, level } = todoWriteTool;
  expect(JSON.stringify({ name, description, inputSchema }).length).toBeLessThanOrEqual(330);
  expect([mutating, level]).toEqual([false, "ReadOnly"]);
});
