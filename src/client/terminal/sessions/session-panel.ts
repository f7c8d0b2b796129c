import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { ageText } from "../../../view/texts/age-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { Services } from "../layout/services.ts";
import type { ListContent, ListEntry } from "../panels/list-panel.ts";
import { ListPanel } from "../panels/list-panel.ts";

/** Sessions that are asked for; the search of the list looks among these. */
const SESSIONS_MAX = 200;

/** Opens the list of stored and running sessions, those of this folder first; one that is chosen is continued. */
export function openSessionList(services: Services): void {
  let content: ListContent<SessionInfo> = { entries: [], note: "reading the sessions …" };
  services.open(
    new ListPanel<SessionInfo>({
      title: "Sessions",
      place: "full",
      services,
      content: () => content,
      choose: (info) => void services.session.goTo({ kind: "stored", info }),
      preview: (info, columns) => previewOf(info, columns),
    }),
  );
  void readSessions(services).then((read) => {
    content = read;
    services.redraw();
  });
}

async function readSessions({ session, clock, workingDir }: Services): Promise<ListContent<SessionInfo>> {
  const answer = await session.query({ kind: "ListSessions", past: true, limit: SESSIONS_MAX });
  if (answer instanceof HarnessError) return { entries: [], note: refusalText(answer) };
  const isHere = ({ working_dir: folder }: SessionInfo) => folder === workingDir;
  const { sessions, more } = answer;
  const entries = [...sessions.filter(isHere), ...sessions.filter((info) => !isHere(info))].map((info) =>
    entryOf(info, { isHere: isHere(info), nowMs: clock.now() }),
  );
  if (entries.length === 0) return { entries, note: "There are no sessions yet." };
  return more === true
    ? { entries, note: `the newest ${SESSIONS_MAX}; /sessions:search finds older ones` }
    : { entries };
}

function entryOf(
  info: SessionInfo,
  { isHere, nowMs }: { readonly isHere: boolean; readonly nowMs: number },
): ListEntry<SessionInfo> {
  const { title, turns, state, working_dir: folder, updated_at: at } = info;
  const facts = [
    count(turns, "turn"),
    ...(state === undefined || state === "idle" ? [] : [state]),
    ...(isHere ? [] : [folder]),
  ];
  return {
    value: info,
    label: title === "" ? "(nothing said yet)" : title,
    detail: facts.join(" · "),
    mark: ageText(at, nowMs),
  };
}

function previewOf(
  { session, profile, model, working_dir: folder }: SessionInfo,
  columns: number,
): readonly DrawnRow[] {
  return wrapSpans([span(`${session} · ${profile} · ${model} · ${folder}`, { role: "dim" })], { columns });
}
