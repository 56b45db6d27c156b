/** Which rows of a comparison are shown, and on which machine it is made. */
import { CopyButton } from "@/components/ui/CopyButton";
import { SelectField } from "@/components/ui/SelectField";
import { oneOf, text } from "@/lib/search";
import { formatCount } from "@/lib/units";
import { KIND_NAMES, KINDS, type Kind } from "./pairs";
import type { ComparisonSearch, ComparisonSearchChange } from "./search";

type Props = {
  /** How many rows of each kind there are. */
  counts: Record<Kind, number>;
  machines: string[];
  search: ComparisonSearch;
  onSearch: (change: ComparisonSearchChange) => void;
  markdown: () => Promise<string>;
};

export function Filters({ counts, machines, search, onSearch, markdown }: Props) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const kinds = KINDS.filter((kind) => counts[kind] > 0 || kind === search.verdict);
  return (
    <div className="controls comparison-controls">
      <SelectField
        label="Verdict"
        options={[
          { value: "", label: `all ${formatCount(all)}` },
          ...kinds.map((kind) => ({
            value: kind,
            label: `${KIND_NAMES[kind]} (${formatCount(counts[kind])})`,
          })),
        ]}
        value={search.verdict ?? ""}
        onChange={(verdict) => onSearch({ verdict: oneOf(verdict, KINDS), rows: undefined })}
      />
      {(machines.length > 1 || search.machine !== undefined) && (
        <SelectField
          label="Machine"
          options={[
            { value: "", label: "all" },
            ...machines.map((machine) => ({ value: machine, label: machine })),
          ]}
          value={search.machine ?? ""}
          onChange={(machine) => onSearch({ machine: machine === "" ? undefined : machine, rows: undefined })}
        />
      )}
      <label className="field">
        Case
        <input
          type="search"
          placeholder="words of its name"
          value={search.q ?? ""}
          onChange={({ target }) => onSearch({ q: text(target.value), rows: undefined })}
        />
      </label>
      <CopyButton className="button" label="Copy as Markdown" text={markdown} />
    </div>
  );
}
