import type { ClientId } from "../../src/base/ids.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { McpGrant } from "../../src/credentials/mcp/grant.ts";
import { joinScopes } from "../../src/credentials/mcp/grant.ts";
import type { GrantStore } from "../../src/credentials/mcp/grant-fetch.ts";
import { grantFetch } from "../../src/credentials/mcp/grant-fetch.ts";
import { elicit } from "../../src/features/mcp/elicitation/elicitation.ts";
import { logIn } from "../../src/features/mcp/login/login.ts";
import { toolOutput } from "../../src/features/mcp/tools/results.ts";
import { findRefusal, openHttpTransport } from "../../src/features/mcp/transport/http.ts";
import { connectMcp } from "../../src/features/mcp/transport/mcp-connection.ts";
import { hostClock } from "../../src/platform/clock.ts";
import { hostRandom } from "../../src/platform/random.ts";
import { hostFetch } from "../../src/platform/sockets/fetch.ts";
import { hostListen } from "../../src/platform/sockets/listen.ts";
import { hostResolve } from "../../src/platform/sockets/resolve.ts";
import type { AskOutcome, NewQuestion } from "../../src/session/questions.ts";

// The client of cinch as the official conformance suite of MCP starts it: with the address of a server, and the name
// of the scenario in the environment. It connects, lists the tools and calls each; where it is not let in it logs in,
// as a person would whose browser agrees to everything, and tries again.

const LOGINS_MAX = 3;
const fetch = hostFetch();
const { signal } = new AbortController();
const url = process.argv.at(-1) ?? "";
const context = contextFrom(process.env["MCP_CONFORMANCE_CONTEXT"]);

let grant: McpGrant | undefined;
const store: GrantStore = {
  read: () => Promise.resolve(grant),
  replace: (_name, _before, after) => {
    grant = after;
    return Promise.resolve();
  },
};

async function session(): Promise<void> {
  const server = { name: "conformance", transport: "http" as const, url, headers: {} };
  const authorized = grantFetch({ store, fetch, clock: hostClock });
  const ports = { clock: hostClock, fetch, authorized, log: SILENT_LOG };
  const connection = await connectMcp(
    await openHttpTransport(server, ports),
    "auto",
    {
      clock: hostClock,
      log: SILENT_LOG,
      version: "0",
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
      prepare(client) {
        client.setRequestHandler("elicitation/create", (request) =>
          elicit(server.name, request.params, { ask: agree, signal }),
        );
      },
      onToolsChanged: () => undefined,
    },
    signal,
  );
  try {
    for (const tool of await connection.tools(signal)) {
      const result = await connection.call(tool.name, inputFor(tool.name), { signal });
      console.log(tool.name, JSON.stringify(toolOutput(result)));
    }
  } finally {
    await connection.close();
  }
}

/** Says yes, and leaves the rest as it is. */
function agree({ choices }: NewQuestion): Promise<AskOutcome> {
  const answer = choices?.some(({ value }) => value === "answer") === true ? "answer" : "-";
  return Promise.resolve({ kind: "answered", answer, by: "cli_person" as ClientId });
}

function inputFor(tool: string): { readonly [name: string]: number } {
  return tool === "add_numbers" ? { a: 2, b: 3 } : {};
}

async function logInAgain(scope: string | undefined): Promise<void> {
  grant = await logIn(
    {
      name: "conformance",
      url,
      clientId: context["client_id"] ?? "https://conformance-test.local/client-metadata.json",
      ...(context["client_secret"] === undefined ? {} : { clientSecret: context["client_secret"] }),
      scopes: (joinScopes(scope) ?? "").split(" ").filter((each) => each !== ""),
      ...(grant === undefined ? {} : { before: grant }),
    },
    {
      clock: hostClock,
      random: hostRandom,
      listen: hostListen(SILENT_LOG),
      fetch,
      resolve: hostResolve,
      show: browse,
    },
    signal,
  );
}

/** A browser whose owner agrees at once. */
async function browse(page: URL): Promise<void> {
  const answer = await fetch(page.href, { signal });
  const back = answer.headers.get("location");
  if (back !== null) await fetch(back, { signal });
}

function contextFrom(text: string | undefined): Readonly<Record<string, string>> {
  return text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
}

for (let logins = 0; ; logins++) {
  try {
    await session();
    break;
  } catch (thrown) {
    const refusal = findRefusal(thrown);
    const wants = refusal?.reason === "McpLoginNeeded" || refusal?.reason === "McpScopeMissing";
    console.error(String(refusal?.message ?? thrown));
    if (!wants || logins === LOGINS_MAX) {
      process.exitCode = 1;
      break;
    }
    const { scope } = refusal.fields as { readonly scope?: string };
    await logInAgain(scope);
  }
}
