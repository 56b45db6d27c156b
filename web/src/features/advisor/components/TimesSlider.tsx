/** Makes all messages longer or shorter. */
import { useId } from "react";
import { longerText, STEPS, stepOf, timesText } from "../data";

type Props = { times: number; onChange: (times: number) => void };

export function TimesSlider({ times, onChange }: Props) {
  const id = useId();
  return (
    <div className="times">
      <label htmlFor={id}>Length of all messages</label>
      <input
        id={id}
        type="range"
        min={0}
        max={STEPS.length - 1}
        value={stepOf(times)}
        aria-valuetext={times === 1 ? "as they are" : longerText(times)}
        list={`${id}-marks`}
        onChange={({ target }) => onChange(STEPS[target.valueAsNumber] ?? 1)}
      />
      <datalist id={`${id}-marks`}>
        <option value={stepOf(1)} />
      </datalist>
      <output htmlFor={id}>{timesText(times)}</output>
    </div>
  );
}
