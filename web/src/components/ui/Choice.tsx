/** A choice between what was measured: nothing where there is none, all in sight where they are few. */
import { Segmented } from "./Segmented";
import { SelectField } from "./SelectField";

/** More values than this side by side are wider than a telephone. */
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
  const options = values.map((entry) => ({ value: entry, label: name(entry) }));
  if (values.length > IN_SIGHT_MAX) return <SelectField {...{ label, options, value, onChange }} />;
  return <Segmented label={label} options={options} value={value} onChange={onChange} />;
}
