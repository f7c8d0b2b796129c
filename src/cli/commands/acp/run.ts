import { decode } from "../../../base/text/text.ts";
import type { AcpEngine } from "../../../server/acp/editor/editor.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { VERSION } from "../../version.ts";
import type { AcpContext } from "./flags.ts";

/**
 * Runs `cinch acp`: serves the engine to an editor that speaks the Agent Client Protocol, over standard input and
 * output (CTL-16). Exit code 0 when the editor closes them.
 */
export async function run({ flags, settings, at, stop }: AcpContext): Promise<ExitCode> {
  const listen = !flags["no-listen"];
  const { signal } = stop;
  await using undo = new AsyncDisposableStack();
  // An editor that only asks for capabilities needs no engine. A failed start is reported in the editor.
  async function engine(): Promise<AcpEngine> {
    const { reachEngine } = await import("../../shared-engine/reach-engine.ts");
    const { sessionRequest } = await import("../../session-request.ts");
    const reached = undo.use(await reachEngine({ settings, at, listen, features: ["acp"], signal }));
    return {
      port: reached.port,
      async fresh(workingDir) {
        const { run, ...request } = await sessionRequest({ settings, at });
        // The person acknowledges files in the editor.
        return { ...request, workingDir, run: { ...run, asksTrust: true } };
      },
    };
  }
  const { serveAcp } = await import("../../../server/acp/serve-acp.ts");
  await serveAcp({
    world: at.world,
    version: VERSION,
    engine,
    input: Bun.stdin.stream(),
    output: new WritableStream({ write: (bytes) => at.stdout.write(decode(bytes)) }),
    signal,
  });
  return signal.aborted ? EXIT.cancelled : EXIT.done;
}
