import { expect, test } from "bun:test";
import { join } from "node:path";
import { agree, startOAuthMcpServer } from "../../../test/support/oauth-mcp-server.ts";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { Secret } from "../../base/brand.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { logIn } from "../../features/mcp/login/login.ts";
import { toolOutput } from "../../features/mcp/tools/results.ts";
import { openHttpTransport, remoteProblem } from "../../features/mcp/transport/http.ts";
import { connectMcp } from "../../features/mcp/transport/mcp-connection.ts";
import { hostClock } from "../../platform/clock.ts";
import { hostRandom } from "../../platform/random.ts";
import { hostFetch, hostFetchThrough } from "../../platform/sockets/fetch.ts";
import { hostListen } from "../../platform/sockets/listen.ts";
import { hostResolve } from "../../platform/sockets/resolve.ts";
import { helperClient } from "../helper/client.ts";
import { openHelper } from "../helper/open-helper.ts";
import { openMachineKey } from "../machine-key.ts";
import { changeKeyStore } from "../store/key-store.ts";
import type { McpGrant } from "./grant.ts";
import { renderGrant } from "./grant.ts";

const { signal } = new AbortController();
const fetch = hostFetch();
const listen = hostListen(SILENT_LOG);

/** A helper with a store of its own, and the engine's end of it. */
async function openRig() {
  const folder = temporaryDirectory();
  const report = await openHelper(
    {
      socket: join(folder.path, "helper.sock"),
      variables: {},
      directory: folder.path,
      workingDir: folder.path,
      insecureDevKey: false,
    },
    {
      fetch,
      listen,
      random: hostRandom,
      clock: hostClock,
      readSettings: () => Promise.resolve({ customs: [], keychain: false }),
    },
  );
  if (report.kind !== "ready") throw new Error(`the helper refused: ${report.reason}`);
  const client = helperClient();
  client.receive(report);
  const credentials = client.credentials({
    fetch,
    fetchThrough: hostFetchThrough,
    needsOf: () => undefined,
  });
  return {
    report,
    ports: { clock: hostClock, fetch, authorized: credentials.send, log: SILENT_LOG },
    async keep(grant: McpGrant): Promise<void> {
      using machineKey = await openMachineKey({ directory: folder.path, random: hostRandom });
      const secret = new Secret("api-key", renderGrant(grant));
      const entry = {
        provider: "mcp:guarded",
        account: "default",
        secret,
        addedAt: "2026-01-01T00:00:00.000Z",
      };
      await changeKeyStore(
        { path: join(folder.path, "creds.enc"), machineKey, random: hostRandom, clock: hostClock },
        () => [entry],
      );
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("[MCP-01 CRED-03] a login made while the engine runs counts; calls stream through the helper, and leaving ends all of it", async () => {
  await using server = startOAuthMcpServer({ streams: true });
  await using rig = await openRig();
  expect(rig.report.held).toEqual([]);
  const declared = { name: "guarded", transport: "http", url: server.url, headers: {} } as const;
  const parts = { clock: hostClock, log: SILENT_LOG, version: "0", onToolsChanged: () => undefined };
  const opened = async () =>
    await connectMcp(await openHttpTransport(declared, rig.ports), "auto", parts, signal);
  expect(await opened().then(() => "let in", remoteProblem)).toContain("cinch creds login mcp:guarded");

  const show = async (page: URL) => void (await agree(page));
  const login = { clock: hostClock, random: hostRandom, fetch, resolve: hostResolve, listen, show };
  await rig.keep(await logIn({ name: "guarded", url: server.url, scopes: [] }, login, signal));
  const connection = await opened();
  await until("the stream of the server", () => server.openStreams() === 1);
  const progress: number[] = [];
  const onProgress = (each: { readonly progress: number }) => progress.push(each.progress);
  const result = await connection.call("whoami", {}, { signal, onProgress });
  expect(toolOutput(result).content).toEqual([
    { type: "text", text: "let in, with Bearer «redacted:api-key»" },
  ]);
  expect(progress).toEqual([1]);
  await connection.close();
  await until("the end of its stream", () => server.openStreams() === 0);
  expect(server.seen.at(-1)).toMatchObject({ method: "DELETE", path: "/mcp" });
}, 60_000);
