import { neutralise } from "../../../../view/terminal/terminal-text.ts";
import type { TranscriptItem } from "../../../../view/transcript/items.ts";
import { callDiff } from "../../../../view/transcript/source/item-source.ts";
import { transcriptText } from "../../../../view/transcript/source/transcript-text.ts";
import { copyText } from "../../clipboard/copy-text.ts";
import { openOnTerminal } from "../../host/on-terminal.ts";
import { editorOf, pagerOf } from "../../host/programs.ts";
import type { Services } from "../../layout/services.ts";
import type { Marked } from "./browse.ts";
import { markdownSource, nestedItem } from "./marked-part.ts";
import { wholeSource } from "./whole-source.ts";
import { wholeTranscript } from "./whole-transcript.ts";

/** A program that shows a text on the terminal. */
export type Viewer = "pager" | "editor";

/** Copies the source of what is marked. A failure is shown. */
export async function copyBlock(services: Services, marked: Marked): Promise<void> {
  try {
    await copyText(services, await sourceOfMarked(services, marked));
  } catch (thrown) {
    services.showFailure(thrown);
  }
}

/** Opens the source of what is marked in the pager or in the editor. A failure is shown. */
export async function openBlock(services: Services, marked: Marked, viewer: Viewer): Promise<void> {
  try {
    const text = await sourceOfMarked(services, marked);
    await openIn(services, viewer, { name: nameOf(markedItem(marked)), text });
  } catch (thrown) {
    services.showFailure(thrown);
  }
}

/** Opens the whole transcript in the pager or in the editor. A failure is shown. */
export async function openTranscript(services: Services, viewer: Viewer): Promise<void> {
  try {
    const text = transcriptText(await wholeTranscript(services));
    await openIn(services, viewer, { name: "transcript.md", text });
  } catch (thrown) {
    services.showFailure(thrown);
  }
}

async function openIn(
  services: Services,
  viewer: Viewer,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<void> {
  const { host, say } = services;
  if (text === "") return say("There is nothing to open.", "warning");
  const command = viewer === "pager" ? await pagerOf(host) : editorOf(host);
  // A pager prints what it gets: nothing in it may drive the terminal.
  await openOnTerminal(services, command, name, `${neutralise(text).trimEnd()}\n`);
}

async function sourceOfMarked(services: Services, marked: Marked): Promise<string> {
  const { item, part } = marked;
  if (part?.kind === "markdown" && item.kind === "text") return markdownSource(item, part.first, part.last);
  return await wholeSource(services, markedItem(marked));
}

function markedItem({ item, part }: Marked): TranscriptItem {
  if (part?.kind !== "call" || item.kind !== "call") return item;
  return nestedItem(item, part.event) ?? item;
}

function nameOf(item: TranscriptItem): string {
  if (item.kind === "call") return callDiff(item) === "" ? "output.txt" : "change.diff";
  return `${item.kind}.md`;
}
