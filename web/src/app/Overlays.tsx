/** The open overlay. Its script is loaded when the user first presses a key or the pointer. */
import { useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef } from "react";
import { isShown, show, useOverlay } from "@/lib/overlays";
import { useGlobalKeys } from "./keys";

const load = () => import("./overlayParts");
const Palette = lazy(async () => ({ default: (await load()).Palette }));
const PageMenu = lazy(async () => ({ default: (await load()).PageMenu }));
const SavedViews = lazy(async () => ({ default: (await load()).SavedViews }));
const KeyList = lazy(async () => ({ default: (await load()).KeyList }));

export function Overlays({ project }: { project: string | undefined }) {
  const overlay = useOverlay();
  const { pathname, href } = useLocation();
  const early = useRef("");
  useGlobalKeys(project);
  const left = useRef("");
  useEffect(() => {
    left.current = href;
  }, [href]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the overlay.
  useEffect(
    () => () => {
      show(null);
      const [title, href] = [document.title, left.current];
      if (project !== undefined) void load().then(({ recall }) => recall(project, title, href));
    },
    [pathname],
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey } = event;
      if (key.toLowerCase() === "k" && (ctrlKey || metaKey)) {
        event.preventDefault();
        early.current = "";
        show("palette");
      } else if (!isShown()) early.current = "";
      else if (
        key.length === 1 &&
        !event.defaultPrevented &&
        document.querySelector("dialog[open]") === null
      ) {
        event.preventDefault();
        early.current += key;
      }
    };
    document.addEventListener("keydown", onKey);
    for (const intent of INTENTS) document.addEventListener(intent, load, { once: true });
    return () => {
      document.removeEventListener("keydown", onKey);
      for (const intent of INTENTS) document.removeEventListener(intent, load);
    };
  }, []);
  return (
    <Suspense fallback={null}>
      {overlay === "palette" && <Palette project={project} typed={early} />}
      {overlay === "menu" && <PageMenu project={project} />}
      {overlay === "views" && project !== undefined && <SavedViews project={project} />}
      {overlay === "keys" && <KeyList />}
    </Suspense>
  );
}

const INTENTS = ["keydown", "pointerdown"] as const;
