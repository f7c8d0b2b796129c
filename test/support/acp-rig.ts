import { HarnessError } from "../../src/base/errors.ts";
import { SLASH_COMMANDS } from "../../src/protocol/commands/slash-commands.ts";
import { EVENT_KINDS } from "../../src/protocol/kinds.ts";
import type { SessionInfo } from "../../src/protocol/resources.ts";
import type { AcpEngine } from "../../src/server/acp/serve-acp.ts";
import { serveAcp } from "../../src/server/acp/serve-acp.ts";
import { connectInproc } from "../../src/server/hub/inproc.ts";
import { SERVED_COMMANDS } from "../../src/server/hub/multiplexer.ts";
import { sessionRow } from "../../src/session/transcript/overview.ts";
import type { AcpEditor } from "./acp-editor.ts";
import { acpEditor } from "./acp-editor.ts";
import type { Rig, RigOptions } from "./rig.ts";
import { openRig } from "./rig.ts";

export interface AcpRigOptions extends RigOptions {
  /** What reaching the engine fails with, each time until it is empty. */
  readonly failures?: Error[];
}

/** The real engine with a scripted model and a fake clock, served to editors that the official SDK makes. */
export interface AcpRig extends AsyncDisposable {
  readonly rig: Rig;
  /** One more editor on the same engine. */
  open(): OpenEditor;
}

export interface OpenEditor {
  readonly editor: AcpEditor;
  /** Resolves when the engine's side has let go of it. */
  readonly served: Promise<void>;
  /** Bytes past the SDK. */
  send(bytes: string): Promise<void>;
  /** Goes away without a word. */
  vanish(): void;
}

export async function openAcpRig(options: AcpRigOptions): Promise<AcpRig> {
  const rig = await openRig(options);
  const { multiplexer, store, world } = rig;
  const failures = options.failures ?? [];
  const served = { commands: SERVED_COMMANDS, events: EVENT_KINDS, features: ["acp"] };
  const stop = new AbortController();
  const infoOf = async (): Promise<readonly SessionInfo[]> =>
    (await store.list({ limit: 100 })).map((info) => {
      const { pid: _pid, branch_of: _branch, ...row } = sessionRow(info);
      const live = multiplexer.sessions.includes(info.session);
      return { ...row, session: info.session, log: info.logId, live };
    });
  const engine: AcpEngine = {
    fresh: async (workingDir) => ({ kind: "CreateSession", profile: "test", workingDir }),
    port: {
      attach: (request) => connectInproc(multiplexer, request, served),
      catalogue: {
        sessions: infoOf,
        async session(id) {
          const info = await store.find(id);
          const found = (await infoOf()).find(({ log }) => log === info?.logId);
          if (found === undefined) throw new HarnessError("UnknownSession", { id });
          return found;
        },
        slashCommands: async () => SLASH_COMMANDS,
      },
    },
  };
  const open = (): OpenEditor => {
    const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
    const writer = there.writable.getWriter();
    const served = serveAcp({
      world,
      version: "0.0.0",
      engine: async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return engine;
      },
      input: there.readable,
      output: back.writable,
      signal: stop.signal,
    });
    const output = new WritableStream<Uint8Array>({ write: (bytes) => writer.write(bytes) });
    return {
      editor: acpEditor(output, back.readable),
      served,
      send: (bytes) => writer.write(new TextEncoder().encode(bytes)),
      vanish: () => void writer.close(),
    };
  };
  return {
    rig,
    open,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await rig[Symbol.asyncDispose]();
    },
  };
}
