/**
 * A chart as a picture: what is drawn in the page with the looks that it has there, under its title and above where it
 * is from.
 */
import { download } from "@/lib/files";

/** What a style sheet may have said of a shape, and a picture has to say itself. */
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
const SOURCE_PX = 28;
/** A picture is as sharp as on the best screens. */
const PIXEL_RATIO = 2;

/** Keeps a chart as an SVG file. */
export async function saveSvg(element: HTMLElement, title: string, fileName: string): Promise<void> {
  download(`${fileName}.svg`, new Blob([textOf(pictureOf(element, title))], { type: "image/svg+xml" }));
}

/** Keeps a chart as a PNG file. */
export async function savePng(element: HTMLElement, title: string, fileName: string): Promise<void> {
  const picture = pictureOf(element, title);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Number(picture.getAttribute("width")) * PIXEL_RATIO;
  canvas.height = Number(picture.getAttribute("height")) * PIXEL_RATIO;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob !== null) download(`${fileName}.png`, blob);
}

/** All that is drawn within an element, where it stands there, as one SVG element. */
export function pictureOf(element: HTMLElement, title: string): SVGSVGElement {
  const frame = element.getBoundingClientRect();
  const [width, height] = [
    Math.ceil(frame.width) + 2 * MARGIN_PX,
    Math.ceil(frame.height) + TITLE_PX + SOURCE_PX,
  ];
  const picture = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const page = getComputedStyle(document.body);
  const ink = { fill: page.color, "font-family": page.fontFamily };
  picture.append(
    shape("rect", { width, height, fill: getComputedStyle(document.documentElement).backgroundColor }),
    written(title, { x: MARGIN_PX, y: 23, "font-size": 14, "font-weight": 600, ...ink }),
    written(`Roundtrip, ${window.location.host}${window.location.pathname}`, {
      x: MARGIN_PX,
      y: height - 10,
      "font-size": 11,
      opacity: 0.65,
      ...ink,
    }),
  );
  for (const drawn of element.querySelectorAll("svg, canvas")) {
    const { x, y, width, height } = drawn.getBoundingClientRect();
    if (width === 0) continue;
    const at = { x: x - frame.x + MARGIN_PX, y: y - frame.y + TITLE_PX, width, height };
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
