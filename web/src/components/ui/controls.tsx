/** Buttons, menus and selections. */
import { Link } from "@tanstack/react-router";
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import { linkToPage } from "@/api/writes";

/** More values than this are too wide for a phone. */
const IN_SIGHT_MAX = 4;

type Props = {
  label: string;
  values: string[];
  name: (value: string) => string;
  value: string;
  onChange: (value: string) => void;
};

export function Choice({ label, values, name, value, onChange }: Props) {
  if (values.length < 2) return null;
  const options = optionsOf(values, name);
  if (values.length > IN_SIGHT_MAX) return <SelectField {...{ label, options, value, onChange }} />;
  return <Segmented label={label} options={options} value={value} onChange={onChange} />;
}

export function Button({ className = "button", ...rest }: ComponentProps<"button">) {
  return <button type="button" className={className} {...rest} />;
}

export function TextButton({ className = "text-button", ...rest }: ComponentProps<"button">) {
  return <Button className={className} {...rest} />;
}

const CONFIRMED_MS = 2_000;

type CopyButtonProps = {
  label: string;
  /** For a label that is not clear alone. */
  title?: string;
  /** Returns the text when it is copied, or a picture. */
  content: () => string | Promise<string> | Promise<Blob>;
  className?: string | undefined;
};

export function CopyButton({ label, title, content, className = "text-button" }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"Copied" | "Not copied" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await copyContent(content())) ? "Copied" : "Not copied");
  return (
    <button type="button" className={className} title={title} onClick={copy}>
      <span aria-live="polite">{outcome ?? label}</span>
    </button>
  );
}

type CopyLinkProps = {
  label?: string;
  part?: string;
  className?: string;
};

/** Copies a link to the page in its current state. */
export function CopyLink({ label = "Copy link", part, className }: CopyLinkProps) {
  return <CopyButton label={label} content={() => linkToPage(part)} className={className} />;
}

type MenuProps = {
  label: ReactNode;
  /** For a label without text. */
  name?: string;
  /** Whether clicks inside leave it open. */
  isKeptOpen?: boolean;
  children: ReactNode;
};

/** A menu of links or buttons. It closes with Escape and with clicks, by default also inside. */
export function Menu({ label, name, isKeptOpen = false, children }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = () => details.current?.removeAttribute("open");
    const onClick = ({ target }: MouseEvent) => {
      const kept = isKeptOpen ? details.current : details.current?.querySelector("summary");
      if (!(target instanceof Node) || kept?.contains(target) !== true) close();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape" || details.current?.open !== true) return;
      close();
      details.current.querySelector("summary")?.focus();
    };
    document.addEventListener("click", onClick);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("click", onClick);
      document.removeEventListener("keydown", onKey);
    };
  }, [isKeptOpen]);
  return (
    <details className="menu" ref={details}>
      <summary aria-label={name}>{label}</summary>
      <div className="menu-items">{children}</div>
    </details>
  );
}

/** Content that is shown on request. */
export function Fold({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className="fold">
      <summary className="fold-summary">{summary}</summary>
      {children}
    </details>
  );
}

/** A link to the next page of a list by its cursor; nothing on the last page. */
export function Older({ after }: { after: string | null }) {
  if (after === null) return null;
  return (
    <p className="section">
      <Link to="." search={(previous) => ({ ...previous, after }) as never} className="button">
        Older
      </Link>
    </p>
  );
}

type Option<T> = { value: T; label: string };

/** Options for some values, labelled with their names; by default with the values. */
export function optionsOf<T extends string>(
  values: readonly T[],
  name: (value: T) => string = String,
): Option<T>[] {
  return values.map((value) => ({ value, label: name(value) }));
}

type SegmentedProps<T> = {
  label: string;
  options: Option<T>[];
  value: T;
  onChange: (value: T) => void;
};

/** A choice between a few values, all visible. */
export function Segmented<T extends string>({ label, options, value, onChange }: SegmentedProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would add a legend and a frame.
    <div className="segmented" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

type SelectFieldProps = {
  label: string;
  options: Option<string>[];
  value: string;
  onChange: (value: string) => void;
};

export function SelectField({ label, options, value, onChange }: SelectFieldProps) {
  return (
    <label className="field">
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Copies a text, or a picture as PNG; false when the browser refuses. Only texts can be copied without HTTPS. */
async function copyContent(content: string | Promise<string | Blob>): Promise<boolean> {
  try {
    const copied = await content;
    if (typeof copied !== "string") {
      await navigator.clipboard.write([new ClipboardItem({ [copied.type]: copied })]);
    } else if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(copied);
    } else {
      return copyWithoutClipboard(copied);
    }
    return true;
  } catch {
    return false;
  }
}

function copyWithoutClipboard(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
