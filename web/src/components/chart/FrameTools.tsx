/** What can be done with a chart besides looking at it. */
import type { RefObject } from "react";
import { CopyButton } from "@/components/ui/CopyButton";
import { CopyLink } from "@/components/ui/CopyLink";
import { savePng, saveSvg } from "./picture";

type Props = {
  name: string;
  title: string;
  isTable: boolean;
  onTableChange: (isTable: boolean) => void;
  /** How the table is kept, or where it is. */
  csv: (() => void) | { href: string; fileName: string };
  /** What is drawn; `null` where nothing is. */
  picture: { of: RefObject<HTMLElement | null>; fileName: string } | null;
};

const EMBEDDED_HEIGHT_PX = 460;

export function FrameTools({ name, title, isTable, onTableChange, csv, picture }: Props) {
  const save = (how: typeof savePng) => {
    const element = picture?.of.current;
    if (element != null && picture !== null) void how(element, title, picture.fileName);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend and a frame of its own.
    <div className="tools" role="group" aria-label={`${title}: as`}>
      <button
        type="button"
        className="text-button"
        aria-pressed={isTable}
        onClick={() => onTableChange(!isTable)}
      >
        Table
      </button>
      {typeof csv === "function" ? (
        <button type="button" className="text-button" onClick={csv}>
          CSV
        </button>
      ) : (
        <a className="text-button" href={csv.href} download={csv.fileName}>
          CSV
        </a>
      )}
      {picture !== null && (
        <>
          <button type="button" className="text-button" onClick={() => save(savePng)}>
            PNG
          </button>
          <button type="button" className="text-button" onClick={() => save(saveSvg)}>
            SVG
          </button>
        </>
      )}
      <CopyLink label="Link" part={name} />
      <CopyButton label="Embed" text={() => frameCode(name, title)} />
    </div>
  );
}

/** The code that shows this chart alone on a page of somebody else. */
function frameCode(name: string, title: string): string {
  const url = new URL(window.location.href);
  url.hash = "";
  url.searchParams.set("embed", name);
  const quoted = (value: string) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe src="${quoted(url.href)}" title="${quoted(title)}" width="100%" height="${EMBEDDED_HEIGHT_PX}" style="border: 0"></iframe>`;
}
