import { HarnessError } from "../../../../base/errors.ts";
import { count } from "../../../../base/text/text.ts";
import { knownTurns } from "../../../../view/session/turns.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { PanelEntry } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import { sayIfTurnRuns } from "../../session/turn-runs.ts";

/** Turns whose summary goes along into a new session, at most. */
const IMPORT_TURNS = 5;
const PAUSED = "This session is paused: the list of sessions continues it.";
const IN_PLACE =
  "What was said before was said under other instructions and tools: the model may be incoherent.";
const STAYS = "Level, effort and limits that were set for this session stay.";

/** A way to continue under another profile. */
interface Way {
  readonly inPlace: boolean;
  /** Turns whose summary goes along into the new session. */
  readonly importTurns: number;
  /** Its effect on the conversation. */
  readonly means: string;
}

/** Lets a person choose how to continue under a profile, with the effect of each way. */
export async function chooseSwitch(services: Services, name: string): Promise<void> {
  const { session, say } = services;
  if (sayIfTurnRuns(services)) return;
  const { session: sessionId } = await session.session();
  // A session that cannot be opened is no choice.
  const checked = await session.query({ kind: "CheckProfile", sessionId, profile: name });
  if (checked instanceof HarnessError) return say(refusalText(checked), "failure");
  const turns = Math.min(IMPORT_TURNS, knownTurns(session.view.turns).size);
  const entries: readonly PanelEntry<Way>[] = [
    ...(turns === 0
      ? []
      : [
          {
            value: { inPlace: false, importTurns: turns, means: `A summary of them goes along. ${PAUSED}` },
            label: `New session, with the last ${turns === 1 ? "turn" : count(turns, "turn")}`,
          },
        ]),
    {
      value: { inPlace: false, importTurns: 0, means: PAUSED },
      label: "New session, empty",
    },
    {
      value: { inPlace: true, importTurns: 0, means: IN_PLACE },
      label: "This session, in place",
    },
  ];
  const content = { entries };
  services.open(
    new ListPanel<Way>({
      title: `Go on under the profile ${name}`,
      services,
      content: () => content,
      choose: (way) => inBackground(switchProfile(services, name, way), services),
      preview: ({ means }, { columns, rows }) =>
        wrapSpans([span(`${means} ${STAYS}`, { role: "dim" })], { columns }).slice(0, rows),
    }),
  );
  services.redraw();
}

async function switchProfile(
  { session, say }: Services,
  profile: string,
  { inPlace, importTurns }: Way,
): Promise<void> {
  const { session: sessionId } = await session.session();
  const how = inPlace ? { inPlace } : { importTurns };
  const answer = await session.send({ kind: "SwitchProfile", sessionId, profile, ...how });
  if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
  const [notice] = answer.result?.notices ?? [];
  if (notice !== undefined) say(notice);
}
