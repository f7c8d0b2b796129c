import { arrayAt, stringAt } from "../../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../../check.ts";
import type { Scenario } from "../../scenario.ts";
import type { ScenarioStage } from "../../stage.ts";
import { answerOf } from "../../transports/rest-transport.ts";

const SECTION = "docs/sessions.md § Titles, archive, drafts and unread marks";
const HERE = { section: SECTION, wires: ["rest"], since: "0.3.0" } as const;

/** Scenarios about lists of sessions. */
export const LISTED_SCENARIOS: readonly Scenario[] = [
  {
    ...HERE,
    id: "sessions-paged",
    promise:
      "Pages of a list of sessions, joined by their cursors, have each session once; a filter leaves the others out.",
    async play(stage) {
      const client = await stage.attach();
      const made = [await stage.session(client), await stage.session(client), await stage.session(client)];
      const pages: string[] = [];
      for (let cursor: string | undefined, more = true; more; ) {
        const before = cursor === undefined ? "" : `&before=${encodeURIComponent(cursor)}`;
        const page = await list(stage, `limit=2${before}`);
        pages.push(...page.sessions);
        assertHolds("the length of a page", page.sessions.length <= 2, {
          expected: "at most 2",
          got: page.sessions.length,
        });
        ({ cursor } = page);
        more = cursor !== undefined;
      }
      const seen = made.map((session) => pages.filter((each) => each === session).length);
      assertSame("how often the pages have each session", seen, [1, 1, 1]);
      assertSame("what the filter finds", (await list(stage, `text=${made[1]}`)).sessions, [made[1]]);
      const wrong = await answerOf(await stage.ask("/v1/sessions?before=nonsense"));
      assertRefused("a cursor that is none", wrong, ["InvalidQuery", "InvalidPath"]);
    },
  },
  {
    ...HERE,
    id: "session-archived",
    promise: "An archived session is left out of lists unless they are asked for it, and can be shown again.",
    kinds: ["ArchiveSession"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const archive = async (archived: boolean) =>
        assertAccepted(
          "ArchiveSession",
          await answerOf(await stage.ask(`/v1/sessions/${session}/archive`, { json: { archived } })),
        );
      const isIn = async (query: string) => (await list(stage, query)).sessions.includes(session);
      const everywhere = async () => [
        await isIn(""),
        await isIn("archived=with"),
        await isIn("archived=only"),
      ];
      assertSame("lists that have it", await everywhere(), [true, true, false]);
      await archive(true);
      assertSame("lists that have it once it is archived", await everywhere(), [false, true, true]);
      await archive(false);
      assertSame("lists that have it again", await everywhere(), [true, true, false]);
    },
  },
];

async function list(stage: ScenarioStage, query: string) {
  const body = assertAccepted("the list", await answerOf(await stage.ask(`/v1/sessions?${query}`)));
  const sessions = arrayAt(body, "sessions").map((each) => stringAt(each, "session") ?? "");
  return { sessions, cursor: stringAt(body, "cursor") };
}
