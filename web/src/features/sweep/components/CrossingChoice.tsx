/** Which crossings are marked: where the fastest changes, or all of two lines. */
import { useNavigate } from "@tanstack/react-router";
import type { SweptLine } from "@/components/chart/swept";
import { Segmented } from "@/components/ui/Segmented";
import { SelectField } from "@/components/ui/SelectField";
import type { Answer } from "@/lib/fastest";
import { usualPair } from "../data";

type Props = { lines: SweptLine[]; pair: [SweptLine, SweptLine] | null; answer: Answer };

export function CrossingChoice({ lines, pair, answer }: Props) {
  const navigate = useNavigate({ from: "/$project/sweep" });
  const offered = usualPair(answer, lines);
  if (offered === undefined) return null;
  const choose = (chosen: string | undefined) =>
    navigate({
      search: ({ pair: _pair, ...rest }) => (chosen === undefined ? rest : { ...rest, pair: chosen }),
      replace: true,
      resetScroll: false,
    });
  const options = (other: SweptLine) =>
    lines.filter(({ key }) => key !== other.key).map(({ key, label }) => ({ value: key, label }));
  return (
    <div className="controls">
      <Segmented
        label="Crossings"
        options={[
          { value: "fastest", label: "where the fastest changes" },
          { value: "pair", label: "of two lines" },
        ]}
        value={pair === null ? "fastest" : "pair"}
        onChange={(value) => choose(value === "pair" ? offered : undefined)}
      />
      {pair !== null && (
        <>
          <SelectField
            label="Of"
            options={options(pair[1])}
            value={pair[0].key}
            onChange={(key) => choose(`${key}.${pair[1].key}`)}
          />
          <SelectField
            label="and"
            options={options(pair[0])}
            value={pair[1].key}
            onChange={(key) => choose(`${pair[0].key}.${key}`)}
          />
        </>
      )}
    </div>
  );
}
