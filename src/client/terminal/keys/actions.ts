/**
 * Context in which a key counts. A key is looked up in the contexts of the part that has the focus, the nearest one
 * first, then in `global`.
 */
export type KeyContext =
  | "global"
  | "input"
  | "emptyDraft"
  | "completion"
  | "vim"
  | "vimInsert"
  | "vimNormal"
  | "vimVisual"
  | "browse"
  | "search"
  | "question"
  | "dialog"
  | "choice"
  | "confirm"
  | "policy"
  | "queue"
  | "list"
  | "panel"
  | "review"
  | "settings"
  | "sessions"
  | "replay"
  | "rewind"
  | "changes"
  | "models"
  | "costs";

/** An action that a key can be bound to. */
export interface ActionDescription {
  readonly context: KeyContext;
  /** The keys that it has without a key file. */
  readonly keys: readonly string[];
  /** Its effect, in a few words that begin with a verb. */
  readonly help: string;
  /** True: the palette lists it. Default: false. */
  readonly inPalette?: true;
}

function action(
  context: KeyContext,
  keys: readonly string[],
  help: string,
  inPalette?: true,
): ActionDescription {
  return inPalette === undefined ? { context, keys, help } : { context, keys, help, inPalette };
}

/**
 * Every action of the client with its keys: the help panel, the palette and the key file are made from this table. Keys
 * that most clients share keep their meaning.
 */
export const ACTIONS = {
  "app.interrupt": action("global", ["ctrl+c"], "cancel the turn, else clear the draft; twice: leave"),
  "app.leaveIfEmpty": action("input", ["ctrl+d"], "leave, if the draft is empty"),
  "app.suspend": action("global", ["ctrl+z"], "suspend; fg comes back"),
  "app.help": action("global", ["f1"], "show the keys", true),
  "app.helpIfEmpty": action("emptyDraft", ["?"], "show the keys"),
  "app.palette": action("global", ["ctrl+p"], "open the palette"),
  "app.redraw": action("global", ["ctrl+l"], "draw the screen again", true),
  "turn.cancel": action("global", ["escape"], "cancel the turn"),
  "session.continue": action("emptyDraft", ["alt+c"], "continue the last session of this folder"),
  "model.setUp": action("global", ["alt+g"], "get a model: a local server, a key or the demo", true),
  "model.open": action("global", ["alt+m"], "choose a model and its effort for this session", true),
  "model.next": action("global", ["alt+j"], "go to the next favourite model", true),
  "profile.open": action("global", ["alt+p"], "choose another profile", true),
  "rewind.open": action("global", [], "go back to an earlier prompt (escape twice in an empty draft)", true),
  "changes.open": action("global", ["alt+e"], "show the files that the session changed", true),
  "costs.open": action("global", ["alt+v"], "show the costs of the session", true),
  "session.open": action("global", ["alt+r"], "continue another session", true),
  "session.new": action("global", ["alt+n"], "begin a new session", true),
  "mode.next": action("global", ["shift+tab"], "go to the next mode: ask, accept edits, plan", true),
  "sidebar.toggle": action("global", ["f2"], "show the sidebar, or hide it", true),
  "sidebar.open": action("global", ["alt+i"], "open the overview: sessions, todos, tasks, who is here", true),
  "todos.fold": action("global", ["alt+t"], "fold the todos above the draft, or unfold them", true),
  "banner.hide": action("global", ["alt+k"], "hide the newest notice above the draft", true),
  "agent.observe": action("global", ["alt+o"], "go to the session that an agent has begun", true),
  "transcript.pageUp": action("global", ["pageUp"], "scroll up by a page"),
  "transcript.pageDown": action("global", ["pageDown"], "scroll down by a page"),
  "transcript.top": action("global", ["ctrl+home"], "go to the first message", true),
  "transcript.end": action("global", ["ctrl+end"], "go to the newest message", true),
  "transcript.previousPrompt": action("global", ["alt+up"], "go to the prompt above", true),
  "transcript.nextPrompt": action("global", ["alt+down"], "go to the prompt below", true),
  "transcript.unfoldAll": action("global", ["ctrl+o"], "fold or unfold all blocks", true),
  "transcript.browse": action("global", ["ctrl+t"], "browse the transcript with keys", true),
  "transcript.search": action("global", ["ctrl+s"], "search in the transcript", true),
  "transcript.pager": action("global", [], "open the transcript in the pager", true),
  "transcript.editor": action("global", [], "open the transcript in the editor", true),
  "app.leaveAndPrint": action("global", [], "leave, and print the transcript on the main screen", true),
  "selection.copy": action("global", ["alt+w"], "copy what the mouse has selected", true),
  "mouse.next": action("global", ["f4"], "switch the mouse: wheel, full, off", true),
  "browse.up": action("browse", ["up", "k"], "go to the block above"),
  "browse.down": action("browse", ["down", "j"], "go to the block below"),
  "browse.unfold": action("browse", ["enter", "space"], "fold or unfold the block"),
  "browse.enter": action("browse", ["right", "l"], "go into the block: its paragraphs, code or calls"),
  "browse.out": action("browse", ["left", "h"], "go back to the whole block"),
  "browse.copy": action("browse", ["y", "c"], "copy the block"),
  "browse.pager": action("browse", ["v"], "open the block in the pager"),
  "browse.editor": action("browse", ["e"], "open the block in the editor"),
  "browse.pagerAll": action("browse", ["V"], "open the whole transcript in the pager"),
  "browse.editorAll": action("browse", ["E"], "open the whole transcript in the editor"),
  "browse.search": action("browse", ["/"], "search"),
  "browse.next": action("browse", ["n"], "go to the next match"),
  "browse.previous": action("browse", ["N"], "go to the match before"),
  "browse.top": action("browse", ["g", "home"], "go to the first message"),
  "browse.end": action("browse", ["G", "end"], "go to the newest message"),
  "browse.previousPrompt": action("browse", ["["], "go to the prompt above"),
  "browse.nextPrompt": action("browse", ["]"], "go to the prompt below"),
  "browse.leave": action("browse", ["escape", "q"], "go back to the draft"),
  "search.next": action("search", ["enter", "down"], "go to the next match"),
  "search.previous": action("search", ["shift+enter", "up"], "go to the match before"),
  "search.leave": action("search", ["escape"], "end the search"),
  "input.send": action("input", ["enter"], "send; while a turn runs: queue"),
  "input.steer": action("input", ["ctrl+enter", "alt+s"], "send into the running turn"),
  "input.newLine": action("input", ["ctrl+j", "shift+enter", "alt+enter"], "begin a new line"),
  "input.editor": action("global", ["ctrl+g"], "edit the draft in $EDITOR", true),
  "input.history": action("global", ["ctrl+r"], "search in earlier prompts", true),
  "input.stash": action("global", ["ctrl+x"], "stash the draft, or bring it back", true),
  "input.pasteImage": action("global", ["ctrl+v"], "paste an image", true),
  "input.takeBack": action("global", ["alt+q"], "edit what waits in the queue", true),
  "queue.edit": action("queue", ["enter"], "take the message back into the draft"),
  "queue.withdraw": action("queue", ["delete", "backspace"], "withdraw the message; the history keeps it"),
  "queue.up": action("queue", ["alt+up", "shift+up"], "move the message up"),
  "queue.down": action("queue", ["alt+down", "shift+down"], "move the message down"),
  "queue.now": action("queue", ["alt+s", "ctrl+enter"], "send into the running turn, or start what is held"),
  "edit.left": action("input", ["left", "ctrl+b"], "go left"),
  "edit.right": action("input", ["right", "ctrl+f"], "go right"),
  "edit.wordLeft": action("input", ["alt+b", "ctrl+left", "alt+left"], "go left by a word"),
  "edit.wordRight": action("input", ["alt+f", "ctrl+right", "alt+right"], "go right by a word"),
  "edit.lineStart": action("input", ["home", "ctrl+a"], "go to the start of the line"),
  "edit.lineEnd": action("input", ["end", "ctrl+e"], "go to the end of the line"),
  "edit.up": action("input", ["up"], "go up, or to the prompt before"),
  "edit.down": action("input", ["down"], "go down, or to the next prompt"),
  "edit.deleteBack": action("input", ["backspace", "ctrl+h"], "delete the character before"),
  "edit.deleteForward": action("input", ["delete"], "delete the character behind"),
  "edit.deleteWordBack": action("input", ["ctrl+w", "alt+backspace"], "cut the word before"),
  "edit.deleteWordForward": action("input", ["alt+d"], "cut the word behind"),
  "edit.killToStart": action("input", ["ctrl+u"], "cut to the start of the line"),
  "edit.killToEnd": action("input", ["ctrl+k"], "cut to the end of the line"),
  "edit.yank": action("input", ["ctrl+y"], "insert what was cut"),
  "edit.yankPop": action("input", ["alt+y"], "replace what was inserted by what was cut before"),
  "edit.upperWord": action("input", ["alt+u"], "put the word into upper case"),
  "edit.lowerWord": action("input", ["alt+l"], "put the word into lower case"),
  "edit.capitalWord": action("input", ["alt+c"], "capitalise the word"),
  "edit.undo": action("input", ["ctrl+-", "ctrl+_"], "undo"),
  "edit.redo": action("input", ["alt+-", "alt+_"], "redo"),
  "vim.toggle": action("global", [], "use vim keys in the draft, or not", true),
  "vim.normal": action("vim", ["escape"], "go to normal mode; there: cancel the turn"),
  "vim.redo": action("vim", ["ctrl+r"], "redo in normal mode; else search in earlier prompts"),
  "completion.next": action("completion", ["down", "ctrl+n"], "go to the next one"),
  "completion.previous": action("completion", ["up"], "go to the one before"),
  "completion.take": action("completion", ["tab"], "take it"),
  "completion.run": action("completion", ["enter"], "take it, and send a command without arguments"),
  "completion.leave": action("completion", ["escape"], "close the list"),
  "list.up": action("list", ["up"], "go up"),
  "list.down": action("list", ["down"], "go down"),
  "list.pageUp": action("list", ["pageUp"], "go up by a page"),
  "list.pageDown": action("list", ["pageDown"], "go down by a page"),
  "list.choose": action("list", ["enter"], "choose"),
  "list.deleteBack": action("list", ["backspace"], "delete the last character of the search"),
  "list.leave": action("list", ["escape"], "close"),
  "panel.leave": action("panel", ["escape", "q"], "close"),
  "sessions.scope": action("sessions", ["tab"], "show sessions of this folder, or of all"),
  "sessions.content": action("sessions", ["ctrl+f"], "search in what was said in sessions"),
  "sessions.sort": action("sessions", ["alt+s"], "order by time, name or cost"),
  "sessions.archived": action("sessions", ["alt+v"], "show archived sessions too, or only them"),
  "sessions.rename": action("sessions", ["ctrl+e", "f2"], "rename the session"),
  "sessions.archive": action("sessions", ["alt+a"], "archive the session, or bring it back"),
  "sessions.pin": action("sessions", ["alt+p"], "pin the session, or unpin it"),
  "sessions.delete": action("sessions", ["delete", "ctrl+d"], "delete the session"),
  "sessions.replay": action("sessions", ["ctrl+y"], "step through the session; nothing runs again"),
  "replay.next": action("replay", ["space", "right", "down", "enter"], "go to the next step"),
  "replay.previous": action("replay", ["p", "left", "up"], "go a step back"),
  "replay.nextTurn": action("replay", ["t", "pageDown"], "go to the next turn"),
  "replay.previousTurn": action(
    "replay",
    ["b", "pageUp"],
    "go back to the start of the turn, or the one before",
  ),
  "replay.end": action("replay", ["e", "end"], "go to the end"),
  "replay.start": action("replay", ["home"], "go to the beginning"),
  "replay.goToTurn": action("replay", ["g"], "go to the turn whose number was typed"),
  "rewind.changes": action("rewind", ["ctrl+f"], "show the changes of the turn"),
  "changes.scope": action("changes", ["tab"], "show the changes of the session, or of the last turn"),
  "models.lessEffort": action("models", ["left"], "lower the effort"),
  "models.moreEffort": action("models", ["right"], "raise the effort"),
  "models.favourite": action("models", ["ctrl+f"], "make it a favourite, or not"),
  "costs.next": action("costs", ["tab", "right"], "go to the next table"),
  "costs.previous": action("costs", ["left"], "go to the table before"),
  "question.once": action("question", ["1", "y"], "allow once"),
  "question.session": action("question", ["2", "s"], "allow this command for the session"),
  "question.tool": action("question", ["3", "t"], "allow this tool for the session"),
  "question.deny": action("question", ["4", "n"], "deny"),
  "question.words": action("question", ["5", "w"], "deny, and say what to do instead"),
  "dialog.full": action("dialog", ["ctrl+f"], "show the question on the whole screen"),
  "dialog.other": action("dialog", ["tab"], "go to the next open question"),
  "dialog.send": action("dialog", ["enter"], "send the rule or the chosen hunks"),
  "dialog.shorter": action("dialog", ["left"], "shorten the rule"),
  "dialog.longer": action("dialog", ["right"], "lengthen the rule"),
  "choice.words": action("choice", ["w"], "answer in your own words"),
  "confirm.yes": action("confirm", ["y", "Y"], "answer yes"),
  "confirm.no": action("confirm", ["n", "N"], "answer no"),
  "dialog.decline": action("dialog", ["alt+x"], "close a question that asks for a text"),
  "review.next": action("review", ["n"], "go to the next hunk or file"),
  "review.previous": action("review", ["p"], "go to the hunk or file before"),
  "review.accept": action("review", ["a"], "accept the hunk; acknowledge the files"),
  "review.decline": action("review", ["d"], "refuse the hunk; leave the files out"),
  "review.acceptRest": action("review", ["A"], "accept each hunk that is not decided"),
  "review.declineRest": action("review", ["D"], "refuse each hunk that is not decided"),
  "review.whole": action("review", ["v"], "show the change on the whole screen"),
  "review.layout": action("review", ["s"], "switch between unified and side by side"),
  "settings.open": action("global", [], "show and change settings", true),
  "settings.reload": action("global", [], "read the file of settings and keys again", true),
  "settings.next": action("settings", ["right", "space"], "go to the next value"),
  "settings.previous": action("settings", ["left"], "go to the value before"),
  "keys.probe": action("global", [], "show what a key does: press one", true),
  "theme.open": action("global", [], "choose the colours, with a preview", true),
  "policy.open": action("global", [], "show and change what this session may do", true),
  "policy.revoke": action("policy", ["x", "delete"], "take the rule back"),
  "policy.promote": action("policy", ["p"], "keep the rule for later sessions here"),
} as const satisfies Readonly<Record<string, ActionDescription>>;

export type ActionName = keyof typeof ACTIONS;

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];
