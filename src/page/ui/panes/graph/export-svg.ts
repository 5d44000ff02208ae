// The whole graph as a file that needs no page: drawn once into a detached element with every style resolved
// to its value.
import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { PatternDefs } from "../../kit/primitive-style.tsx";
import { GraphShapes, type GraphSvgProps } from "./graph-svg.tsx";
import type { Size } from "../../kit/use-pane-size.ts";

const copied = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];

/** Text of a standalone SVG file in the theme that is on. */
export function graphSvgText(props: GraphSvgProps, size: Size, primitives: number): string {
  const host = document.createElement("div");
  host.style.cssText = "position:absolute;left:-99999px;top:0";
  document.body.append(host);
  const root = createRoot(host);
  try {
    const attributes = {
      xmlns: "http://www.w3.org/2000/svg",
      width: size.width,
      height: size.height,
      viewBox: `0 0 ${size.width} ${size.height}`,
    };
    flushSync(() =>
      root.render(
        createElement(
          "div",
          null,
          createElement(PatternDefs, { count: primitives }),
          createElement("svg", attributes, createElement(GraphShapes, props)),
        ),
      ),
    );
    const [defs, drawing] = host.querySelectorAll("svg");
    if (!defs || !drawing) return "";
    for (const element of host.querySelectorAll<SVGElement>("svg *")) writeStyle(element);
    const body = getComputedStyle(document.body).backgroundColor;
    const ground = `<rect width="100%" height="100%" fill="${body}"/>`;
    return drawing.outerHTML.replace(/>/, `>${ground}${defs.innerHTML}`);
  } finally {
    root.unmount();
    host.remove();
  }
}

function writeStyle(element: SVGElement): void {
  const style = getComputedStyle(element);
  const text = element instanceof SVGTextElement;
  for (const name of copied) {
    if (!text && (name.startsWith("font") || name === "text-anchor")) continue;
    const value = style.getPropertyValue(name);
    if ((value !== "" && value !== "none") || name === "fill")
      element.setAttribute(name, plainColour(value).replaceAll('"', ""));
  }
  element.removeAttribute("class");
  element.removeAttribute("style");
}

/** Mixed colours compute to notations that only browsers know; other viewers get rgb(). */
function plainColour(value: string): string {
  if (!/^(oklab|color|oklch)\(/.test(value)) return value;
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!context) return value;
  context.fillStyle = value;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
  return `rgb(${r}, ${g}, ${b})`;
}
