import type {
  ListSessionsRequest,
  ListSessionsResponse,
  SetSessionTitleResponse,
} from "@agentclientprotocol/sdk/unstable";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { relativeWithin } from "../../../base/files/below.ts";
import type { SessionId } from "../../../base/ids.ts";
import { stringAt } from "../../../base/json.ts";
import { TITLE_GIVEN_CHARACTERS_MAX } from "../../../protocol/commands/session-commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";

/** Sessions of a page, the newest first. */
export const ACP_LISTED_MAX = 200;
/** Pages of the engine that one page of an editor is chosen from. It is then short, and its cursor continues. */
const ENGINE_PAGES_MAX = 50;

/** Values of `archived` in `session/list`, and the engine's word for each. */
const ARCHIVED = { exclude: "without", include: "with", only: "only" } as const;

/**
 * Returns a page of the sessions in which something was said.
 * @throws HarnessError InvalidCommand for an unknown filter, InvalidQuery for a cursor that is none.
 */
export async function listedPage(
  connection: Connection,
  { cwd, cursor, archived }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const filter = archiveFilter(archived ?? "exclude");
  const found: SessionInfo[] = [];
  let before = cursor ?? undefined;
  for (let page = 0; page < ENGINE_PAGES_MAX && found.length < ACP_LISTED_MAX; page += 1) {
    const { sessions, cursor: next } = await connection.query({
      ...{ kind: "ListSessions", past: true, archived: filter, limit: ACP_LISTED_MAX - found.length },
      ...defined({ before }),
    });
    found.push(...sessions.filter((info) => isListed(info, cwd ?? undefined)));
    before = next;
    if (next === undefined) break;
  }
  return { sessions: found.map(listedSession), ...defined({ nextCursor: before }) };
}

function isListed({ turns, working_dir }: SessionInfo, cwd: string | undefined): boolean {
  return turns > 0 && (cwd === undefined || relativeWithin(cwd, working_dir) === "");
}

function listedSession({ session, working_dir, title, updated_at, archived = false }: SessionInfo) {
  return { sessionId: session, cwd: working_dir, title, updatedAt: updated_at, archived };
}

function archiveFilter(archived: string): (typeof ARCHIVED)[keyof typeof ARCHIVED] {
  if (archived === "exclude" || archived === "include" || archived === "only") return ARCHIVED[archived];
  const known = Object.keys(ARCHIVED).join(", ");
  throw refused("session/list", `archived must be one of ${known}`);
}

/**
 * Gives a session a title. Returns the one that is kept: on one line, without what must not be shown.
 * @throws HarnessError InvalidCommand for a title of nothing but spaces, and for one that is too long.
 */
export async function setTitle(
  connection: Connection,
  sessionId: SessionId,
  wanted: string,
): Promise<SetSessionTitleResponse> {
  const title = wanted.trim();
  if (title === "") throw refused("session/set_title", "the title is empty");
  if (title.length > TITLE_GIVEN_CHARACTERS_MAX)
    throw refused("session/set_title", `the title has more than ${TITLE_GIVEN_CHARACTERS_MAX} characters`);
  const { result } = await connection.send({ kind: "RenameSession", sessionId, title });
  return { title: stringAt(result, "title") ?? title };
}

function refused(kind: string, why: string): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind, why });
}
