import { startCinch } from "./cinch.ts";
import type { MockHome } from "./mock-home.ts";

/** Starts the engine of a home, as an interactive client does, and waits until it serves. */
export async function startEngineIn(
  { home, work }: Pick<MockHome, "home" | "work">,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<AsyncDisposable & { readonly pid: number; kill(signal: NodeJS.Signals): void }> {
  const engine = startCinch(["serve", "--until-idle"], { home, cwd: work, env });
  let line = "";
  for await (const text of engine.stdout) {
    line += text;
    if (line.includes("\n")) break;
  }
  const { pid }: { pid?: number } = JSON.parse(line);
  if (pid === undefined) throw new Error(`the engine does not serve: ${line}`);
  return { pid, kill: engine.kill, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}
