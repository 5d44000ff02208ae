// The dialog that is open. Each is made only while it is.
import type { ReactNode } from "react";
import { useApp } from "../../kit/context.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { OptionsDialog } from "./options-dialog.tsx";
import { Palette } from "./palette.tsx";
import { ShareDialog } from "./share-dialog.tsx";

export function Dialogs(): ReactNode {
  const dialog = useApp((state) => state.dialog);
  switch (dialog) {
    case null:
      return null;
    case "help":
      return <HelpDialog />;
    case "palette":
      return <Palette />;
    case "share":
      return <ShareDialog />;
    case "options":
      return <OptionsDialog />;
  }
}
