import {
  Container,
  Editor,
  isViewportTUI,
  matchesKey,
  ProcessTerminal,
  ScrollView,
  Text,
  TuiAltScreen,
  VStack,
} from "@earendil-works/pi-tui";

/**
 * The smallest chat on the library of the terminal client, as a yardstick: finished lines are components of their own,
 * there is no Markdown, and no engine. `minimal BASE_URL` sends each prompt to a provider of the Messages API.
 */
const [baseUrl = ""] = Bun.argv.slice(2);
const same = (text: string) => text;
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;
const selectList = {
  selectedPrefix: same,
  selectedText: same,
  description: dim,
  scrollInfo: dim,
  noMatch: dim,
};
const tui = new TuiAltScreen(new ProcessTerminal());
const transcript = new Container();
const editor = new Editor(tui, { borderColor: dim, selectList });
const status = new Text("ready", 1, 0);
transcript.addChild(new Text("minimal", 1, 0));
if (isViewportTUI(tui)) {
  const scroll = new ScrollView(transcript, { follow: "end", primary: true });
  tui.setLayoutRoot(
    new VStack([
      { component: scroll, basis: 0, grow: 1, minSize: 1 },
      { component: new VStack([editor, status]), basis: "auto", shrink: 1, minSize: 1 },
    ]),
  );
}
editor.onSubmit = (text) => void (text.trim() === "" ? undefined : answer(text));
tui.addInputListener((data) => {
  if (!matchesKey(data, "ctrl+c")) return undefined;
  tui.stop();
  process.exit(0);
});
tui.setFocus(editor);
tui.start();

async function answer(prompt: string): Promise<void> {
  transcript.addChild(new Text(`> ${prompt}`, 1, 0));
  status.setText("working");
  let line = addLine();
  let [text, received] = ["", ""];
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: prompt }] });
  const response = await fetch(`${baseUrl}/messages`, { method: "POST", body });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    received += decoder.decode(bytes, { stream: true });
    for (let end = received.indexOf("\n\n"); end >= 0; end = received.indexOf("\n\n")) {
      const event = received.slice(0, end);
      received = received.slice(end + 2);
      text += textOf(event.slice(event.indexOf("data: ") + 6));
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n")) {
        line.setText(text.slice(0, at));
        text = text.slice(at + 1);
        line = addLine();
      }
      line.setText(text);
      tui.requestRender();
    }
  }
  status.setText("ready");
  tui.requestRender();
}

function addLine(): Text {
  const line = new Text("", 1, 0);
  transcript.addChild(line);
  return line;
}

function textOf(data: string): string {
  const { delta }: { delta?: { text?: string } } = JSON.parse(data);
  return delta?.text ?? "";
}
