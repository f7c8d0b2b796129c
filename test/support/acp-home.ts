import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AcpEditor, EditorParts } from "./acp-editor.ts";
import { acpEditor } from "./acp-editor.ts";
import type { CinchHome, RunningCinch } from "./cinch.ts";
import { cinchHome, startCinch } from "./cinch.ts";
import type { MockOptions } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";
import type { Turn } from "./mock-provider/turn.ts";
import { processesWith } from "./processes.ts";
import { until } from "./until.ts";

/** A home with a model that plays a script, for editors that start the real program. */
export interface AcpHome extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  /** Returns the model's last request as one text. */
  readonly sent: () => string;
  /** Starts `cinch acp` for one more editor. */
  edit(...flags: readonly string[]): OpenEditor;
  /** The same in the engine that all clients of this home share. */
  share(...flags: readonly string[]): OpenEditor;
  /** The same as `edit` for an editor with further parts. */
  editWith(parts: EditorParts, ...flags: readonly string[]): OpenEditor;
}

export interface OpenEditor extends AsyncDisposable {
  readonly editor: AcpEditor;
  readonly cinch: RunningCinch;
}

export function openAcpHome(
  script: readonly Turn[],
  env: Readonly<Record<string, string>> = {},
  catalogue?: MockOptions["catalogue"],
): AcpHome {
  const home = cinchHome();
  const provider = startMockProvider({ script, ...(catalogue === undefined ? {} : { catalogue }) });
  const config = join(home.path, "config/cinch");
  mkdirSync(config);
  const key = Object.keys(env).map((name) => `api_key_env = "${name}"\n`);
  const local = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n${key.join("")}`;
  writeFileSync(join(config, "config.toml"), local);
  const work = join(home.path, "work");
  mkdirSync(work);
  return {
    home,
    work,
    sent: () => JSON.stringify(provider.requests.at(-1)?.body["messages"]),
    edit: (...flags) => editor({}, ["--no-listen", ...flags]),
    share: (...flags) => editor({}, flags),
    editWith: (parts, ...flags) => editor(parts, ["--no-listen", ...flags]),
    async [Symbol.asyncDispose]() {
      await until("a shared engine has ended", () => processesWith(home.path).length === 0);
      await provider[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };

  function editor(parts: EditorParts, flags: readonly string[]): OpenEditor {
    const cinch = startCinch(["acp", ...flags], { home, cwd: work, env });
    const output = new WritableStream<Uint8Array>({
      write: (bytes) => cinch.write(new TextDecoder().decode(bytes)),
    });
    const input = streamOf(cinch.stdout);
    return {
      editor: acpEditor(output, input, parts),
      cinch,
      [Symbol.asyncDispose]: () => cinch[Symbol.asyncDispose](),
    };
  }
}

function streamOf(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = texts[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
}
