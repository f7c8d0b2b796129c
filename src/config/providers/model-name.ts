import type { Table } from "../table.ts";

/** `provider:name`, as `--model` takes it. */
export const MODEL_NAME = /^[^:\s]+:\S+$/;

/**
 * A text that stands for a model.
 * @throws HarnessError ConfigInvalid where it is none.
 */
export function modelName(table: Table, key: string, text: string): string {
  if (MODEL_NAME.test(text)) return text;
  throw table.problem(key, `"${text}" is no model: write provider:name`);
}
