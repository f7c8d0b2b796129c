import type { ActionName } from "../src/client/terminal/keys/actions.ts";
import { ACTIONS } from "../src/client/terminal/keys/actions.ts";

/** A situation of the terminal client, with its picture. */
export interface Scene {
  /** Name of the picture below `docs/tour`, without `.svg`. */
  readonly name: string;
  readonly title: string;
  /** Two or three sentences. `{app.palette}` is the first key of an action, `{input.steer/2}` the second one. */
  readonly text: string;
}

/** The scenes of the tour, in their order on the page. */
export const SCENES: readonly Scene[] = [
  {
    name: "first-screen",
    title: "The first screen",
    text: "`cinch` in a folder shows this at once, and you can type while it starts. The line below the name offers the last session of the folder: {session.continue} continues it. {session.open} lists all sessions.",
  },
  {
    name: "answer",
    title: "An answer while it comes",
    text: "Calls are shown with their result and their last lines, and the answer grows below them. The todos of the model stand above the draft. The line above the draft shows the time of the turn; {turn.cancel} cancels it.",
  },
  {
    name: "queue",
    title: "Messages that wait",
    text: "{input.send} while a turn runs queues the message, and {input.steer} or {input.steer/2} sends it into the running turn. {input.takeBack} opens the queue: there you edit a message, move it or withdraw it.",
  },
  {
    name: "question-command",
    title: "A question about a command",
    text: "The question shows the whole command, the reason why it asks, and what each answer allows. Keys count after a pause of 300 ms: what you type into the draft never answers. {question.words} refuses, and tells the model what to do instead.",
  },
  {
    name: "question-diff",
    title: "A question about a change",
    text: "The question shows the change as a diff, with the changed words marked. {question.once} allows it, {question.deny} denies it. {dialog.full} shows a long change on the whole screen.",
  },
  {
    name: "hunks",
    title: "A change hunk by hunk",
    text: "If a change has several hunks, you can accept some of them. {review.next} and {review.previous} go from hunk to hunk, {review.accept} accepts one, and {review.decline} refuses it. {dialog.send} sends the choice.",
  },
  {
    name: "plan",
    title: "A plan to approve",
    text: "{mode.next} goes through the modes: ask, accept edits, plan. In plan mode the model reads and changes nothing until you approve its plan. Your words with a refusal go back to the model.",
  },
  {
    name: "slash",
    title: "Slash commands",
    text: "`/` in an empty draft lists the commands. More letters search in names and descriptions. {completion.take} takes the command, and {completion.run} runs it.",
  },
  {
    name: "palette",
    title: "The palette",
    text: "{app.palette} lists every action with its key. Type a few letters to find one, and {list.choose} runs it.",
  },
  {
    name: "help",
    title: "The keys",
    text: "{app.helpIfEmpty} in an empty draft, or {app.help} anywhere, shows the keys of every part of the screen. The list has your own keys if you have changed them.",
  },
  {
    name: "search",
    title: "A search in the transcript",
    text: "{transcript.search} searches in the whole transcript, also in folded output. {search.next} and {search.previous} go from match to match. {search.leave} ends the search, and the place stays.",
  },
  {
    name: "rewind",
    title: "Back to an earlier prompt",
    text: "{turn.cancel} twice in an empty draft lists the prompts with the files that each turn changed. The preview shows what would be set back. {list.choose} asks for conversation, files or both; the old branch stays reachable.",
  },
  {
    name: "sessions",
    title: "Sessions",
    text: "{session.open} lists the sessions of this folder, with their cost and their last messages. Type to search; {sessions.content} searches in what was said. You can rename, pin, archive, delete and replay a session from here.",
  },
  {
    name: "models",
    title: "Models",
    text: "{model.open} lists the models with context and price. {models.moreEffort} and {models.lessEffort} change the effort, and {models.favourite} marks a favourite. {model.next} goes to the next favourite without the list.",
  },
  {
    name: "costs",
    title: "Costs",
    text: "{costs.open} shows the costs of the session by turn. {costs.next} shows them by model, by agent and by what was read, then the cache misses.",
  },
  {
    name: "sidebar",
    title: "The sidebar",
    text: "{sidebar.toggle} shows the sidebar from 120 columns on: sessions with their states, todos, tasks, and who is here. On a narrower screen the same is a panel.",
  },
  {
    name: "side-by-side",
    title: "A diff side by side",
    text: "{changes.open} lists the files that the session changed, and {list.choose} opens the diff. From 120 columns on it has two sides; {review.layout} switches between the two layouts.",
  },
  {
    name: "narrow",
    title: "Forty columns",
    text: "On a narrow screen text wraps by words, tables and diffs are kept, and the status line drops its less important fields.",
  },
  {
    name: "inline",
    title: "Inline",
    text: '`cinch --inline` writes finished text to the scrollback of the terminal and keeps only the draft below it. The setting `screen = "inline"` makes it the default.',
  },
  {
    name: "reader",
    title: "For a screen reader",
    text: '`cinch --screen-reader` writes labelled lines without boxes and never redraws them. Answers to questions are numbered. The setting `screen = "reader"` makes it the default.',
  },
];

/** Returns `docs/tour.md`. */
export function tourPage(): string {
  const sections = SCENES.map(
    ({ name, title, text }) => `## ${title}\n\n${withKeys(text)}\n\n![${title}](tour/${name}.svg)\n`,
  );
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

const INTRODUCTION = `# A tour of the terminal client

The pictures are recordings: \`npm run generate\` drives the client in a real terminal, with a scripted model. The keys are those
without a file of your own; [the terminal client](terminal.md) lists all of them, with the settings.
`;

function withKeys(text: string): string {
  return text.replaceAll(/\{([a-z]+\.\w+)(?:\/(\d))?\}/gi, (_, name: string, place = "1") => {
    if (!Object.hasOwn(ACTIONS, name)) throw new Error(`no action has the name ${name}`);
    const key: string | undefined = ACTIONS[name as ActionName].keys[Number(place) - 1];
    if (key === undefined) throw new Error(`${name} has no key at place ${place}`);
    return `\`${key}\``;
  });
}
