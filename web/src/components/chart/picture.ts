/** Exports a chart as a picture, with its title, subject and source. */

import { download } from "@/lib/csv";
import { shownPath } from "@/lib/site";

const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-variant-numeric",
  "text-anchor",
  "dominant-baseline",
  "display",
] as const;

const NAMESPACE = "http://www.w3.org/2000/svg";
const MARGIN_PX = 16;
const TITLE_PX = 36;
const SUBJECT_PX = 18;
const SOURCE_PX = 28;
/** Pixel ratio of exported pictures. */
const PIXEL_RATIO = 2;

type Texts = { title: string; subject: string | undefined };
type Saved = Texts & { fileName: string };

export async function saveSvg(element: HTMLElement, { fileName, ...texts }: Saved): Promise<void> {
  download(`${fileName}.svg`, new Blob([textOf(pictureOf(element, texts))], { type: "image/svg+xml" }));
}

export async function savePng(element: HTMLElement, { fileName, ...texts }: Saved): Promise<void> {
  download(`${fileName}.png`, await pngOf(element, texts));
}

/** The chart as PNG. */
export async function pngOf(element: HTMLElement, texts: Texts): Promise<Blob> {
  const picture = pictureOf(element, texts);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Number(picture.getAttribute("width")) * PIXEL_RATIO;
  canvas.height = Number(picture.getAttribute("height")) * PIXEL_RATIO;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The picture is empty.")) : resolve(blob))),
  );
}

/** Elements that are not exported: controls and texts for screen readers. */
const LEFT_OUT = "svg, button, select, input, .visually-hidden";

function pictureOf(element: HTMLElement, { title, subject }: Texts): SVGSVGElement {
  const frame = element.getBoundingClientRect();
  const top = TITLE_PX + (subject === undefined ? 0 : SUBJECT_PX);
  const [width, height] = [Math.ceil(frame.width) + 2 * MARGIN_PX, Math.ceil(frame.height) + top + SOURCE_PX];
  const picture = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const page = getComputedStyle(document.body);
  const ink = { fill: page.color, "font-family": page.fontFamily };
  picture.append(
    shape("rect", { width, height, fill: getComputedStyle(document.documentElement).backgroundColor }),
    written(title, { x: MARGIN_PX, y: 23, "font-size": 14, "font-weight": 600, ...ink }),
    ...(subject === undefined
      ? []
      : [written(subject, { x: MARGIN_PX, y: 41, "font-size": 12, opacity: 0.75, ...ink })]),
    written(`Roundtrip, ${window.location.host}${shownPath().split("?")[0]}`, {
      x: MARGIN_PX,
      y: height - 10,
      "font-size": 11,
      opacity: 0.65,
      ...ink,
    }),
  );
  for (const { text, box, parent } of wordsWithin(element)) {
    const { color, fontFamily, fontSize, fontWeight } = getComputedStyle(parent);
    const at = { x: box.x - frame.x + MARGIN_PX, y: box.y + box.height / 2 - frame.y + top };
    // Fixes the text width, because the font may be missing where the picture is viewed.
    const room = { textLength: box.width, lengthAdjust: "spacingAndGlyphs" };
    const looks = { "font-family": fontFamily, "font-size": fontSize, "font-weight": fontWeight };
    picture.append(written(text, { ...at, ...room, fill: color, "dominant-baseline": "central", ...looks }));
  }
  for (const drawn of element.querySelectorAll("svg, canvas")) {
    const { x, y, width, height } = drawn.getBoundingClientRect();
    if (width === 0) continue;
    const at = { x: x - frame.x + MARGIN_PX, y: y - frame.y + top, width, height };
    if (drawn instanceof HTMLCanvasElement) {
      const image = shape("image", { ...at, preserveAspectRatio: "none" });
      image.setAttribute("href", drawn.toDataURL("image/png"));
      picture.append(image);
    } else if (drawn instanceof SVGSVGElement && drawn.parentElement?.closest("svg") == null) {
      const copy = withLooks(drawn);
      for (const [name, value] of Object.entries(at)) copy.setAttribute(name, String(value));
      copy.removeAttribute("style");
      picture.append(copy);
    }
  }
  return picture;
}

/** The words of an element, each with its position, because lines can break between them. */
function* wordsWithin(element: HTMLElement): Generator<{ text: string; box: DOMRect; parent: Element }> {
  const frame = element.getBoundingClientRect();
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest(LEFT_OUT) !== null) continue;
    for (const { 0: text, index } of (node.textContent ?? "").matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const box = range.getBoundingClientRect();
      // Scrolled-out content is not exported.
      if (box.width > 0 && box.right <= frame.right + 1) yield { text, box, parent };
    }
  }
}

function withLooks(drawn: SVGSVGElement): SVGSVGElement {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const originals = [drawn, ...drawn.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [index, original] of originals.entries()) {
    const style = getComputedStyle(original);
    const target = copies[index];
    for (const name of LOOKS) target?.setAttribute(name, style.getPropertyValue(name));
    target?.removeAttribute("class");
    target?.removeAttribute("style");
  }
  return copy;
}

function written(text: string, attributes: Record<string, string | number>): SVGTextElement {
  const element = shape("text", attributes);
  element.textContent = text;
  return element;
}

function shape<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  return element;
}

function textOf(picture: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(picture);
}
