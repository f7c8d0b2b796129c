import type { AcpEngine } from "../../src/server/acp/editor/editor.ts";
import { serveAcp } from "../../src/server/acp/serve-acp.ts";
import type { AcpEditor, EditorParts } from "./acp-editor.ts";
import { acpEditor } from "./acp-editor.ts";
import type { Rig, RigOptions } from "./rig.ts";
import { openRig } from "./rig.ts";
import { rigPort } from "./rig-port.ts";

export interface AcpRigOptions extends RigOptions {
  /** Errors of the next attempts to connect to the engine. */
  readonly failures?: Error[];
}

/** The real engine with a scripted model and a fake clock, served to editors that the official SDK makes. */
export interface AcpRig extends AsyncDisposable {
  readonly rig: Rig;
  /** The event above which each subscription of an editor has begun. */
  readonly subscribed: (number | undefined)[];
  /** One more editor on the same engine. */
  open(parts?: EditorParts): OpenEditor;
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
  const { world } = rig;
  const failures = options.failures ?? [];
  const stop = new AbortController();
  const port = rigPort(rig, { features: ["acp"] });
  const subscribed: (number | undefined)[] = [];
  const engine: AcpEngine = {
    fresh: async (workingDir) => ({ kind: "CreateSession", profile: "test", workingDir }),
    port: {
      attach(request) {
        const connection = port.attach(request);
        const subscribe = connection.subscribe.bind(connection);
        connection.subscribe = (session, wanted) => {
          subscribed.push(wanted.since);
          return subscribe(session, wanted);
        };
        return connection;
      },
    },
  };
  const open = (parts?: EditorParts): OpenEditor => {
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
      editor: acpEditor(output, back.readable, parts),
      served,
      send: (bytes) => writer.write(new TextEncoder().encode(bytes)),
      vanish: () => void writer.close(),
    };
  };
  return {
    rig,
    subscribed,
    open,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await rig[Symbol.asyncDispose]();
    },
  };
}
