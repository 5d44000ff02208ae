// "Edit a copy": an imported model as Relay text of one's own. Its weights do not pass through text: the
// copy's are seeded.
import type { App } from "../../../store/app.ts";
import { relayName, relayText } from "../../kit/share.ts";

export async function editCopy(app: App): Promise<void> {
  const { name } = app.store.getState().source;
  const text = await relayText(app);
  if (text === null) {
    app.actions.say(`${name} could not be read, so there is nothing to copy`);
    return;
  }
  app.actions.replaceSource(
    {
      text,
      name: relayName(name),
      exampleId: null,
      note: {
        title: "File",
        text: `This is a copy of what ${name} was imported as. Its weights are not in the text: the values here are made from seeds, so results differ from the file's.`,
      },
    },
    "The copy",
  );
}
