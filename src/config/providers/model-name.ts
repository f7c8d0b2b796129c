/** `provider:name`, as `--model` takes it. */
export const MODEL_NAME = /^[^:\s]+:\S+$/;

/** Returns why a text is not the name of a model; undefined for a name. */
export function modelProblem(text: string): string | undefined {
  return MODEL_NAME.test(text) ? undefined : `"${text}" is not a model: write provider:name`;
}
