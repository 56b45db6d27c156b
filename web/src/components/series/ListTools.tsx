/** The texts that all rows of a list share, and the choices of columns, group and order. */
import { Menu, optionsOf, SelectField, TextButton } from "@/components/ui/controls";
import { partsOf } from "@/components/ui/Table";
import { joined } from "@/lib/search";
import type { ValueColumn } from "./SeriesTable";
import { LIST, type ListChange, type ListSearch, TRAITS, type Trait } from "./search";
import { type List, TRAIT_NAMES } from "./traits";

const traitName = (trait: Trait) => TRAIT_NAMES[trait];

type Props<Row> = {
  list: List<Row>;
  columns: readonly ValueColumn<Row>[];
  group: Trait | "none";
  /** The group of the page. */
  usualGroup: Trait | "none";
  /** The name of the grouping without a selected trait. */
  otherwise: string | undefined;
  search: ListSearch;
  onSearch: (change: ListChange) => void;
};

export function ListTools<Row>({
  list,
  columns,
  group,
  usualGroup,
  otherwise = "None",
  search,
  onSearch,
}: Props<Row>) {
  const { common, shown, different } = list;
  if (list.entries.length < 2) return null;
  const offered = TRAITS.filter((trait) => different.includes(trait) || shown.includes(trait));
  const select = (trait: Trait) => {
    const next = shown.includes(trait) ? shown.filter((other) => other !== trait) : [...shown, trait];
    onSearch({ columns: joined(next) });
  };
  const sortable = [
    ...optionsOf(shown, traitName),
    ...columns.flatMap(({ key, head, order }) =>
      order === undefined ? [] : [{ value: key, label: partsOf(head).name }],
    ),
  ];
  const orders = sortable.flatMap(({ value, label }) => [
    { value, label },
    { value: `${value}-desc`, label: `${label}, descending` },
  ]);
  return (
    <div className="list-tools">
      <p>{common.length > 0 && `All: ${common.join(", ")}`}</p>
      <div className="controls">
        <SelectField
          label="Group"
          options={[{ value: "none", label: otherwise }, ...optionsOf(offered, traitName)]}
          value={group}
          onChange={(value) => {
            const next = LIST.group(value);
            onSearch({ group: next === usualGroup ? undefined : next, toggled: undefined });
          }}
        />
        <div className="sort-choice">
          <SelectField
            label="Sort"
            options={[{ value: "", label: "Default" }, ...orders]}
            value={search.sort ?? ""}
            onChange={(sort) => onSearch({ sort: sort === "" ? undefined : sort })}
          />
        </div>
        <Menu label="Columns" isKeptOpen>
          {offered.map((trait) => (
            <label key={trait} className="menu-choice">
              <input type="checkbox" checked={shown.includes(trait)} onChange={() => select(trait)} />
              {TRAIT_NAMES[trait]}
            </label>
          ))}
          {search.columns !== undefined && (
            <TextButton onClick={() => onSearch({ columns: undefined })}>Reset</TextButton>
          )}
        </Menu>
      </div>
    </div>
  );
}
