// Opening what the user chose or dropped: Relay text; other kinds are refused by name, never guessed.
import type { Actions } from "../../store/app.ts";

/** Files larger than this are not read: the compiler's own limit on text. */
const mostBytes = 50_000_000;

export async function openFile(file: File, actions: Actions, by: string): Promise<void> {
  if (/\.(onnx|tflite)$/i.test(file.name)) {
    actions.say(`${file.name}: ONNX and TFLite files cannot be opened yet. Relay text (.relay, .txt) can.`);
    return;
  }
  if (file.size > mostBytes) {
    actions.say(`${file.name} has ${Math.round(file.size / 1e6)} MB; text of up to ${mostBytes / 1e6} MB can be opened.`);
    return;
  }
  const text = await file.text();
  if (text.includes("\u0000")) {
    actions.say(`${file.name} is not text.`);
    return;
  }
  actions.replaceSource({ text, name: file.name, exampleId: null }, by);
}

export function chooseFile(actions: Actions): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".relay,.txt,text/plain";
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void openFile(file, actions, "The file");
  });
  input.click();
}
