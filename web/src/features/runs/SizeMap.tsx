/** The p50 of every transport and size of a run, with a colour for how much slower it is than the fastest at that size. */
import { Link } from "@tanstack/react-router";
import type { CSSProperties } from "react";
import { Choice } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { numeric, rowHead, Table } from "@/components/ui/Table";
import { distinct } from "@/lib/collections";
import { toPoint } from "@/lib/paths";
import { formatBytes, formatNs } from "@/lib/units";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";
import { type MeasuredResult, shadeOf, sizeMapOf } from "./data";
import type { RunSearch } from "./search";

type Props = {
  project: string;
  runId: string;
  results: MeasuredResult[];
  search: RunSearch;
  onSearch: (change: { [Key in "pattern" | "mode" | "placement"]?: string }) => void;
};

const CHOICES = [
  {
    key: "pattern",
    label: "Pattern",
    of: ({ case: kase }: MeasuredResult) => kase.scenario,
    name: scenarioName,
  },
  { key: "mode", label: "Mode", of: ({ case: kase }: MeasuredResult) => kase.mode, name: modeName },
  {
    key: "placement",
    label: "Placement",
    of: ({ case: kase }: MeasuredResult) => kase.placement,
    name: placementName,
  },
] as const;

export function SizeMap({ project, runId, results, search, onSearch }: Props) {
  let slice = results;
  const choices = CHOICES.map(({ key, label, of, name }) => {
    const values = distinct(slice.map(of));
    const value = values.find((candidate) => candidate === search[key]) ?? usualOf(slice.map(of));
    slice = slice.filter((result) => of(result) === value);
    return { key, label, values, value, name };
  });
  const { sizes, rows, largest } = sizeMapOf(slice);
  if (sizes.length < 2 || rows.length < 2) return null;
  return (
    <Section title="p50 by transport and size">
      <div className="controls">
        {choices.map(({ key, label, values, value, name }) => (
          <Choice
            key={key}
            label={label}
            values={values}
            name={(slug) => name(slug)}
            value={value}
            onChange={(slug) => onSearch({ [key]: slug })}
          />
        ))}
      </div>
      <Table
        label="p50 by transport and size"
        className="table table-dense size-map"
        heads={[rowHead("Transport"), ...sizes.map((size) => numeric(formatBytes(size)))]}
      >
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {sizes.map((size) => {
                const cell = cells.get(size);
                if (cell === undefined) return <td key={size} />;
                const { result, ns, ratio } = cell;
                const style = { "--shade": shadeOf(ratio, largest).toFixed(3) } as CSSProperties;
                return (
                  <td key={size} className="number" style={style} title={`${ratioText(ratio)} the fastest`}>
                    <Link
                      {...toPoint(project, result.series_id, runId)}
                      aria-label={`${formatNs(ns)}, ${name}, ${formatBytes(size)}, ${ratioText(ratio)} the fastest`}
                    >
                      {formatNs(ns)}
                    </Link>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </Table>
      <p className="size-map-legend">
        <span aria-hidden="true" /> Fastest at the size to {ratioText(largest)} slower, log scale
      </p>
    </Section>
  );
}

function ratioText(ratio: number): string {
  return `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)}x`;
}

/** The most frequent value. */
function usualOf(values: string[]): string {
  const count = (value: string) => values.filter((other) => other === value).length;
  return distinct(values).toSorted((a, b) => count(b) - count(a))[0] ?? "";
}
