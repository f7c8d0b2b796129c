import * as vscode from "vscode";
import type { Client, Envelope, PermissionRequestedEvent, Session } from "../../sdk/typescript/src/index.ts"; // in a project of yours: "cinch-client"
import { CinchError, connect } from "../../sdk/typescript/src/index.ts";

/** A skeleton: attaches to a session of a running engine, shows it, asks what it asks, and sends prompts. */
export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("cinch");
  const leave = new AbortController();
  let client: Promise<Client> | undefined;
  let session: Session | undefined;

  async function connected(): Promise<Client> {
    const url = vscode.workspace.getConfiguration("cinch").get("url", "http://127.0.0.1:8421");
    const token = async () => (await context.secrets.get("token")) ?? "";
    client ??= connect({ url, token, label: "vscode" });
    client.catch(() => {
      client = undefined; // the next command tries again
    });
    return await client;
  }

  /** Shows everything of a session, from its first event on, until another one is attached. */
  async function follow(attached: Session): Promise<void> {
    session = attached;
    output.show(true);
    const { events, asked_since: openSince = events } = await attached.info();
    for await (const event of attached.events({ since: 0, signal: leave.signal })) {
      if (session !== attached) return;
      show(event);
      if (event.kind === "PermissionRequested" && event.id > openSince)
        run(() => decide(attached, event.payload));
    }
  }

  function show({ kind, payload }: Envelope): void {
    if (kind === "TextDelta") output.append(payload.text);
    if (kind === "ToolCallStarted") output.appendLine(`\n[${payload.tool}]`);
    if (kind === "TurnEnded") output.appendLine(`\n-- ${payload.reason}`);
  }

  /** Closing the dialog is no answer: another client may give one. */
  async function decide(
    of: Session,
    { callId, summary }: PermissionRequestedEvent["payload"],
  ): Promise<void> {
    const choice = await vscode.window.showWarningMessage(summary, { modal: true }, "Allow", "Deny");
    if (choice !== undefined) await of.answerPermission(callId, choice === "Allow" ? "allow" : "deny");
  }

  async function attach(): Promise<void> {
    const from = await connected();
    const { sessions } = await from.query("ListSessions", { past: true, limit: 50 });
    const items = sessions.map(({ session: id, title, state }) => ({
      label: title || id,
      description: state ?? "",
      id,
    }));
    const picked = await vscode.window.showQuickPick(items, { placeHolder: "Session to attach to" });
    if (picked !== undefined) run(() => follow(from.session(picked.id)));
  }

  async function ask(): Promise<void> {
    const prompt = await vscode.window.showInputBox({ prompt: "Prompt for cinch" });
    if (prompt === undefined || prompt.trim() === "") return;
    if (session === undefined) {
      const workingDir = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      const begun = await (await connected()).sessions.create(workingDir === undefined ? {} : { workingDir });
      run(() => follow(begun));
      session = begun;
    }
    await session.sendInput(prompt, { delivery: "queue" });
  }

  async function setToken(): Promise<void> {
    const token = await vscode.window.showInputBox({
      prompt: "cinch token --identity-class human",
      password: true,
    });
    if (token !== undefined) await context.secrets.store("token", token);
  }

  /** Shows what the engine refuses; anything else is a mistake in this extension. */
  function run(work: () => Promise<void>): void {
    work().catch((thrown: unknown) => {
      if (leave.signal.aborted) return;
      const text = thrown instanceof CinchError ? `${thrown.message} (${thrown.reason})` : String(thrown);
      void vscode.window.showErrorMessage(`cinch: ${text}`);
    });
  }

  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("cinch.token", () => run(setToken)),
    vscode.commands.registerCommand("cinch.attach", () => run(attach)),
    vscode.commands.registerCommand("cinch.ask", () => run(ask)),
    {
      dispose() {
        leave.abort();
        void client?.then((open) => open.close()).catch(() => undefined); // it never opened
      },
    },
  );
}
