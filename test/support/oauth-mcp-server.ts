import { createHash } from "node:crypto";

export interface OAuthServerOptions {
  /** Changes the metadata of the authorization server. */
  readonly metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Changes the metadata of the resource. */
  readonly resource?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Changes the redirect with the code. */
  readonly back?: (query: URLSearchParams) => void;
  /** Answers in the place of the token endpoint. */
  readonly token?: (form: URLSearchParams) => Response | undefined;
  /** Calls are answered in a stream, after a sign of progress, and the server has a stream of its own. */
  readonly streams?: boolean;
  /** Lifetime of tokens in seconds. */
  readonly seconds?: number;
}

/**
 * An MCP server with one tool, `whoami`, that lets in who bears a token of the authorization server in the same
 * process: with metadata, registration, PKCE and refresh tokens that count once, as the specification has them.
 */
export function startOAuthMcpServer({
  metadata,
  resource,
  back,
  token,
  streams = false,
  seconds = 3_600,
}: OAuthServerOptions = {}) {
  const good = new Set<string>();
  const codes = new Map<
    string,
    { readonly challenge: string; readonly redirect: string; readonly client: string }
  >();
  const refreshable = new Set<string>();
  const seen: { readonly method: string; readonly path: string; readonly authorization: string | null }[] =
    [];
  const forms: URLSearchParams[] = [];
  let count = 0;
  let open = 0;

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url);
      const authorization = request.headers.get("authorization");
      seen.push({ method: request.method, path: pathname, authorization });
      switch (pathname) {
        case "/mcp":
          return await mcp(request, authorization);
        case "/.well-known/oauth-protected-resource/mcp": {
          const own = { resource: `${origin()}/mcp`, authorization_servers: [origin()] };
          return Response.json(resource?.(own) ?? own);
        }
        case "/.well-known/oauth-authorization-server": {
          const own = ownMetadata();
          return Response.json(metadata?.(own) ?? own);
        }
        case "/register":
          return Response.json(
            { ...((await request.json()) as object), client_id: "registered" },
            { status: 201 },
          );
        case "/authorize":
          return authorize(searchParams);
        case "/token": {
          const form = new URLSearchParams(await request.text());
          forms.push(form);
          return token?.(form) ?? exchange(form);
        }
        default:
          return new Response(null, { status: 404 });
      }
    },
  });
  const origin = () => `http://127.0.0.1:${server.port}`;

  function ownMetadata(): Record<string, unknown> {
    return {
      issuer: origin(),
      authorization_endpoint: `${origin()}/authorize`,
      token_endpoint: `${origin()}/token`,
      registration_endpoint: `${origin()}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  function authorize(query: URLSearchParams): Response {
    count += 1;
    const code = `code-${count}`;
    const redirect = query.get("redirect_uri") ?? "";
    codes.set(code, {
      challenge: query.get("code_challenge") ?? "",
      redirect,
      client: query.get("client_id") ?? "",
    });
    const answer = new URLSearchParams({ code, state: query.get("state") ?? "", iss: origin() });
    back?.(answer);
    return Response.redirect(`${redirect}?${answer.toString()}`, 302);
  }

  function exchange(form: URLSearchParams): Response {
    if (form.get("grant_type") === "refresh_token") {
      const old = form.get("refresh_token") ?? "";
      return refreshable.delete(old) ? fresh() : Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isOurs =
      code?.challenge === verifier &&
      code.redirect === form.get("redirect_uri") &&
      code.client === form.get("client_id") &&
      form.get("resource") === `${origin()}/mcp`;
    return isOurs ? fresh() : Response.json({ error: "invalid_grant" }, { status: 400 });
  }

  function fresh(): Response {
    count += 1;
    const [access, refresh] = [`access-token-${count}-0123456789`, `refresh-token-${count}-0123456789`];
    good.add(access);
    refreshable.add(refresh);
    return Response.json({
      access_token: access,
      token_type: "Bearer",
      expires_in: seconds,
      refresh_token: refresh,
      scope: "read",
    });
  }

  async function mcp(request: Request, authorization: string | null): Promise<Response> {
    if (!good.has(authorization?.replace(/^Bearer /, "") ?? "")) {
      const challenge = `Bearer resource_metadata="${origin()}/.well-known/oauth-protected-resource/mcp", scope="read"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    }
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    if (request.method === "GET" && streams) return opened(request.signal);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method } = (await request.json()) as { readonly id?: number; readonly method: string };
    if (id === undefined) return new Response(null, { status: 202 });
    const result = resultOf(method, authorization);
    const error = { code: -32_601, message: "no such method" };
    const answer = { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
    const session = streams && method === "initialize" ? { "mcp-session-id": "one" } : undefined;
    if (!streams || method !== "tools/call")
      return Response.json(answer, session === undefined ? {} : { headers: session });
    const progress = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: id, progress: 1 },
    };
    return streamed(`data: ${JSON.stringify(progress)}\n\n`, `data: ${JSON.stringify(answer)}\n\n`);
  }

  /** A stream on which nothing comes, until its reader leaves. */
  function opened(leaves: AbortSignal): Response {
    open += 1;
    leaves.addEventListener("abort", () => {
      open -= 1;
    });
    return streamed(": open\n\n", new Promise<string>(() => undefined));
  }

  return {
    url: `${origin()}/mcp`,
    origin: origin(),
    seen,
    forms,
    /** Streams of its own that somebody reads. */
    openStreams: () => open,
    /** One that was given out in another way. */
    admit: (given: string) => void good.add(given),
    /** Every token that is out counts no more. */
    revoke: () => good.clear(),
    /** Nor do the ways to new ones. */
    forget: () => refreshable.clear(),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A body of these pieces, each sent when it is there. */
function streamed(...pieces: readonly (string | Promise<string>)[]): Response {
  const encoder = new TextEncoder();
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(encoder.encode(await next));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function resultOf(method: string, authorization: string | null): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "guarded", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "whoami", description: "Says who calls.", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [{ type: "text", text: `let in, with ${authorization}` }] };
    default:
      return undefined;
  }
}

/** A browser whose owner agrees to everything, as far as one redirect back to this machine. */
export async function agree(page: URL | string): Promise<number> {
  const answer = await fetch(page, { redirect: "manual" });
  const back = answer.headers.get("location");
  return back === null ? answer.status : (await fetch(back)).status;
}
