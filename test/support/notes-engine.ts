import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { OpenHarness } from "../../src/app/harness.ts";
import { HTTP_FEATURES, serveControl } from "../../src/app/serving/control-plane.ts";
import type { SessionId } from "../../src/base/ids.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { ResultOf } from "../../src/protocol/queries/queries.ts";
import { readResult } from "../../src/protocol/queries/read-query.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import type { PlaceOptions, TestProject } from "./place.ts";

/** A real engine of a project, asked over REST by a person's client. */
export interface NotesEngine extends AsyncDisposable {
  readonly harness: OpenHarness;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly token: string;
  /** Returns a token of a person that names these sessions only. */
  mint(sessions: readonly SessionId[]): string;
  /** A GET, or a POST with JSON. */
  send(path: string, json?: unknown): Promise<Response>;
  /** Posts to an address of a session, and gives the answer. */
  post(session: string, at: string, json?: unknown): Promise<unknown>;
  /** Begins a session. */
  session(): Promise<string>;
  end(session: string): Promise<void>;
  /** Sends a prompt, and waits for the end of its turn. */
  turn(session: string, prompt: string): Promise<void>;
  info(session: string, reader?: string): Promise<ResultOf<"GetSession">>;
  list(query: string): Promise<ResultOf<"ListSessions">>;
  draft(session: string, reader: string): Promise<ResultOf<"GetDraft">>;
}

export async function openNotesEngine(
  project: TestProject,
  options: PlaceOptions = {},
): Promise<NotesEngine> {
  await using undo = new AsyncDisposableStack();
  const wishes = { attended: true, ...options.wishes };
  const harness = undo.use(await project.open({ ...options, wishes }));
  const world = hostWorld(SILENT_LOG);
  const stateDirectory = join(project.root, "auth");
  const authority = undo.use(await openAuthority({ world, stateDirectory, channels: () => [] }));
  const engine = await harness.port(HTTP_FEATURES);
  const targets = [{ kind: "loopback", hostname: "127.0.0.1", port: 0 }] as const;
  const server = undo.use(await serveControl({ world, engine, authority, targets }));
  undo.defer(() => server.quiesce());
  const [url = ""] = server.addresses;
  const token = authority.mint({ identityClass: "human" }, "engine");
  let client = "";
  const send = async (path: string, json?: unknown): Promise<Response> => {
    const answer = await fetch(`${url}${path}`, {
      headers: {
        "x-harness-token": token,
        ...(client === "" ? {} : { "x-harness-client": client }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    });
    client = answer.headers.get("x-harness-client") ?? client;
    return answer;
  };
  const asked = async (path: string, json?: unknown): Promise<unknown> => {
    const answer = await send(path, json);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  await asked("/v1/handshake?version=0.3.0");
  const kept = undo.move();
  return {
    ...{ harness, url, token, send },
    mint: (sessions) => authority.mint({ identityClass: "human", sessions }, "engine"),
    post: (session, at, json = {}) => asked(`/v1/sessions/${session}/${at}`, json),
    async session() {
      const made = (await asked("/v1/sessions", {})) as { readonly sessionId: string };
      return made.sessionId;
    },
    async end(session) {
      await asked(`/v1/sessions/${session}/command`, { kind: "EndSession" });
    },
    async turn(session, prompt) {
      await asked(`/v1/sessions/${session}/input?wait=turn`, { content: [{ type: "text", text: prompt }] });
    },
    info: async (session, reader = "me") =>
      readResult(
        "GetSession",
        await asked(`/v1/sessions/${session}?last=0&previews=true&reader=${encodeURIComponent(reader)}`),
      ),
    list: async (query) => readResult("ListSessions", await asked(`/v1/sessions?${query}`)),
    draft: async (session, reader) =>
      readResult(
        "GetDraft",
        await asked(`/v1/sessions/${session}/draft?reader=${encodeURIComponent(reader)}`),
      ),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

/** Returns the files and folders below a project's data and state whose name or bytes have one of these texts. */
export function placesOf({ root }: TestProject, texts: readonly string[]): string[] {
  const found: string[] = [];
  const look = (path: string): void => {
    for (const name of existsSync(path) ? readdirSync(path) : []) {
      const at = join(path, name);
      const isFolder = statSync(at).isDirectory();
      const bytes = isFolder ? "" : readFileSync(at, "latin1");
      const latin = texts.map((text) => Buffer.from(text).toString("latin1"));
      if (texts.some((text) => name.includes(text)) || latin.some((text) => bytes.includes(text)))
        found.push(at);
      if (isFolder) look(at);
    }
  };
  for (const folder of ["data", "state", "config"]) look(join(root, folder));
  return found;
}
