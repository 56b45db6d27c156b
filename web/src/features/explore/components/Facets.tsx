/** What can be ticked, beside the list; on narrow screens behind a button. */
import { useId, useState } from "react";
import type { Query } from "@/lib/query";
import { formatCount } from "@/lib/units";
import { choicesOf, type Facet } from "../facets";

type Props = { facets: Facet[]; onChange: (query: Query) => void };

/** A longer facet is cut, unless it is only a little longer. */
const VALUES_MAX = 8;
const VALUES_MORE_MIN = 3;

export function Facets({ facets, onChange }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { choices, same } = choicesOf(facets);
  const ticked = choices.flatMap(({ values }) => values).filter(({ isOn }) => isOn).length;
  return (
    <aside className="facets" aria-label="Narrow down">
      <button
        type="button"
        className="button facets-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {ticked === 0 ? "Narrow down" : `Narrow down: ${ticked} ticked`}
      </button>
      <div id={id} className="facets-list" data-open={isOpen}>
        {choices.map((facet) => (
          <FacetBoxes key={facet.title} facet={facet} onChange={onChange} />
        ))}
        {same.length > 0 && <p className="section-note">The same in all: {same.join(", ")}.</p>}
      </div>
    </aside>
  );
}

function FacetBoxes({ facet: { title, values }, onChange }: { facet: Facet } & Pick<Props, "onChange">) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && values.length >= VALUES_MAX + VALUES_MORE_MIN;
  const shown = isCut ? values.filter(({ isOn }, index) => isOn || index < VALUES_MAX) : values;
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      {shown.map(({ value, label, count, isOn, toggled }) => (
        <label key={value} className="facet-value">
          <input type="checkbox" checked={isOn} onChange={() => onChange(toggled)} />
          <span className="facet-label">{label}</span>
          <span className="facet-count">{formatCount(count)}</span>
        </label>
      ))}
      {isCut && (
        <button
          type="button"
          className="text-button"
          aria-label={`${values.length - shown.length} more: ${title}`}
          onClick={() => setWhole(true)}
        >
          {values.length - shown.length} more
        </button>
      )}
    </fieldset>
  );
}
