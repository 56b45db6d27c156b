/** Copies a text and says that it did. */
import { useEffect, useState } from "react";
import { copyText } from "@/lib/clipboard";

const CONFIRMED_MS = 2_000;

type Props = {
  label: string;
  /** The text, asked for when it is copied. */
  text: () => string | Promise<string>;
  className?: string;
};

export function CopyButton({ label, text, className = "text-button" }: Props) {
  const [outcome, setOutcome] = useState<"Copied" | "Not copied" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await copyText(await text())) ? "Copied" : "Not copied");
  return (
    <button type="button" className={className} onClick={copy}>
      <span aria-live="polite">{outcome ?? label}</span>
    </button>
  );
}
