/**
 * A chart on a page of somebody else: all of its own page is there, and nothing but the chart is seen. What it leads to
 * opens beside that page.
 */
import { Outlet } from "@tanstack/react-router";
import type { MouseEvent } from "react";

export function EmbeddedLayout() {
  return (
    <main className="embedding" onClickCapture={openBeside}>
      <Outlet />
    </main>
  );
}

function openBeside(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return;
  event.preventDefault();
  event.stopPropagation();
  const url = new URL(link.href);
  url.searchParams.delete("embed");
  window.open(url, "_blank", "noopener");
}
