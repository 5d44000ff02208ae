// Monaco's colours, read from the page's own custom properties, so that there is one palette.
import type { monaco as Monaco } from "./monaco.ts";

const tokens: readonly (readonly [string, string])[] = [
  ["comment", "--k-com"],
  ["string", "--k-attr"],
  ["variable", "--k-var"],
  ["keyword", "--k-kw"],
  ["type", "--k-ty"],
  ["attribute", "--k-attr"],
  ["operator", "--k-op"],
  ["number", "--k-num"],
  ["", "--ink"],
];

/** Defines and sets the theme that fits the document; returns a function that stops following it. */
export function followTheme(monaco: typeof Monaco): () => void {
  const apply = (): void => {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const dark = document.documentElement.dataset["theme"] === "dark";
    monaco.editor.defineTheme("relayscope", {
      base: dark ? "vs-dark" : "vs",
      inherit: true,
      rules: tokens.map(([token, name]) => ({ token, foreground: color(name).slice(1) })),
      colors: {
        "editor.background": color("--paper"),
        "editor.foreground": color("--ink"),
        "editorLineNumber.foreground": color("--ink3"),
        "editorLineNumber.activeForeground": color("--ink"),
        "editorCursor.foreground": color("--ink"),
        "editorError.foreground": color("--err"),
        "editorWarning.foreground": color("--warn"),
        "editorWidget.background": color("--paper"),
        "editorWidget.border": color("--rule2"),
        "editorHoverWidget.background": color("--paper"),
        "editorHoverWidget.border": color("--rule2"),
        "editorSuggestWidget.background": color("--paper"),
        "editorSuggestWidget.border": color("--rule2"),
        "editorSuggestWidget.selectedBackground": color("--sunk"),
        "editorSuggestWidget.selectedForeground": color("--ink"),
        "editorSuggestWidget.selectedIconForeground": color("--ink"),
        "editorSuggestWidget.highlightForeground": color("--ink"),
        "editorSuggestWidget.focusHighlightForeground": color("--ink"),
        "editor.selectionBackground": `${color("--rule2")}66`,
        "symbolIcon.propertyForeground": color("--ink3"),
        "symbolIcon.functionForeground": color("--ink3"),
        "symbolIcon.variableForeground": color("--ink3"),
        "symbolIcon.keywordForeground": color("--ink3"),
        "editorBracketMatch.background": color("--sunk"),
        "editorBracketMatch.border": color("--rule2"),
        "scrollbarSlider.background": `${color("--rule2")}80`,
        "widget.shadow": "#00000000",
        "editorBracketHighlight.foreground1": color("--ink"),
        "editorBracketHighlight.foreground2": color("--ink"),
        "editorBracketHighlight.foreground3": color("--ink"),
        focusBorder: color("--edge"),
      },
    });
    monaco.editor.setTheme("relayscope");
  };
  apply();
  const observer = new MutationObserver(apply);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
