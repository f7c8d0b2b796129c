import type { AgentContext, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { Cancelled } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { objectAt, stringAt } from "../../../base/json.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Question, QuestionStep } from "../../../view/questions/questions.ts";
import { questionEntriesAfter, questionId, questionsAfter } from "../../../view/questions/questions.ts";
import type { FormContent } from "./permission-forms.ts";
import type { AskingEditor, EditorAnswer, EditorQuestion } from "./questions.ts";
import { DENY_ALWAYS, editorQuestion } from "./questions.ts";
import { textContent } from "./updates/shown-call.ts";

/** Kinds of calls that one session denies without a question; beyond that they are asked about again. */
const DENIED_MAX = 1_000;

const UNSAVED_NOTE =
  "The file has unsaved changes in the editor. This change is made in the saved file: save or undo yours first.";

/** Session whose questions are put to an editor. */
export interface AskingSession {
  readonly client: AgentContext;
  /** Name of the session in the editor. */
  readonly name: string;
  readonly editor: AskingEditor;
  /** Returns the session that takes the answers. */
  session(): SessionId;
  /** Returns its run, which is another one after a restart of the engine. */
  run(): SessionId;
  /** Returns true if the editor holds unsaved changes of a file. */
  isUnsaved(path: string): Promise<boolean>;
  /** Returns true while the editor's own prompt is being cancelled: nothing is asked for it. */
  isCancelled(): boolean;
  send(command: Command): void;
  warn(what: string, thrown: unknown): void;
}

/** A question that waits for the editor's answer, and a controller that takes it back. */
interface AskedQuestion {
  readonly question: EditorQuestion;
  readonly taken: AbortController;
}

/** The questions of one session that its editor is asked. */
export class AskedQuestions {
  readonly #at: AskingSession;
  #asked: readonly AskedQuestion[] = [];
  /** Questions of one run that wait, those beside the log too. */
  #open: { readonly run?: SessionId; readonly questions: readonly Question[] } = { questions: [] };
  /** Calls that the person has denied for as long as the editor has this session open. */
  readonly #denied = new Set<string>();
  #isOver = false;

  constructor(at: AskingSession) {
    this.#at = at;
  }

  /** Returns the questions before and after an event. A question of another run ends with that run. */
  step(event: Envelope): QuestionStep {
    const { session: run } = event;
    const before = this.#open.questions;
    const after = questionsAfter(this.#open.run === run ? before : [], event);
    this.#open = { run, questions: after };
    return { before, after };
  }

  /** Takes back what an event has answered, and asks what it has opened. */
  follow(event: Envelope, questions: QuestionStep): void {
    const why =
      event.kind === "TurnEnded" ? "the turn has ended" : "it was answered elsewhere, or its time is up";
    const before = this.#asked;
    this.#asked = questionEntriesAfter<AskedQuestion>(before, questions, {
      id: ({ question }) => questionId(question.question),
      // A question of another run was asked by an engine that is gone.
      entry: (question, known) =>
        known ?? (event.session === this.#at.run() ? this.#asking(question) : undefined),
    });
    for (const each of before) if (!this.#asked.includes(each)) takeBack(each, why);
    for (const each of this.#asked) if (!before.includes(each)) this.#put(each);
  }

  /** Asks the editor a question of the past that is still open. */
  ask(question: Question): void {
    if (this.#asked.some((each) => questionId(each.question.question) === questionId(question))) return;
    const asked = this.#asking(question);
    if (asked === undefined) return;
    this.#asked = [...this.#asked, asked];
    this.#put(asked);
  }

  takeBackAll(why: string): void {
    for (const each of this.#asked) takeBack(each, why);
    this.#asked = [];
  }

  /** Takes back everything: answers that still come count no more. */
  end(why: string): void {
    this.#isOver = true;
    this.takeBackAll(why);
  }

  /** Returns a question for the editor; undefined if it is not asked, or was answered at once by an earlier denial. */
  #asking(open: Question): AskedQuestion | undefined {
    const question = editorQuestion(open, this.#at.session(), this.#at.editor);
    if (question === undefined || this.#at.isCancelled()) return undefined;
    if (question.likeness === undefined || !this.#denied.has(question.likeness))
      return { question, taken: new AbortController() };
    const denial = question.answer({ optionId: DENY_ALWAYS });
    if (denial !== undefined) this.#at.send(denial);
    return undefined;
  }

  /**
   * Puts a question to the editor without waiting: events are processed in the meantime, and report the answer of
   * another client.
   */
  #put(asked: AskedQuestion): void {
    this.#answered(asked).catch((thrown: unknown) => this.#at.warn("ask", thrown));
  }

  async #answered(asked: AskedQuestion): Promise<void> {
    const { likeness, answer } = asked.question;
    const taken = asked.taken.signal;
    const reply = await this.#given(asked.question, taken);
    if (taken.aborted || this.#isOver) return;
    this.#asked = this.#asked.filter((each) => each !== asked);
    if (reply.optionId === DENY_ALWAYS && likeness !== undefined && this.#denied.size < DENIED_MAX)
      this.#denied.add(likeness);
    const command = answer(reply);
    if (command !== undefined) this.#at.send(command);
  }

  /** Asks the editor, and for what a chosen option needs. An editor that cannot ask allows nothing. */
  async #given({ question, request, form }: EditorQuestion, signal: AbortSignal): Promise<EditorAnswer> {
    const { client, name: sessionId } = this.#at;
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    let optionId: string | undefined;
    if (request.options.length > 0) {
      const shown = { sessionId, ...request, toolCall: await this.#withUnsaved(request.toolCall) };
      if (signal.aborted) return {};
      const asking = client.request("session/request_permission", shown, options);
      optionId = await asking.then(optionOf).catch(() => undefined);
    }
    const fields = signal.aborted ? undefined : form(optionId);
    if (fields === undefined) return { optionId };
    // An editor knows calls by their ids; a question about none has an id of its own.
    const about = question.kind === "permission" ? { toolCallId: question.request.callId } : {};
    const filling = client.request("elicitation/create", { sessionId, ...fields, ...about }, options);
    return { optionId, content: await filling.then(contentOf).catch(() => undefined) };
  }

  /** Says in a question about a change of a file that the editor has unsaved changes of it. */
  async #withUnsaved(call: ToolCallUpdate): Promise<ToolCallUpdate> {
    const [file] = call.locations ?? [];
    if (call.kind !== "edit" || file === undefined || !(await this.#at.isUnsaved(file.path))) return call;
    return { ...call, content: [textContent(UNSAVED_NOTE), ...(call.content ?? [])] };
  }
}

function takeBack({ taken }: AskedQuestion, why: string): void {
  taken.abort(new Cancelled("engine", why));
}

/** Returns the chosen option; undefined for any other answer. */
function optionOf(response: unknown): string | undefined {
  const outcome = objectAt(response, "outcome");
  return stringAt(outcome, "outcome") === "selected" ? stringAt(outcome, "optionId") : undefined;
}

/** Returns the content of an accepted form; undefined for any other answer. */
function contentOf(response: unknown): FormContent | undefined {
  return stringAt(response, "action") === "accept" ? objectAt(response, "content") : undefined;
}
