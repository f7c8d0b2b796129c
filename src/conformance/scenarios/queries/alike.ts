import { isId } from "../../../base/ids.ts";
import { canonicalJson, isObject, parseJson, stringAt } from "../../../base/json.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import { QUERY_KINDS } from "../../../protocol/kinds.ts";
import { queryDefinition } from "../../../protocol/queries/queries.ts";
import { buildRestRequest } from "../../../protocol/queries/rest-request.ts";
import { assertAccepted } from "../../check.ts";
import { Mismatch } from "../../mismatch.ts";
import type { Scenario } from "../../scenario.ts";
import { MCP } from "../../scenario.ts";
import type { ScenarioStage } from "../../stage.ts";
import { promptTurn } from "../../stage.ts";
import type { McpClient } from "../../transports/mcp-transport.ts";
import { answerOf } from "../../transports/rest-transport.ts";
import type { CommandAnswer } from "../../transports/transport.ts";
import { Refused, refusedAnswer } from "../../transports/transport.ts";
import { shakenSocket } from "../frames.ts";
import type { AskedAbout } from "./asked.ts";
import { ASKED_FIELDS } from "./asked.ts";

/** Times that a query is asked again, where values that change by themselves may be the reason for a difference. */
const TRIES_MAX = 3;

/** Scenarios about all queries: each is answered alike on every transport. */
export const ALIKE_SCENARIOS: readonly Scenario[] = [
  {
    id: "queries-alike",
    section: "docs/protocol/queries.md",
    promise: "Every query has the same answer in a frame as at its REST address, and the same refusal.",
    wires: ["ws"],
    since: "0.3.0",
    async play(stage) {
      const about = await askedAbout(stage);
      await using socket = await shakenSocket(stage);
      let id = 0;
      for (const kind of QUERY_KINDS) {
        const fields = ASKED_FIELDS[kind](about) as Fields;
        await assertAlike(`the frame of ${kind}`, {
          rest: () => restAnswer(stage, kind, fields, stage.mainToken),
          async other() {
            id += 1;
            const asked = id;
            socket.send({ frame: "query", id: asked, body: { kind, ...fields } });
            const frame = await socket.until(`an answer to ${kind}`, (each) => each["id"] === asked);
            if (frame["frame"] === "result") return frame["body"];
            return refusalOf(refusedAnswer(frame["body"]));
          },
        });
      }
    },
  },
  {
    id: "resources-alike",
    section: "docs/mcp-server.md",
    promise:
      "Every query with an MCP resource has the same answer there as an agent gets at its REST address.",
    wires: MCP,
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attachMcp();
      const about = await askedAbout(stage);
      const token = await stage.mint({ identity_class: "agent" });
      assertAccepted(
        "the handshake of an agent",
        await answerOf(await stage.ask(`/v1/handshake?version=${stage.version}`, { token })),
      );
      for (const kind of QUERY_KINDS) {
        const { mcp } = queryDefinition(kind);
        if (mcp === undefined) continue;
        const { sessionId, ...others } = ASKED_FIELDS[kind](about) as Fields;
        const ofSession = mcp.uri.includes("{id}") ? { sessionId } : {};
        const { field } = mcp;
        await assertAlike(`the resource of ${kind}`, {
          async rest() {
            const answer = await restAnswer(stage, kind, { ...ofSession, ...others, ...mcp.fixed }, token);
            if (isRefusal(answer)) return REFUSED;
            return field === undefined || !isObject(answer) ? answer : answer[field];
          },
          other: () =>
            readResource(
              client,
              mcp.uri
                .replace("{id}", about.sessionId)
                .replace("{name}", String(others["name"] ?? others["provider"])),
            ),
        });
      }
    },
  },
];

type Fields = Readonly<Record<string, unknown>>;

/** Makes a session with one turn, and asks the engine for the names that queries need. */
async function askedAbout(stage: ScenarioStage): Promise<AskedAbout> {
  const client = await stage.attach();
  const session = await stage.session(client);
  await promptTurn(client, session, "cue:call");
  const path = `/v1/sessions/${session}`;
  const info = assertAccepted(`GET ${path}`, await answerOf(await stage.ask(path)));
  const [profile, model] = [stringAt(info, "profile"), stringAt(info, "model")];
  if (!isId("sess", session) || profile === undefined || model === undefined)
    throw new Mismatch(`GET ${path}`, "the session with its profile and model", JSON.stringify(info));
  const [provider = ""] = model.split(":");
  return { sessionId: session, profile, model, provider };
}

/** Returns a refusal as its reason: texts and statuses differ between transports. */
function refusalOf({ reason }: { readonly reason: string }): Fields {
  return { refused: reason };
}

function isRefusal(answer: unknown): boolean {
  return isObject(answer) && "refused" in answer && Object.keys(answer).length === 1;
}

/** A refusal over MCP, which has no reason where there is no such resource. */
const REFUSED = refusalOf({ reason: "" });

async function restAnswer(
  stage: ScenarioStage,
  kind: QueryKind,
  fields: Fields,
  token: string,
): Promise<unknown> {
  const { method, path, body } = buildRestRequest({ kind, ...fields });
  const json = body === undefined ? {} : { json: body };
  const answer: CommandAnswer = await answerOf(await stage.ask(path, { method, token, ...json }));
  return answer.kind === "accepted" ? answer.body : refusalOf(answer);
}

async function readResource(client: McpClient, uri: string): Promise<unknown> {
  try {
    const { text, mimeType } = await client.read(uri);
    return mimeType === "application/json" ? parseJson(text)?.value : text;
  } catch (thrown) {
    if (thrown instanceof Refused) return REFUSED;
    throw thrown;
  }
}

interface BothWays {
  readonly rest: () => Promise<unknown>;
  readonly other: () => Promise<unknown>;
}

/**
 * Asks over REST, the other way and over REST again. What differs between the two answers of REST changes by itself,
 * and may be anything of its type in the one between them.
 * @throws Mismatch if the rest differs each time.
 */
async function assertAlike(what: string, { rest, other }: BothWays): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await rest();
    const answer = await other();
    const after = await rest();
    if (isBetween(answer, before, after)) return;
    if (attempt === TRIES_MAX) throw new Mismatch(what, canonicalJson(after), canonicalJson(answer));
  }
}

function isBetween(value: unknown, before: unknown, after: unknown): boolean {
  const [one, first, second] = [value, before, after].map(canonicalJson);
  if (one === first || one === second) return true;
  if (first === second) return false;
  if (Array.isArray(value) && Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return true;
    return (
      value.length === before.length && value.every((each, at) => isBetween(each, before[at], after[at]))
    );
  }
  if (!isObject(value) || !isObject(before) || !isObject(after)) return typeof value === typeof before;
  const keys = Object.keys(value);
  const hasKeys = [before, after].some(
    (each) => canonicalJson(Object.keys(each).sort()) === canonicalJson([...keys].sort()),
  );
  return hasKeys && keys.every((key) => isBetween(value[key], before[key], after[key]));
}
