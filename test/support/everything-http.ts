import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

export interface EverythingServer extends AsyncDisposable {
  readonly url: string;
}

/** The official server that has something of everything, over HTTP on a port of its own, at loopback. */
export async function startEverything(transport: "http" | "sse"): Promise<EverythingServer> {
  const mode = transport === "http" ? "streamableHttp" : "sse";
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const preload = `--preload=${join(import.meta.dir, "loopback-listen-child.ts")}`;
  const child = Bun.spawn([process.execPath, ...flags, preload, SERVER, mode], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", PORT: "0" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const port = await portFrom(child.stderr);
  return {
    url: `http://127.0.0.1:${port}/${transport === "http" ? "mcp" : "sse"}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Reads on for as long as the server lives, so that its pipe never fills. */
async function portFrom(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const found = Promise.withResolvers<string>();
  let said = "";
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const bytes of stderr) {
      if (said.length > 65_536) continue;
      said += decoder.decode(bytes, { stream: true });
      const port = /^PORT (\d+)$/m.exec(said)?.[1];
      if (port !== undefined) found.resolve(port);
    }
    found.reject(new Error(`the server ended before it listened: ${said.slice(-2_000)}`));
  })();
  reading.catch(found.reject);
  return await found.promise;
}
