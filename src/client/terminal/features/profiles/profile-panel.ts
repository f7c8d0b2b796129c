import { HarnessError } from "../../../../base/errors.ts";
import type { ProfileInfo } from "../../../../protocol/resources.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ListContent, PanelEntry } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import { PreviewReader } from "../../panels/preview-reader.ts";
import { chooseSwitch } from "./choose-switch.ts";

/** Opens the list of profiles. One that is chosen is checked; then the person chooses how the session continues. */
export function openProfileList(services: Services): void {
  let content: ListContent<ProfileInfo> = { entries: [], note: "reading the profiles …" };
  let current: string | undefined;
  const declared = new PreviewReader(services, async (name: string) => {
    const answer = await services.session.query({ kind: "GetProfile", name });
    return answer instanceof HarnessError ? refusalText(answer) : answer;
  });
  const panel: ListPanel<ProfileInfo> = new ListPanel<ProfileInfo>({
    title: "Profile",
    place: "full",
    services,
    content: () => content,
    hints: () => [
      ["list.choose", "go on under it"],
      ["list.leave", "close"],
    ],
    choose({ name }) {
      if (name === current) services.say(`The session has the profile ${name} already.`);
      else inBackground(chooseSwitch(services, name), services);
    },
    selected: ({ name }) => declared.want(name),
    preview: ({ name }, { columns, rows }) => profileRows(declared.of(name), columns).slice(0, rows),
  });

  async function read(): Promise<void> {
    const { open } = services.session;
    const answer = await services.session.query({
      kind: "ListProfiles",
      ...(open === undefined ? {} : { sessionId: open.session }),
    });
    if (answer instanceof HarnessError) content = { entries: [], note: refusalText(answer) };
    else {
      current = answer.current;
      content = { entries: answer.profiles.map((profile) => profileEntry(profile, answer.current)) };
    }
    panel.refresh();
    panel.goTo(({ name }) => name === current);
  }

  services.open(panel);
  inBackground(read(), services);
}

function profileEntry(profile: ProfileInfo, current: string | undefined): PanelEntry<ProfileInfo> {
  const { name, source } = profile;
  const isCurrent = name === current;
  return {
    value: profile,
    label: name,
    detail: [...(isCurrent ? ["in use"] : []), ...(source === "embedded" ? ["part of cinch"] : [])].join(
      " · ",
    ),
    sign: { text: isCurrent ? "●" : " ", role: "success" },
  };
}

function profileRows(profile: ProfileInfo | string | undefined, columns: number): readonly DrawnRow[] {
  const lines = typeof profile === "object" ? profileLines(profile) : [profile ?? "reading the profile …"];
  return lines.flatMap((line) => wrapSpans([span(line, { role: "dim" })], { columns }));
}

/** Returns what a profile declares, a line for each. */
function profileLines(profile: ProfileInfo): readonly string[] {
  const { default_model: model, permissions, allow_project_hooks: hooks } = profile;
  const rules = permissions?.rules ?? [];
  const listed = (label: string, names: readonly string[] | undefined) =>
    names === undefined || names.length === 0 ? [] : [`${label}: ${names.join(", ")}`];
  const servers = profile.mcp_servers?.map(({ name }) => name);
  const lines = [
    ...(model === undefined ? [] : [`model: ${model}`]),
    ...(permissions?.level === undefined
      ? []
      : [`level: ${permissions.level}${permissions.strict === true ? ", what is above it is denied" : ""}`]),
    ...rules.map(({ effect, rule }) => `${effect} ${rule}`),
    ...listed("tools", profile.tool_packs),
    ...listed("skills", profile.skill_packs),
    ...listed("MCP servers", servers),
    ...listed("plugins", profile.plugins),
    ...listed("context", profile.context_sources),
    ...(hooks === true ? ["hooks of repositories may run"] : []),
  ];
  return lines.length === 0 ? ["It declares nothing: the general settings hold."] : lines;
}
