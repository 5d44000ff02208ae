// The link to what is on screen, and copying it.
import type { App } from "../../store/app.ts";
import { encodeLink, type LinkState } from "../../store/permalink.ts";
import type { AppState } from "../../store/state.ts";
import { version } from "../version.ts";

export function linkState({ source, options, layout, selection }: AppState): LinkState {
  const { tabA, tabB, planner, stage, diffBefore, diffAfter } = layout;
  return {
    source: { text: source.text, name: source.name, exampleId: source.exampleId }, options,
    view: { tabA, tabB, planner, stage, diffBefore, diffAfter }, pinned: selection.pinned,
  };
}

/** Whole address, without what stands before the fragment being changed. */
export function currentLink(state: AppState): string {
  const { origin, pathname } = location;
  return `${origin}${pathname}${encodeLink(linkState(state), version)}`;
}

/** Copies the link and puts it into the address bar. Never adds to the history, never without being asked. */
export async function copyLink(app: App): Promise<void> {
  const link = currentLink(app.store.getState());
  history.replaceState(null, "", link);
  await navigator.clipboard.writeText(link);
  app.actions.say(`Copied the link, ${link.length.toLocaleString("en")} characters`);
}
