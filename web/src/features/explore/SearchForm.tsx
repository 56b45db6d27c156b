/**
 * The search field. A valid text is searched after a pause; one browser-history entry is added per edit of the field.
 */
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useSettled } from "@/lib/hooks";
import { errorText, parseQuery } from "@/lib/query";

type Props = {
  /** The text in the address. */
  text: string;
  notes: string[];
  onSearch: (text: string, isAgain: boolean) => void;
};

const SETTLED_MS = 250;
const EXAMPLE = "transport:pipe size:>=64k os:linux p99";

export function SearchForm({ text, notes, onSearch }: Props) {
  const id = useId();
  const [typed, setTyped] = useState(text);
  /** The last text that this field put into the address, and whether it did since it got the focus. */
  const own = useRef({ text, isAgain: false });
  const settled = useSettled(typed, SETTLED_MS);
  const latest = useRef(onSearch);
  latest.current = onSearch;

  const search = (value: string) => {
    const next = value.trim();
    if (next === own.current.text || parseQuery(next).kind === "error") return;
    const { isAgain } = own.current;
    own.current = { text: next, isAgain: true };
    latest.current(next, isAgain);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed text starts a search.
  useEffect(() => search(settled), [settled]);
  // The address changed otherwise: by a filter, or by going back.
  useEffect(() => {
    if (text === own.current.text) return;
    own.current = { text, isAgain: false };
    setTyped(text);
  }, [text]);

  const parsed = parseQuery(typed);
  const problem = parsed.kind === "error" ? errorText(parsed.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(typed);
  };
  return (
    <>
      <form className="explore-search" onSubmit={submit}>
        <label htmlFor={id}>Search</label>
        <input
          id={id}
          type="search"
          value={typed}
          placeholder={EXAMPLE}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-describedby={`${id}-problem`}
          aria-invalid={problem !== null}
          onChange={({ target }) => setTyped(target.value)}
          onFocus={() => {
            own.current = { ...own.current, isAgain: false };
          }}
        />
      </form>
      <p className="explore-problem" id={`${id}-problem`} role="status">
        {problem !== null && (
          <span className="warning">
            {problem}
            {typed.trim() !== text && " Showing previous results."}
          </span>
        )}
        {problem === null && notes.map((note) => <span key={note}>{note}. </span>)}
      </p>
    </>
  );
}
