import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, stringAt } from "../../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused } from "../../check.ts";
import type { Scenario } from "../../scenario.ts";
import type { ScenarioStage } from "../../stage.ts";
import { answerOf } from "../../transports/rest-transport.ts";

/** Scenarios about a text that is being typed. */
export const COMPLETION_SCENARIOS: readonly Scenario[] = [
  {
    id: "completion",
    section: "docs/commands.md; CTL-19",
    promise:
      "Complete offers files behind an at sign, commands at the beginning, and models and sessions behind a command; each item names what it is and the range it replaces.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const session = await stage.session(await stage.attach());
      await assertOffers(stage, session, { text: "/mod", from: 0, kind: "command", has: "/model" });
      // A session that nobody has used need not be offered: this one has a title.
      const named = { json: { title: "completed" } };
      assertAccepted(
        "RenameSession",
        await answerOf(await stage.ask(`/v1/sessions/${session}/rename`, named)),
      );
      await assertOffers(stage, session, { text: "/resume ", from: 8, kind: "session", has: session });
      // An engine may know no model by name, and an empty folder has no files.
      await assertOnly(stage, session, { text: "/model ", kinds: ["model"] });
      await assertOnly(stage, session, { text: "read @", kinds: ["file", "folder"] });
      const json = { text: "/m", cursor: 9 };
      const wrong = await answerOf(await stage.ask(`/v1/sessions/${session}/complete`, { json }));
      assertRefused("a cursor behind the end of the text", wrong, ["InvalidQuery", "InvalidBody"]);
    },
  },
];

interface Offer {
  readonly text: string;
  /** The beginning of the replaced range. */
  readonly from: number;
  readonly kind: string;
  /** The text of one item. */
  readonly has: string;
}

async function assertOffers(
  stage: ScenarioStage,
  session: string,
  { text, from, kind, has }: Offer,
): Promise<void> {
  const answer = await complete(stage, session, text);
  const items = arrayAt(answer, "items");
  const isOffered = items.some(
    (item) => stringAt(item, "kind") === kind && (stringAt(item, "insert") ?? "").trim() === has,
  );
  assertHolds(`what is offered for "${text}"`, isOffered, { expected: `a ${kind} ${has}`, got: items });
  const isRange = answer["from"] === from && answer["to"] === text.length;
  assertHolds(`the range that is replaced in "${text}"`, isRange, {
    expected: `${from} to ${text.length}`,
    got: [answer["from"], answer["to"]],
  });
}

async function assertOnly(
  stage: ScenarioStage,
  session: string,
  { text, kinds }: { readonly text: string; readonly kinds: readonly string[] },
): Promise<void> {
  const items = arrayAt(await complete(stage, session, text), "items");
  assertHolds(
    `what is offered for "${text}"`,
    items.every((item) => kinds.includes(stringAt(item, "kind") ?? "")),
    { expected: `nothing but ${kinds.join(" and ")}`, got: items },
  );
}

async function complete(stage: ScenarioStage, session: string, text: string): Promise<JsonObject> {
  const json = { text, cursor: text.length, limit: 100 };
  const answer = await answerOf(await stage.ask(`/v1/sessions/${session}/complete`, { json }));
  return assertAccepted(`Complete for "${text}"`, answer);
}
