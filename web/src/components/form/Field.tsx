/** One labelled input of a form, with what the server finds wrong with it, and the form's other complaints. */
import { type ReactNode, useId } from "react";
import { ApiError } from "@/api/errors";

/** What an input needs to be told of: its name, and the texts that describe it. */
export type InputProps = {
  id: string;
  name: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

type Props = {
  label: string;
  /** As the API calls it. */
  name: string;
  error: Error | null;
  note?: string;
  children: (input: InputProps) => ReactNode;
};

export function Field({ label, name, error, note, children }: Props) {
  const id = useId();
  const wrong = wrongWith(error, name);
  const described = [
    ...(note === undefined ? [] : [`${id}-note`]),
    ...(wrong === null ? [] : [`${id}-wrong`]),
  ];
  return (
    <div className="field field-wide">
      <label htmlFor={id}>{label}</label>
      <div className="field-body">
        {children({
          id,
          name,
          "aria-describedby": described.length === 0 ? undefined : described.join(" "),
          "aria-invalid": wrong === null ? undefined : true,
        })}
        {note !== undefined && <p id={`${id}-note`}>{note}</p>}
        {wrong !== null && (
          <p id={`${id}-wrong`} className="warning" role="alert">
            {wrong}
          </p>
        )}
      </div>
    </div>
  );
}

type GroupProps = {
  legend: string;
  names: string[];
  error: Error | null;
  note?: string;
  children: ReactNode;
};

/** Several inputs under one legend, with what the server finds wrong with any of them. */
export function FieldGroup({ legend, names, error, note, children }: GroupProps) {
  const wrong = names.map((name) => wrongWith(error, name)).find((text) => text !== null) ?? null;
  return (
    <fieldset className="field field-wide" aria-invalid={wrong === null ? undefined : true}>
      <legend>{legend}</legend>
      <div className="field-body">
        {children}
        {note !== undefined && <p>{note}</p>}
        {wrong !== null && (
          <p className="warning" role="alert">
            {wrong}
          </p>
        )}
      </div>
    </fieldset>
  );
}

/** What is wrong, but with none of the fields that are shown. */
export function FormError({ error, fields }: { error: Error | null; fields: string[] }) {
  if (error === null || fields.some((name) => wrongWith(error, name) !== null)) return null;
  return (
    <p className="warning" role="alert">
      {error.message}
    </p>
  );
}

function wrongWith(error: Error | null, name: string): string | null {
  return error instanceof ApiError && error.field?.name === name ? error.field.text : null;
}
